/* The occupancy calculator: how many blocks fit on a multiprocessor, without a device. Plain C, and a constructor for C++.
 *
 * Names are cuda_occupancy.h's, renamed. The model is the simulator's own, by which the runtime API answers too: threads,
 * registers, shared memory and a largest number of blocks.
 */
#ifndef MUSA_OCCUPANCY_H
#define MUSA_OCCUPANCY_H

#include <driver_types.h>
#include <stddef.h>
#include <string.h>

typedef enum musaOccError_enum {
    MUSA_OCC_SUCCESS = 0,
    MUSA_OCC_ERROR_INVALID_INPUT = 1,
    MUSA_OCC_ERROR_UNKNOWN_DEVICE = 2
} musaOccError;

typedef enum musaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3
} musaOccCacheConfig;

typedef enum musaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50
} musaOccCarveoutConfig;

typedef enum musaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF = 0,
    PARTITIONED_GC_ON = 1,
    PARTITIONED_GC_ON_STRICT = 2
} musaOccPartitionedGCConfig;

typedef enum musaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT = 0,
    FUNC_SHMEM_LIMIT_OPTIN = 1
} musaOccFuncShmemConfig;

/* Bits of limitingFactors */
typedef enum musaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 0x01,
    OCC_LIMIT_REGISTERS = 0x02,
    OCC_LIMIT_SHARED_MEMORY = 0x04,
    OCC_LIMIT_BLOCKS = 0x08,
    OCC_LIMIT_BARRIERS = 0x10
} musaOccLimitingFactor;

typedef struct musaOccDeviceProp {
    int computeMajor;
    int computeMinor;
    int maxThreadsPerBlock;
    int maxThreadsPerMultiprocessor;
    int regsPerBlock;
    int regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock;
    size_t sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin;
    size_t reservedSharedMemPerBlock;
#ifdef __cplusplus
    musaOccDeviceProp() { memset(this, 0, sizeof *this); }
    /* From a structure with musaDeviceProp's fields */
    template <class Properties>
    musaOccDeviceProp(const Properties& properties)
        : computeMajor(properties.major),
          computeMinor(properties.minor),
          maxThreadsPerBlock(properties.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(properties.maxThreadsPerMultiProcessor),
          regsPerBlock(properties.regsPerBlock),
          regsPerMultiprocessor(properties.regsPerMultiprocessor),
          warpSize(properties.warpSize),
          sharedMemPerBlock(properties.sharedMemPerBlock),
          sharedMemPerMultiprocessor(properties.sharedMemPerMultiprocessor),
          numSms(properties.multiProcessorCount),
          sharedMemPerBlockOptin(properties.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(properties.reservedSharedMemPerBlock) {}
#endif
} musaOccDeviceProp;

typedef struct musaOccFuncAttributes {
    int maxThreadsPerBlock;
    int numRegs;
    size_t sharedSizeBytes;
    musaOccPartitionedGCConfig partitionedGCConfig; /* without an effect, as the next */
    musaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers;
#ifdef __cplusplus
    musaOccFuncAttributes() { memset(static_cast<void*>(this), 0, sizeof *this); }
    template <class Attributes>
    musaOccFuncAttributes(const Attributes& attributes)
        : maxThreadsPerBlock(attributes.maxThreadsPerBlock),
          numRegs(attributes.numRegs),
          sharedSizeBytes(attributes.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes(static_cast<size_t>(attributes.maxDynamicSharedSizeBytes)),
          numBlockBarriers(1) {}
#endif
} musaOccFuncAttributes;

/* Preferences without effect */
typedef struct musaOccDeviceState {
    musaOccCacheConfig cacheConfig;
    int carveoutConfig;
#ifdef __cplusplus
    musaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} musaOccDeviceState;

typedef struct musaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs; /* INT_MAX: no limit */
    int blockLimitSharedMem;
    int blockLimitWarps;
    int blockLimitBlocks;
    int blockLimitBarriers;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    musaOccPartitionedGCConfig partitionedGCConfig;
} musaOccResult;

#define MUSA_SIM_NO_LIMIT 2147483647
#define MUSA_SIM_MOST_BLOCKS 32 /* musaDeviceProp::maxBlocksPerMultiProcessor */

static inline int musa_sim_occ_fit(size_t room, size_t each) {
    const size_t count = each ? room / each : MUSA_SIM_NO_LIMIT;
    return count < MUSA_SIM_NO_LIMIT ? (int)count : MUSA_SIM_NO_LIMIT;
}

static inline musaOccError musaOccMaxActiveBlocksPerMultiprocessor(musaOccResult* result,
                                                                   const musaOccDeviceProp* properties,
                                                                   const musaOccFuncAttributes* attributes,
                                                                   const musaOccDeviceState* state, int blockSize,
                                                                   size_t dynamicSmemSize) {
    size_t shared, most_shared;
    int least, fits, warps;
    if (!result || !properties || !attributes || !state || blockSize <= 0) return MUSA_OCC_ERROR_INVALID_INPUT;
    if (properties->maxThreadsPerMultiprocessor <= 0 || properties->maxThreadsPerBlock <= 0 || properties->warpSize <= 0)
        return MUSA_OCC_ERROR_UNKNOWN_DEVICE;
    shared = attributes->sharedSizeBytes + dynamicSmemSize;
    most_shared = properties->sharedMemPerBlockOptin > properties->sharedMemPerBlock ? properties->sharedMemPerBlockOptin
                                                                                      : properties->sharedMemPerBlock;
    fits = blockSize <= properties->maxThreadsPerBlock &&
           (attributes->maxThreadsPerBlock <= 0 || blockSize <= attributes->maxThreadsPerBlock) && shared <= most_shared;
    warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
    memset((void*)result, 0, sizeof *result);
    result->allocatedRegistersPerBlock = attributes->numRegs * blockSize;
    result->allocatedSharedMemPerBlock = shared;
    result->blockLimitRegs = fits ? musa_sim_occ_fit((size_t)properties->regsPerMultiprocessor,
                                                     (size_t)result->allocatedRegistersPerBlock)
                                  : 0;
    result->blockLimitSharedMem = fits ? musa_sim_occ_fit(properties->sharedMemPerMultiprocessor, shared) : 0;
    result->blockLimitWarps =
        fits ? musa_sim_occ_fit((size_t)(properties->maxThreadsPerMultiprocessor / properties->warpSize), (size_t)warps)
             : 0;
    result->blockLimitBlocks = MUSA_SIM_MOST_BLOCKS;
    result->blockLimitBarriers = MUSA_SIM_NO_LIMIT;
    least = result->blockLimitBlocks;
    if (result->blockLimitRegs < least) least = result->blockLimitRegs;
    if (result->blockLimitSharedMem < least) least = result->blockLimitSharedMem;
    if (result->blockLimitWarps < least) least = result->blockLimitWarps;
    result->activeBlocksPerMultiprocessor = least;
    if (result->blockLimitWarps == least) result->limitingFactors |= OCC_LIMIT_WARPS;
    if (result->blockLimitRegs == least) result->limitingFactors |= OCC_LIMIT_REGISTERS;
    if (result->blockLimitSharedMem == least) result->limitingFactors |= OCC_LIMIT_SHARED_MEMORY;
    if (result->blockLimitBlocks == least) result->limitingFactors |= OCC_LIMIT_BLOCKS;
    return MUSA_OCC_SUCCESS;
}

#undef MUSA_SIM_NO_LIMIT
#undef MUSA_SIM_MOST_BLOCKS

#endif
