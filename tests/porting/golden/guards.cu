#include <cuda_fp16.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
__device__ __half twice(__half x) { return __hadd(x, x); }
#elif !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ < 600)
__device__ double atomicAdd(double* address, double value);
#endif
#if (__CUDA_ARCH__ >= 800) && \
    (__CUDACC_VER_MAJOR__ >= 11)
#define HAS_BF16 1
#endif
#if 700 <= __CUDA_ARCH__ && __CUDA_ARCH__ / 100 >= 9
#endif
#if __CUDA_ARCH__ == 750 || __CUDA_ARCH__ % 100 == 0  // equality has no meaning here
#endif
#ifdef CUDA_VERSION
int version() { return CUDA_VERSION; }
#endif
#if CUDART_VERSION < 10020 || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1102
#endif
#define CUDA_VERSION 1
#define cudaMalloc musaMalloc
#define cudaFree(p) free_of(p)
static_assert(__CUDA_ARCH__ >= 700, "__CUDA_ARCH__ >= 700");
#ifndef __CUDACC__
#error "compile with nvcc"
#endif
