/* NVTX's names of CUDA's devices, contexts, streams and events, written from its documentation: they do nothing, as in nvtx.h. */
#ifndef MUSA_CUDA_ADAPTER_NVTX_CUDA_H
#define MUSA_CUDA_ADAPTER_NVTX_CUDA_H

#include <nvtx3/nvToolsExt.h>

#define MUSA_CUDA_NVTX_NAME(what, type)                                                                                \
    static inline void nvtxName##what##A(type named __attribute__((unused)),                                           \
                                         const char *name __attribute__((unused))) {}                                  \
    static inline void nvtxName##what##W(type named __attribute__((unused)),                                           \
                                         const wchar_t *name __attribute__((unused))) {}
MUSA_CUDA_NVTX_NAME(CuDevice, CUdevice)
MUSA_CUDA_NVTX_NAME(CuContext, CUcontext)
MUSA_CUDA_NVTX_NAME(CuStream, CUstream)
MUSA_CUDA_NVTX_NAME(CuEvent, CUevent)
MUSA_CUDA_NVTX_NAME(CudaDevice, int)
MUSA_CUDA_NVTX_NAME(CudaStream, cudaStream_t)
MUSA_CUDA_NVTX_NAME(CudaEvent, cudaEvent_t)
#undef MUSA_CUDA_NVTX_NAME

#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif
