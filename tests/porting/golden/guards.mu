#include <musa_fp16.h>
#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ >= 100
__device__ __half twice(__half x) { return __hadd(x, x); }
#elif !defined(__MUSA_ARCH__) || (__MUSA_ARCH__ < 100)
__device__ double atomicAdd(double* address, double value);
#endif
#if (__MUSA_ARCH__ >= 220) && \
    (12 >= 11)
#define HAS_BF16 1
#endif
#if __MUSA_ARCH__ >= 100 && __MUSA_ARCH__ >= 310
#endif
#if __CUDA_ARCH__ == 750 || __CUDA_ARCH__ % 100 == 0  // equality has no meaning here
#endif
#ifdef MUSA_VERSION
int version() { return 12040; }
#endif
#if 12040 < 10020 || 12 * 100 + 4 >= 1102
#endif
#define CUDA_VERSION 1
#define cudaMalloc musaMalloc
#define musaFree(p) free_of(p)
static_assert(__MUSA_ARCH__ >= 100, "__CUDA_ARCH__ >= 700");
#ifndef __MUSACC__
#error "compile with nvcc"
#endif
