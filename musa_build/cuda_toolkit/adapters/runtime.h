/* A device's properties in CUDA's terms: the compute capability is that of __CUDA_ARCH__ in device code, and a
 * warp has the 32 lanes that CUDA code counts on. Everything else is the device's own. Runtime and driver tell the
 * version that the headers announce.
 */
#ifndef MUSA_CUDA_ADAPTER_RUNTIME_H
#define MUSA_CUDA_ADAPTER_RUNTIME_H

#include <musa_cuda/capability.h>

static inline musaError_t musa_cuda_get_device_properties(struct musaDeviceProp *properties, int device) {
    musaError_t error = musaGetDeviceProperties(properties, device);
    if (error == musaSuccess) {
        const int capability = musa_cuda_capability(properties->major, properties->minor);
        properties->major = capability / 10;
        properties->minor = capability % 10;
        properties->warpSize = 32;
    }
    return error;
}

static inline musaError_t musa_cuda_device_get_attribute(int *value, enum musaDeviceAttr attribute, int device) {
    int major, minor;
    musaError_t error;
    switch (attribute) {
        case musaDevAttrWarpSize:
            error = musaDeviceGetAttribute(value, attribute, device);
            if (error == musaSuccess) *value = 32;
            return error;
        case musaDevAttrComputeCapabilityMajor:
        case musaDevAttrComputeCapabilityMinor:
            error = musaDeviceGetAttribute(&major, musaDevAttrComputeCapabilityMajor, device);
            if (error == musaSuccess) error = musaDeviceGetAttribute(&minor, musaDevAttrComputeCapabilityMinor, device);
            if (error != musaSuccess) return error;
            *value = musa_cuda_capability(major, minor);
            *value = attribute == musaDevAttrComputeCapabilityMajor ? *value / 10 : *value % 10;
            return musaSuccess;
        default: return musaDeviceGetAttribute(value, attribute, device);
    }
}

/* Libraries choose by a kernel's versions what it was compiled for: cub does. */
static inline musaError_t musa_cuda_func_get_attributes(struct musaFuncAttributes *attributes, const void *function) {
    const musaError_t error = musaFuncGetAttributes(attributes, function);
    if (error == musaSuccess) {
        attributes->binaryVersion = musa_cuda_capability(attributes->binaryVersion / 10, attributes->binaryVersion % 10);
        attributes->ptxVersion = musa_cuda_capability(attributes->ptxVersion / 10, attributes->ptxVersion % 10);
    }
    return error;
}
#ifdef __cplusplus
template <class Function>
static inline musaError_t musa_cuda_func_get_attributes(struct musaFuncAttributes *attributes, Function *function) {
    return musa_cuda_func_get_attributes(attributes, reinterpret_cast<const void *>(function));
}
#endif

static inline musaError_t musa_cuda_runtime_version(int *version) {
    if (version == 0) return musaErrorInvalidValue;
    *version = CUDART_VERSION;
    return musaSuccess;
}

/* CUDA 12's form of the result of an update. An SDK that has it declares it by an alias. */
#ifndef cudaGraphExecUpdateResultInfo
typedef struct {
    enum musaGraphExecUpdateResult result;
    musaGraphNode_t errorNode;
    musaGraphNode_t errorFromNode;
} cudaGraphExecUpdateResultInfo;

static inline musaError_t musa_cuda_graph_exec_update(musaGraphExec_t executable, musaGraph_t graph,
                                                      cudaGraphExecUpdateResultInfo *info) {
    if (info == 0) return musaErrorInvalidValue;
    info->errorFromNode = 0;
    return musaGraphExecUpdate(executable, graph, &info->errorNode, &info->result);
}

/* C++ code may still use CUDA 11's form. */
#ifdef __cplusplus
static inline musaError_t musa_cuda_graph_exec_update(musaGraphExec_t executable, musaGraph_t graph,
                                                      musaGraphNode_t *error_node,
                                                      enum musaGraphExecUpdateResult *result) {
    return musaGraphExecUpdate(executable, graph, error_node, result);
}
#endif
#undef cudaGraphExecUpdate
#define cudaGraphExecUpdate musa_cuda_graph_exec_update
#endif

/* CUDA 13 names a location in place of a device, as the _v2 of CUDA 12 do. C++ code may use both forms. All memory of
 * the host is one location to MUSA. An SDK that has more locations declares them by aliases.
 */
#ifdef cudaMemLocationTypeDevice

static inline int musa_cuda_device_of(struct musaMemLocation location) {
    if (location.type == musaMemLocationTypeDevice) return location.id;
    return location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent
               ? musaCpuDeviceId
               : musaInvalidDeviceId;
}

static inline musaError_t musa_cuda_mem_prefetch_to(const void *memory, size_t bytes, struct musaMemLocation location,
                                                    unsigned int flags, musaStream_t stream) {
    return flags ? musaErrorInvalidValue : musaMemPrefetchAsync(memory, bytes, musa_cuda_device_of(location), stream);
}

static inline musaError_t musa_cuda_mem_advise_at(const void *memory, size_t bytes, enum musaMemoryAdvise advice,
                                                  struct musaMemLocation location) {
    return musaMemAdvise(memory, bytes, advice, musa_cuda_device_of(location));
}

#ifdef __cplusplus
static inline musaError_t musa_cuda_mem_prefetch(const void *memory, size_t bytes, int device,
                                                 musaStream_t stream = 0) {
    return musaMemPrefetchAsync(memory, bytes, device, stream);
}
static inline musaError_t musa_cuda_mem_prefetch(const void *memory, size_t bytes, struct musaMemLocation location,
                                                 unsigned int flags, musaStream_t stream = 0) {
    return musa_cuda_mem_prefetch_to(memory, bytes, location, flags, stream);
}
static inline musaError_t musa_cuda_mem_advise(const void *memory, size_t bytes, enum musaMemoryAdvise advice,
                                               int device) {
    return musaMemAdvise(memory, bytes, advice, device);
}
static inline musaError_t musa_cuda_mem_advise(const void *memory, size_t bytes, enum musaMemoryAdvise advice,
                                               struct musaMemLocation location) {
    return musa_cuda_mem_advise_at(memory, bytes, advice, location);
}
#undef cudaMemPrefetchAsync
#undef cudaMemAdvise
#define cudaMemPrefetchAsync musa_cuda_mem_prefetch
#define cudaMemAdvise musa_cuda_mem_advise
#endif
#undef cudaMemPrefetchAsync_v2
#undef cudaMemAdvise_v2
#define cudaMemPrefetchAsync_v2 musa_cuda_mem_prefetch_to
#define cudaMemAdvise_v2 musa_cuda_mem_advise_at
#endif

/* Programmatic dependent launch: a kernel begins when the one before it in its stream has ended, so there is nothing to
 * wait for and no kernel to release.
 */
#if defined(__cplusplus) && defined(__MUSACC__)
static __device__ __forceinline__ void cudaGridDependencySynchronize() {}
static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {}
#endif

#undef cudaGetDeviceProperties
#undef cudaGetDeviceProperties_v2
#undef cudaDeviceGetAttribute
#undef cudaFuncGetAttributes
#undef cudaRuntimeGetVersion
#undef cudaDriverGetVersion
#define cudaGetDeviceProperties musa_cuda_get_device_properties
#define cudaGetDeviceProperties_v2 musa_cuda_get_device_properties
#define cudaDeviceGetAttribute musa_cuda_device_get_attribute
#define cudaFuncGetAttributes musa_cuda_func_get_attributes
#define cudaRuntimeGetVersion musa_cuda_runtime_version
#define cudaDriverGetVersion musa_cuda_runtime_version

#endif
