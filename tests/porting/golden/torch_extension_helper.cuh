#pragma once
#if defined(__CUDACC__) || defined(__NVCC__)
#define HELPER __device__
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
HELPER void half_only();
#endif
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ < 600)
HELPER void old_only();
#endif
#if __CUDA_ARCH__>=800 && __CUDA_ARCH__ < 900
HELPER void bf16_only();
#endif
#if 700 <= __CUDA_ARCH__ || CUDA_VERSION < 10020
HELPER void unclear();
#endif
