// libcudart's functions that are not the SDK's: those that tell numbers or names of CUDA, and those with other structures.
#include <dlfcn.h>
#include <musa_runtime_api.h>

#include <cstddef>
#include <cstring>

#include <musa_cuda/version.h>
#include <musa_cuda/adapters/runtime.h>

#include "names.h"

#undef cudaGetDeviceProperties
#undef cudaGetDeviceProperties_v2
#undef cudaDeviceGetAttribute
#undef cudaFuncGetAttributes
#undef cudaRuntimeGetVersion
#undef cudaDriverGetVersion
#undef cudaGraphExecUpdate

CUDA_EXPORT musaError_t cudaGetDeviceProperties_v2(struct musaDeviceProp *properties, int device) {
    return musa_cuda_get_device_properties(properties, device);
}

// The function of programs that were built for CUDA 11, whose structure ends earlier.
CUDA_EXPORT musaError_t cudaGetDeviceProperties(struct musaDeviceProp *properties, int device) {
    if (!properties) return musaErrorInvalidValue;
    struct musaDeviceProp all;
    const musaError_t error = musa_cuda_get_device_properties(&all, device);
    constexpr std::size_t size = offsetof(struct musaDeviceProp, reservedSharedMemPerBlock) + sizeof(std::size_t);
    if (error == musaSuccess) std::memcpy(static_cast<void *>(properties), &all, size);
    return error;
}

CUDA_EXPORT musaError_t cudaDeviceGetAttribute(int *value, enum musaDeviceAttr attribute, int device) {
    return musa_cuda_device_get_attribute(value, attribute, device);
}

CUDA_EXPORT musaError_t cudaRuntimeGetVersion(int *version) { return musa_cuda_runtime_version(version); }
CUDA_EXPORT musaError_t cudaDriverGetVersion(int *version) { return musa_cuda_runtime_version(version); }

CUDA_EXPORT const char *cudaGetErrorName(musaError_t error) {
    return musa_cuda::renamed(musaGetErrorName(error), "musa", "cuda");
}

// CUDA's structure is longer. Its other members are about clusters of blocks, which a kernel does not have here.
CUDA_EXPORT musaError_t cudaFuncGetAttributes(struct musaFuncAttributes *attributes, const void *function) {
    constexpr std::size_t size_in_cuda = 144;
    static_assert(sizeof(struct musaFuncAttributes) <= size_in_cuda, "CUDA 12's programs give a structure of 144 bytes");
    if (!attributes) return musaErrorInvalidValue;
    std::memset(static_cast<void *>(attributes), 0, size_in_cuda);
    return musa_cuda_func_get_attributes(attributes, function);
}

CUDA_EXPORT musaError_t cudaGraphExecUpdate(musaGraphExec_t executable, musaGraph_t graph,
                                            cudaGraphExecUpdateResultInfo *info) {
    return musa_cuda_graph_exec_update(executable, graph, info);
}

// Functions of the driver come from the libcuda beside this library, which has them by CUDA's names.
CUDA_EXPORT musaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status) {
    if (!name || !function || flags > 2) return musaErrorInvalidValue;
    Dl_info here{};
    dladdr(reinterpret_cast<void *>(&cudaGetErrorName), &here);
    std::string file = here.dli_fname;
    file.replace(file.rfind('/') + 1, std::string::npos, "libcuda.so.1");
    void *library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    *function = library ? dlsym(library, name) : nullptr;
    if (status) *status = *function ? 0 : 1;  // cudaDriverEntryPointSymbolNotFound
    return *function || status ? musaSuccess : musaErrorSymbolNotFound;
}

CUDA_EXPORT musaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long flags,
                                                         int *status) {
    return cudaGetDriverEntryPoint(name, function, flags, status);
}
