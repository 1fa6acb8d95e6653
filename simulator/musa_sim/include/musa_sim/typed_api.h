/* Overloads of the C API that take typed pointers, kernels and device variables. C++, any compiler.
 */
#ifndef MUSA_SIM_TYPED_API_H
#define MUSA_SIM_TYPED_API_H

#include <channel_descriptor.h>
#include <musa_runtime_api.h>
#include <musa_sim/channel_types.h>

namespace musa_sim_detail {

/* CUDA takes pointers to pointers to anything: const, volatile, incomplete types, functions. */
template <class T>
inline void** untyped(T** pointer) {
    return static_cast<void**>(static_cast<void*>(pointer));
}

/* The address of a device variable's shadow, also of a volatile one or of a type with its own `&` */
template <class T>
inline const void* shadow(const T& symbol) {
    return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}

}  // namespace musa_sim_detail

template <class T>
inline musaError_t musaMalloc(T** devPtr, size_t size) {
    return musaMalloc(musa_sim_detail::untyped(devPtr), size);
}

template <class T>
inline musaError_t musaMallocAsync(T** devPtr, size_t size, musaStream_t stream) {
    return musaMallocAsync(musa_sim_detail::untyped(devPtr), size, stream);
}

template <class T>
inline musaError_t musaMallocManaged(T** devPtr, size_t size,
                                     unsigned flags = musaMemAttachGlobal) {
    return musaMallocManaged(musa_sim_detail::untyped(devPtr), size, flags);
}

template <class T>
inline musaError_t musaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
    return musaMallocPitch(musa_sim_detail::untyped(devPtr), pitch, width, height);
}

template <class T>
inline musaError_t musaMallocHost(T** ptr, size_t size) {
    return musaMallocHost(musa_sim_detail::untyped(ptr), size);
}

template <class T>
inline musaError_t musaMallocHost(T** ptr, size_t size, unsigned flags) {
    return musaHostAlloc(musa_sim_detail::untyped(ptr), size, flags);
}

template <class T>
inline musaError_t musaHostAlloc(T** ptr, size_t size, unsigned flags) {
    return musaHostAlloc(musa_sim_detail::untyped(ptr), size, flags);
}

template <class T>
inline musaError_t musaHostGetDevicePointer(T** devPtr, void* hostPtr, unsigned flags) {
    return musaHostGetDevicePointer(musa_sim_detail::untyped(devPtr), hostPtr, flags);
}

inline musaError_t musaEventCreate(musaEvent_t* event, unsigned flags) {
    return musaEventCreateWithFlags(event, flags);
}

template <class T>
inline musaError_t musaMemcpyToSymbol(const T& symbol, const void* src, size_t count,
                                      size_t offset = 0,
                                      musaMemcpyKind kind = musaMemcpyHostToDevice) {
    return musaMemcpyToSymbol(musa_sim_detail::shadow(symbol), src, count, offset, kind);
}

template <class T>
inline musaError_t musaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count,
                                           size_t offset, musaMemcpyKind kind,
                                           musaStream_t stream = nullptr) {
    return musaMemcpyToSymbolAsync(musa_sim_detail::shadow(symbol), src, count, offset, kind,
                                   stream);
}

template <class T>
inline musaError_t musaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                        musaMemcpyKind kind = musaMemcpyDeviceToHost) {
    return musaMemcpyFromSymbol(dst, musa_sim_detail::shadow(symbol), count, offset, kind);
}

template <class T>
inline musaError_t musaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count,
                                             size_t offset, musaMemcpyKind kind,
                                             musaStream_t stream = nullptr) {
    return musaMemcpyFromSymbolAsync(dst, musa_sim_detail::shadow(symbol), count, offset,
                                     kind, stream);
}

template <class T>
inline musaError_t musaGetSymbolAddress(void** devPtr, const T& symbol) {
    return musaGetSymbolAddress(devPtr, musa_sim_detail::shadow(symbol));
}

template <class T>
inline musaError_t musaGetSymbolSize(size_t* size, const T& symbol) {
    return musaGetSymbolSize(size, musa_sim_detail::shadow(symbol));
}

template <class T>
inline musaError_t musaGraphAddMemcpyNodeToSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                                  const musaGraphNode_t* dependencies,
                                                  size_t numDependencies, const T& symbol,
                                                  const void* src, size_t count, size_t offset,
                                                  musaMemcpyKind kind) {
    return musaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, numDependencies,
                                          musa_sim_detail::shadow(symbol), src, count, offset, kind);
}

template <class T>
inline musaError_t musaGraphAddMemcpyNodeFromSymbol(musaGraphNode_t* node, musaGraph_t graph,
                                                    const musaGraphNode_t* dependencies,
                                                    size_t numDependencies, void* dst,
                                                    const T& symbol, size_t count, size_t offset,
                                                    musaMemcpyKind kind) {
    return musaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, numDependencies, dst,
                                            musa_sim_detail::shadow(symbol), count, offset, kind);
}

template <class T>
inline musaError_t musaGraphMemcpyNodeSetParamsToSymbol(musaGraphNode_t node, const T& symbol,
                                                        const void* src, size_t count, size_t offset,
                                                        musaMemcpyKind kind) {
    return musaGraphMemcpyNodeSetParamsToSymbol(node, musa_sim_detail::shadow(symbol), src, count,
                                                offset, kind);
}

template <class T>
inline musaError_t musaGraphMemcpyNodeSetParamsFromSymbol(musaGraphNode_t node, void* dst,
                                                          const T& symbol, size_t count,
                                                          size_t offset, musaMemcpyKind kind) {
    return musaGraphMemcpyNodeSetParamsFromSymbol(node, dst, musa_sim_detail::shadow(symbol), count,
                                                  offset, kind);
}

template <class T>
inline musaError_t musaGraphExecMemcpyNodeSetParamsToSymbol(musaGraphExec_t exec,
                                                            musaGraphNode_t node, const T& symbol,
                                                            const void* src, size_t count,
                                                            size_t offset, musaMemcpyKind kind) {
    return musaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, musa_sim_detail::shadow(symbol), src,
                                                    count, offset, kind);
}

template <class T>
inline musaError_t musaGraphExecMemcpyNodeSetParamsFromSymbol(musaGraphExec_t exec,
                                                              musaGraphNode_t node, void* dst,
                                                              const T& symbol, size_t count,
                                                              size_t offset, musaMemcpyKind kind) {
    return musaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst,
                                                      musa_sim_detail::shadow(symbol), count, offset,
                                                      kind);
}

template <class T>
inline musaError_t musaLaunchKernel(T* func, dim3 grid, dim3 block, void** args, size_t shared = 0,
                                    musaStream_t stream = nullptr) {
    return musaLaunchKernel(reinterpret_cast<const void*>(func), grid, block, args, shared, stream);
}

template <class T>
inline musaError_t musaLaunchCooperativeKernel(T* func, dim3 grid, dim3 block, void** args,
                                               size_t shared = 0, musaStream_t stream = nullptr) {
    return musaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), grid, block, args,
                                       shared, stream);
}

template <class T>
inline musaError_t musaMallocFromPoolAsync(T** ptr, size_t size, musaMemPool_t memPool,
                                           musaStream_t stream) {
    return musaMallocFromPoolAsync(musa_sim_detail::untyped(ptr), size, memPool, stream);
}

/* CUDA's overload: from this pool */
template <class T>
inline musaError_t musaMallocAsync(T** ptr, size_t size, musaMemPool_t memPool,
                                   musaStream_t stream) {
    return musaMallocFromPoolAsync(musa_sim_detail::untyped(ptr), size, memPool, stream);
}

template <class T>
inline musaError_t musaLaunchKernelExC(const musaLaunchConfig_t* config, T* func, void** args) {
    return musaLaunchKernelExC(config, reinterpret_cast<const void*>(func), args);
}

/* The arguments are converted to the kernel's parameters. */
template <class... Parameters, class... Arguments>
inline musaError_t musaLaunchKernelEx(const musaLaunchConfig_t* config,
                                      void (*kernel)(Parameters...), Arguments&&... arguments) {
    return [&](Parameters... converted) {
        void* addresses[] = {
            const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(converted)))...,
            nullptr};
        return musaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), addresses);
    }(static_cast<Arguments&&>(arguments)...);
}

template <class T>
inline musaError_t musaFuncSetAttribute(T* func, musaFuncAttribute attr, int value) {
    return musaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}

template <class T>
inline musaError_t musaFuncGetAttributes(musaFuncAttributes* attr, T* func) {
    return musaFuncGetAttributes(attr, reinterpret_cast<const void*>(func));
}

template <class T>
inline musaError_t musaFuncSetCacheConfig(T* func, musaFuncCache cacheConfig) {
    return musaFuncSetCacheConfig(reinterpret_cast<const void*>(func), cacheConfig);
}

template <class T>
inline musaError_t musaFuncSetSharedMemConfig(T* func, musaSharedMemConfig config) {
    return musaFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}

template <class T>
inline musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func,
                                                                 int blockSize,
                                                                 size_t dynamicSharedMemSize) {
    return musaOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, (const void*)func, blockSize, dynamicSharedMemSize);
}

template <class T>
inline musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, T func, int blockSize, size_t dynamicSharedMemSize, unsigned flags) {
    return musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void*)func, blockSize, dynamicSharedMemSize, flags);
}

/* The block size, a multiple of the warp size, at which the most threads run at a time; of equals
 * the largest. `sharedMemOf(blockSize)`: the bytes of dynamic shared memory of such a block. */
template <class SharedMemOf, class T>
inline musaError_t musaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* minGridSize, int* blockSize, T func, SharedMemOf sharedMemOf, int blockSizeLimit = 0,
    unsigned flags = 0) {
    int device = 0;
    musaDeviceProp prop;
    musaError_t error = musaGetDevice(&device);
    if (error == musaSuccess) error = musaGetDeviceProperties(&prop, device);
    if (error != musaSuccess) return error;
    int limit = prop.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
    int best_threads = 0;
    for (int size = limit; size > 0;
         size -= size % prop.warpSize ? size % prop.warpSize : prop.warpSize) {
        int blocks = 0;
        error = musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, func, size, sharedMemOf(size), flags);
        if (error != musaSuccess) return error;
        if (blocks * size <= best_threads) continue;
        best_threads = blocks * size;
        *blockSize = size;
        *minGridSize = blocks * prop.multiProcessorCount;
    }
    return best_threads > 0 ? musaSuccess : musaErrorInvalidValue;
}

template <class SharedMemOf, class T>
inline musaError_t musaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize,
                                                                  T func, SharedMemOf sharedMemOf,
                                                                  int blockSizeLimit = 0) {
    return musaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   sharedMemOf, blockSizeLimit);
}

template <class T>
inline musaError_t musaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                               T func,
                                                               size_t dynamicSharedMemSize = 0,
                                                               int blockSizeLimit = 0,
                                                               unsigned flags = 0) {
    return musaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [=](int) { return dynamicSharedMemSize; }, blockSizeLimit,
        flags);
}

template <class T>
inline musaError_t musaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                      size_t dynamicSharedMemSize = 0,
                                                      int blockSizeLimit = 0) {
    return musaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                       dynamicSharedMemSize, blockSizeLimit);
}

#endif
