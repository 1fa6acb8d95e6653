/* MUPTI's records of what the devices do.
 *
 * Records exist for the calls that submit work or wait for it, and for the work itself. An operation of muBLAS, muDNN,
 * muFFT or MCCL is one kernel with the name of the simulator's own function. Names of kernels are demangled. The runtime's
 * calls that one of the driver makes are part of it. Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_ACTIVITY_H_
#define _MUPTI_ACTIVITY_H_

#include <musa.h>
#include <mupti_callbacks.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Records are aligned to 8 bytes, and fields follow each other. */
#define MUPTI_RECORD __attribute__((__packed__, __aligned__(8)))
#define MUPTI_SYNCHRONIZATION_INVALID_VALUE ((uint32_t)0xFFFFFFFFU)
#define MUPTI_INVALID_CONTEXT_ID ((uint32_t)0xFFFFFFFFU)
#define MUPTI_INVALID_STREAM_ID ((uint32_t)0xFFFFFFFFU)
#define MUPTI_CORRELATION_ID_UNKNOWN 0
#define MUPTI_GRID_ID_UNKNOWN 0LL
#define MUPTI_TIMESTAMP_UNKNOWN 0LL

typedef enum {
    MUPTI_ACTIVITY_KIND_INVALID = 0,
    MUPTI_ACTIVITY_KIND_MEMCPY = 1,
    MUPTI_ACTIVITY_KIND_MEMSET = 2,
    MUPTI_ACTIVITY_KIND_KERNEL = 3,
    MUPTI_ACTIVITY_KIND_DRIVER = 4,
    MUPTI_ACTIVITY_KIND_RUNTIME = 5,
    MUPTI_ACTIVITY_KIND_EVENT = 6,
    MUPTI_ACTIVITY_KIND_METRIC = 7,
    MUPTI_ACTIVITY_KIND_DEVICE = 8,
    MUPTI_ACTIVITY_KIND_CONTEXT = 9,
    MUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
    MUPTI_ACTIVITY_KIND_NAME = 11,
    MUPTI_ACTIVITY_KIND_MARKER = 12,
    MUPTI_ACTIVITY_KIND_MARKER_DATA = 13,
    MUPTI_ACTIVITY_KIND_SOURCE_LOCATOR = 14,
    MUPTI_ACTIVITY_KIND_GLOBAL_ACCESS = 15,
    MUPTI_ACTIVITY_KIND_BRANCH = 16,
    MUPTI_ACTIVITY_KIND_OVERHEAD = 17,
    MUPTI_ACTIVITY_KIND_CDP_KERNEL = 18,
    MUPTI_ACTIVITY_KIND_PREEMPTION = 19,
    MUPTI_ACTIVITY_KIND_ENVIRONMENT = 20,
    MUPTI_ACTIVITY_KIND_EVENT_INSTANCE = 21,
    MUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
    MUPTI_ACTIVITY_KIND_METRIC_INSTANCE = 23,
    MUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION = 24,
    MUPTI_ACTIVITY_KIND_FUNCTION = 26,
    MUPTI_ACTIVITY_KIND_MODULE = 27,
    MUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE = 28,
    MUPTI_ACTIVITY_KIND_SHARED_ACCESS = 29,
    MUPTI_ACTIVITY_KIND_PC_SAMPLING = 30,
    MUPTI_ACTIVITY_KIND_PC_SAMPLING_RECORD_INFO = 31,
    MUPTI_ACTIVITY_KIND_INSTRUCTION_CORRELATION = 32,
    MUPTI_ACTIVITY_KIND_OPENACC_DATA = 33,
    MUPTI_ACTIVITY_KIND_OPENACC_LAUNCH = 34,
    MUPTI_ACTIVITY_KIND_OPENACC_OTHER = 35,
    MUPTI_ACTIVITY_KIND_MUSA_EVENT = 36,
    MUPTI_ACTIVITY_KIND_STREAM = 37,
    MUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
    MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
    MUPTI_ACTIVITY_KIND_MTLINK = 40,
    MUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT = 41,
    MUPTI_ACTIVITY_KIND_INSTANTANEOUS_EVENT_INSTANCE = 42,
    MUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC = 43,
    MUPTI_ACTIVITY_KIND_INSTANTANEOUS_METRIC_INSTANCE = 44,
    MUPTI_ACTIVITY_KIND_MEMORY = 45,
    MUPTI_ACTIVITY_KIND_PCIE = 46,
    MUPTI_ACTIVITY_KIND_OPENMP = 47,
    MUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API = 48,
    MUPTI_ACTIVITY_KIND_MEMORY2 = 49,
    MUPTI_ACTIVITY_KIND_MEMORY_POOL = 50,
    MUPTI_ACTIVITY_KIND_GRAPH_TRACE = 51,
    MUPTI_ACTIVITY_KIND_JIT = 52,
    MUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE = 53,
    /* Moore Threads' own, whose numbers are not known */
    MUPTI_ACTIVITY_KIND_MEMORY_ATOMIC = 54,
    MUPTI_ACTIVITY_KIND_MEMORY_ATOMIC_VALUE = 55,
    MUPTI_ACTIVITY_KIND_MEMORY_TRANSFER = 56,
    MUPTI_ACTIVITY_KIND_COUNT = 57,
    MUPTI_ACTIVITY_KIND_FORCE_INT = 0x7fffffff
} MUpti_ActivityKind;

typedef enum {
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE = 0,
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP = 1,
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT = 2,
    MUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE = 3,
    MUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT = 4,
    MUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER = 5,
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE = 6,
    MUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE = 7,
    MUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED = 8,
    MUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER = 9,
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS = 10,
    MUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_FORCE_INT = 0x7fffffff
} MUpti_ActivityAttribute;

typedef enum {
    MUPTI_ACTIVITY_FLAG_NONE = 0,
    MUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS = 1,
    MUPTI_ACTIVITY_FLAG_DEVICE_ATTRIBUTE_MUDEVICE = 1,
    MUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC = 1,
    MUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS = 1,
    MUPTI_ACTIVITY_FLAG_MARKER_START = 2,
    MUPTI_ACTIVITY_FLAG_MARKER_END = 4,
    MUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE = 8,
    MUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_SUCCESS = 16,
    MUPTI_ACTIVITY_FLAG_MARKER_SYNC_ACQUIRE_FAILED = 32,
    MUPTI_ACTIVITY_FLAG_MARKER_SYNC_RELEASE = 64,
    MUPTI_ACTIVITY_FLAG_MARKER_COLOR_NONE = 1,
    MUPTI_ACTIVITY_FLAG_MARKER_COLOR_ARGB = 2,
    MUPTI_ACTIVITY_FLAG_GLOBAL_ACCESS_KIND_SIZE_MASK = 255,
    MUPTI_ACTIVITY_FLAG_GLOBAL_ACCESS_KIND_LOAD = 256,
    MUPTI_ACTIVITY_FLAG_GLOBAL_ACCESS_KIND_CACHED = 512,
    MUPTI_ACTIVITY_FLAG_METRIC_OVERFLOWED = 1,
    MUPTI_ACTIVITY_FLAG_METRIC_VALUE_INVALID = 2,
    MUPTI_ACTIVITY_FLAG_INSTRUCTION_VALUE_INVALID = 1,
    MUPTI_ACTIVITY_FLAG_INSTRUCTION_CLASS_MASK = 510,
    MUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,
    MUPTI_ACTIVITY_FLAG_SHARED_ACCESS_KIND_SIZE_MASK = 255,
    MUPTI_ACTIVITY_FLAG_SHARED_ACCESS_KIND_LOAD = 256,
    MUPTI_ACTIVITY_FLAG_MEMSET_ASYNC = 1,
    MUPTI_ACTIVITY_FLAG_THRASHING_IN_CPU = 1,
    MUPTI_ACTIVITY_FLAG_THROTTLING_IN_CPU = 1,
    MUPTI_ACTIVITY_FLAG_FORCE_INT = 0x7fffffff
} MUpti_ActivityFlag;

typedef enum {
    MUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN = 0,
    MUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
    MUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
    MUPTI_ACTIVITY_MEMCPY_KIND_HTOA = 3,
    MUPTI_ACTIVITY_MEMCPY_KIND_ATOH = 4,
    MUPTI_ACTIVITY_MEMCPY_KIND_ATOA = 5,
    MUPTI_ACTIVITY_MEMCPY_KIND_ATOD = 6,
    MUPTI_ACTIVITY_MEMCPY_KIND_DTOA = 7,
    MUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8,
    MUPTI_ACTIVITY_MEMCPY_KIND_HTOH = 9,
    MUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10,
    MUPTI_ACTIVITY_MEMCPY_KIND_FORCE_INT = 0x7fffffff
} MUpti_ActivityMemcpyKind;

typedef enum {
    MUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN = 0,
    MUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,
    MUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
    MUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
    MUPTI_ACTIVITY_MEMORY_KIND_ARRAY = 4,
    MUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5,
    MUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC = 6,
    MUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC = 7,
    MUPTI_ACTIVITY_MEMORY_KIND_FORCE_INT = 0x7fffffff
} MUpti_ActivityMemoryKind;

typedef enum {
    MUPTI_ACTIVITY_OVERHEAD_UNKNOWN = 0,
    MUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER = 1,
    MUPTI_ACTIVITY_OVERHEAD_MUPTI_BUFFER_FLUSH = 65536,
    MUPTI_ACTIVITY_OVERHEAD_MUPTI_INSTRUMENTATION = 131072,
    MUPTI_ACTIVITY_OVERHEAD_MUPTI_RESOURCE = 196608,
    MUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING = 262144,
    MUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING = 327680,
    MUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL = 393216,
    MUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST = 458752,
    MUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT = 524288,
    MUPTI_ACTIVITY_OVERHEAD_FORCE_INT = 0x7fffffff
} MUpti_ActivityOverheadKind;

typedef enum {
    MUPTI_ACTIVITY_OBJECT_UNKNOWN = 0,
    MUPTI_ACTIVITY_OBJECT_PROCESS = 1,
    MUPTI_ACTIVITY_OBJECT_THREAD = 2,
    MUPTI_ACTIVITY_OBJECT_DEVICE = 3,
    MUPTI_ACTIVITY_OBJECT_CONTEXT = 4,
    MUPTI_ACTIVITY_OBJECT_STREAM = 5,
    MUPTI_ACTIVITY_OBJECT_FORCE_INT = 0x7fffffff
} MUpti_ActivityObjectKind;

typedef enum {
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN = 0,
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE = 1,
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT = 2,
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE = 3,
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE = 4,
    MUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_FORCE_INT = 0x7fffffff
} MUpti_ActivitySynchronizationType;

typedef enum {
    MUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR = 0,
    MUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE = 1,
    MUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE = 2,
    MUPTI_ACTIVITY_LAUNCH_TYPE_CBL_COMMANDLIST = 3
} MUpti_ActivityLaunchType;

typedef enum {
    MUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_UNKNOWN = 0,
    MUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_NOT_SUPPORTED = 1,
    MUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_OFF = 2,
    MUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_ON = 3,
    MUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_FORCE_INT = 0x7fffffff
} MUpti_ActivityPartitionedGlobalCacheConfig;

typedef enum {
    MUPTI_FUNC_SHMEM_LIMIT_DEFAULT = 0,
    MUPTI_FUNC_SHMEM_LIMIT_OPTIN = 1,
    MUPTI_FUNC_SHMEM_LIMIT_FORCE_INT = 0x7fffffff
} MUpti_FuncShmemLimitConfig;

typedef enum {
    MUPTI_EXTERNAL_CORRELATION_KIND_INVALID = 0,
    MUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN = 1,
    MUPTI_EXTERNAL_CORRELATION_KIND_OPENACC = 2,
    MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3,
    MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1 = 4,
    MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 = 5,
    MUPTI_EXTERNAL_CORRELATION_KIND_SIZE = 6,
    MUPTI_EXTERNAL_CORRELATION_KIND_FORCE_INT = 0x7fffffff
} MUpti_ExternalCorrelationKind;

typedef enum {
    MUPTI_ACTIVITY_MEMCPY_ATOMIC_KIND_UNKNOWN = 0,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD32 = 1,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD64 = 2,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_UMIN32 = 3,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_UMIN64 = 4,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_IMIN32 = 5,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_IMIN64 = 6,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_UMAX32 = 7,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_UMAX64 = 8,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_IMAX32 = 9,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_IMAX64 = 10,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD_F32 = 11,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD_F64 = 12,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD_HF16 = 13,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_KIND_ATOMIC_ADD_BF16 = 14,
    MUPTI_ACTIVITY_MEMCPY_ATOMIC_KIND_FORCE_INT = 0x7fffffff
} MUpti_ActivityMemoryAtomicKind;

typedef enum {
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_UNKNOWN = 0,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_ADD64 = 1,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_SUB64 = 2,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_UMIN64 = 3,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_IMIN64 = 4,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_UMAX64 = 5,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_IMAX64 = 6,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_AND64 = 7,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_OR64 = 8,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_ATOMIC_XOR64 = 9,
    MUPTI_ACTIVITY_MEMORY_ATOMIC_VALUE_KIND_FORCE_INT = 0x7fffffff
} MUpti_ActivityMemoryAtomicValueKind;

typedef union {
    struct {
        uint32_t processId;
        uint32_t threadId;
    } pt;
    struct {
        uint32_t deviceId;
        uint32_t contextId;
        uint32_t streamId;
    } dcs;
} MUpti_ActivityObjectKindId;

/* All records begin with their kind. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
} MUpti_Activity;

/* RUNTIME, DRIVER. returnValue is 0: the simulator does not know it. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    MUpti_CallbackId cbid;
    uint64_t start;
    uint64_t end;
    uint32_t processId;
    uint32_t threadId;
    uint32_t correlationId;
    uint32_t returnValue;
} MUpti_ActivityAPI;

/* CONCURRENT_KERNEL, KERNEL. Registers, caches and local memory, which a CPU does not have, are 0. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    union {
        uint8_t both;
        struct {
            uint8_t requested : 4;
            uint8_t executed : 4;
        } config;
    } cacheConfig;
    uint8_t sharedMemoryConfig;
    uint16_t registersPerThread;
    MUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheRequested;
    MUpti_ActivityPartitionedGlobalCacheConfig partitionedGlobalCacheExecuted;
    uint64_t start;
    uint64_t end;
    uint64_t completed;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    int32_t gridX;
    int32_t gridY;
    int32_t gridZ;
    int32_t blockX;
    int32_t blockY;
    int32_t blockZ;
    int32_t staticSharedMemory;
    int32_t dynamicSharedMemory;
    uint32_t localMemoryPerThread;
    uint32_t localMemoryTotal;
    uint32_t correlationId;
    int64_t gridId;
    const char* name;
    void* reserved0;
    uint64_t queued;
    uint64_t submitted;
    uint8_t launchType;
    uint8_t isSharedMemoryCarveoutRequested;
    uint8_t sharedMemoryCarveoutRequested;
    uint8_t padding;
    uint32_t sharedMemoryExecuted;
    uint64_t graphNodeId;
    MUpti_FuncShmemLimitConfig shmemLimitConfig;
    uint32_t graphId;
    MUaccessPolicyWindow* pAccessPolicyWindow;
} MUpti_ActivityKernel6;

/* MEMCPY */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint8_t copyKind;
    uint8_t srcKind;
    uint8_t dstKind;
    uint8_t flags;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t correlationId;
    uint32_t runtimeCorrelationId;
    uint32_t pad;
    void* reserved0;
} MUpti_ActivityMemcpy;

/* MEMCPY2: between devices */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint8_t copyKind;
    uint8_t srcKind;
    uint8_t dstKind;
    uint8_t flags;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t srcDeviceId;
    uint32_t srcContextId;
    uint32_t dstDeviceId;
    uint32_t dstContextId;
    uint32_t correlationId;
    void* reserved0;
} MUpti_ActivityMemcpyPtoP;

typedef MUpti_ActivityMemcpyPtoP MUpti_ActivityMemcpy2;

/* MEMSET */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint32_t value;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t correlationId;
    uint16_t flags;
    uint16_t memoryKind;
    uint32_t pad;
    void* reserved0;
} MUpti_ActivityMemset;

/* SYNCHRONIZATION */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    MUpti_ActivitySynchronizationType type;
    uint64_t start;
    uint64_t end;
    uint32_t correlationId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t musaEventId;
} MUpti_ActivitySynchronization;

/* EXTERNAL_CORRELATION */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    MUpti_ExternalCorrelationKind externalKind;
    uint64_t externalId;
    uint32_t correlationId;
    uint32_t reserved;
} MUpti_ActivityExternalCorrelation;

/* MUSA_EVENT: no record has it here. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint32_t correlationId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t eventId;
    uint32_t pad;
} MUpti_ActivityMusaEvent;

/* OVERHEAD: no record has it here. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    MUpti_ActivityOverheadKind overheadKind;
    MUpti_ActivityObjectKind objectKind;
    MUpti_ActivityObjectKindId objectId;
    uint64_t start;
    uint64_t end;
} MUpti_ActivityOverhead;

/* MEMORY_ATOMIC, MEMORY_ATOMIC_VALUE, MEMORY_TRANSFER: of functions that this SDK does not have. Their members
 * are those that MooreThreads/kineto reads; the order is not known. */
typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint8_t atomicKind;
    uint8_t srcKind;
    uint8_t dstKind;
    uint8_t flags;
    uint64_t elementCount;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t correlationId;
} MUpti_ActivityMemoryAtomic;

typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint8_t atomicValueKind;
    uint8_t dstKind;
    uint16_t flags;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t correlationId;
    uint64_t graphNodeId;
    uint32_t graphId;
    uint32_t pad;
} MUpti_ActivityMemoryAtomicValue;

typedef struct MUPTI_RECORD {
    MUpti_ActivityKind kind;
    uint32_t flags;
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
    uint32_t correlationId;
} MUpti_ActivityMemoryTransfer;

/* The program's memory for records: asked for, and given back with `validSize` bytes of whole records.
 * `maxNumRecords`: 0 for as many as fit. The context is always a null pointer, and the stream 0. */
typedef void(MUPTIAPI* MUpti_BuffersCallbackRequestFunc)(uint8_t** buffer, size_t* size, size_t* maxNumRecords);
typedef void(MUPTIAPI* MUpti_BuffersCallbackCompleteFunc)(MUcontext context, uint32_t streamId, uint8_t* buffer,
                                                          size_t size, size_t validSize);

MUptiResult MUPTIAPI muptiActivityRegisterCallbacks(MUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                                    MUpti_BuffersCallbackCompleteFunc funcBufferCompleted);
MUptiResult MUPTIAPI muptiActivityEnable(MUpti_ActivityKind kind);
MUptiResult MUPTIAPI muptiActivityDisable(MUpti_ActivityKind kind);
/* Gives all records of work and calls that have ended, forced or not. */
MUptiResult MUPTIAPI muptiActivityFlushAll(uint32_t flag);
/* *record: the record before, or a null pointer for the first one. */
MUptiResult MUPTIAPI muptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes, MUpti_Activity** record);
/* Records for which the program gave no memory, since the last call. */
MUptiResult MUPTIAPI muptiActivityGetNumDroppedRecords(MUcontext context, uint32_t streamId, size_t* dropped);
/* Buffers of the device: accepted and without effect, because there are none. */
MUptiResult MUPTIAPI muptiActivitySetAttribute(MUpti_ActivityAttribute attr, size_t* valueSize, void* value);
MUptiResult MUPTIAPI muptiActivityPushExternalCorrelationId(MUpti_ExternalCorrelationKind kind, uint64_t id);
/* lastId may be a null pointer. */
MUptiResult MUPTIAPI muptiActivityPopExternalCorrelationId(MUpti_ExternalCorrelationKind kind, uint64_t* lastId);

/* Nanoseconds of CLOCK_MONOTONIC, as in all records. */
MUptiResult MUPTIAPI muptiGetTimestamp(uint64_t* timestamp);
/* A null pointer is the current context. */
MUptiResult MUPTIAPI muptiGetDeviceId(MUcontext context, uint32_t* deviceId);
MUptiResult MUPTIAPI muptiGetContextId(MUcontext context, uint32_t* contextId);
MUptiResult MUPTIAPI muptiGetStreamId(MUcontext context, MUstream stream, uint32_t* streamId);
/* Ends what MUPTI does; records that were not flushed are gone. It can be used again. */
MUptiResult MUPTIAPI muptiFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
