// Names that MUSA has and CUDA lacks, in terms of CUDA's, so that the programs of the suites compile for an NVIDIA card.
// Each line says what MUSA's function is.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#ifdef __CUDACC__
__device__ __forceinline__ unsigned __get_laneid() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#define TRUTH_LANEMASK(name)                                 \
    __device__ __forceinline__ unsigned __get_lanemask_##name() { \
        unsigned mask;                                       \
        asm("mov.u32 %0, %%lanemask_" #name ";" : "=r"(mask)); \
        return mask;                                         \
    }
TRUTH_LANEMASK(eq)
TRUTH_LANEMASK(lt)
TRUTH_LANEMASK(le)
TRUTH_LANEMASK(gt)
TRUTH_LANEMASK(ge)
__device__ __forceinline__ unsigned __bfe_u32(unsigned x, unsigned first, unsigned count) {
    unsigned bits;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(bits) : "r"(x), "r"(first), "r"(count));
    return bits;
}

// Conversions that are functions of the device alone in CUDA's headers. A run that needs them on the host is not for a card
// (differences.toml).
#include <nv/target>
#define TRUTH_ON_DEVICE(name)                                                     \
    template <class T>                                                            \
    __host__ __device__ __forceinline__ auto truth_##name(T x) -> decltype(__##name(x)) { \
        (void)x;                                                                  \
        decltype(__##name(x)) result = {};                                        \
        NV_IF_TARGET(NV_IS_DEVICE, (result = __##name(x);))                       \
        return result;                                                            \
    }
TRUTH_ON_DEVICE(half2int_rn)
TRUTH_ON_DEVICE(half2int_rd)
TRUTH_ON_DEVICE(half2int_ru)
TRUTH_ON_DEVICE(half2short_rn)
TRUTH_ON_DEVICE(half2short_rd)
TRUTH_ON_DEVICE(half2short_ru)
TRUTH_ON_DEVICE(half2uint_rn)
TRUTH_ON_DEVICE(half2uint_rd)
TRUTH_ON_DEVICE(half2uint_ru)
TRUTH_ON_DEVICE(half2ushort_rn)
TRUTH_ON_DEVICE(half2ushort_rd)
TRUTH_ON_DEVICE(half2ushort_ru)
TRUTH_ON_DEVICE(half2ull_rn)
TRUTH_ON_DEVICE(half2ull_rd)
TRUTH_ON_DEVICE(half2ull_ru)
TRUTH_ON_DEVICE(half2ll_rn)
TRUTH_ON_DEVICE(half2ll_rd)
TRUTH_ON_DEVICE(half2ll_ru)
TRUTH_ON_DEVICE(bfloat162int_rn)
TRUTH_ON_DEVICE(bfloat162int_rd)
TRUTH_ON_DEVICE(bfloat162int_ru)
TRUTH_ON_DEVICE(int2bfloat16_rz)
TRUTH_ON_DEVICE(int2bfloat16_rd)
TRUTH_ON_DEVICE(int2bfloat16_ru)
TRUTH_ON_DEVICE(bfloat162short_rn)
TRUTH_ON_DEVICE(bfloat162short_rd)
TRUTH_ON_DEVICE(bfloat162short_ru)
TRUTH_ON_DEVICE(short2bfloat16_rz)
TRUTH_ON_DEVICE(short2bfloat16_rd)
TRUTH_ON_DEVICE(short2bfloat16_ru)
TRUTH_ON_DEVICE(bfloat162uint_rn)
TRUTH_ON_DEVICE(bfloat162uint_rd)
TRUTH_ON_DEVICE(bfloat162uint_ru)
TRUTH_ON_DEVICE(uint2bfloat16_rz)
TRUTH_ON_DEVICE(uint2bfloat16_rd)
TRUTH_ON_DEVICE(uint2bfloat16_ru)
TRUTH_ON_DEVICE(bfloat162ushort_rn)
TRUTH_ON_DEVICE(bfloat162ushort_rd)
TRUTH_ON_DEVICE(bfloat162ushort_ru)
TRUTH_ON_DEVICE(ushort2bfloat16_rz)
TRUTH_ON_DEVICE(ushort2bfloat16_rd)
TRUTH_ON_DEVICE(ushort2bfloat16_ru)
TRUTH_ON_DEVICE(bfloat162ull_rn)
TRUTH_ON_DEVICE(bfloat162ull_rd)
TRUTH_ON_DEVICE(bfloat162ull_ru)
TRUTH_ON_DEVICE(ull2bfloat16_rz)
TRUTH_ON_DEVICE(ull2bfloat16_rd)
TRUTH_ON_DEVICE(ull2bfloat16_ru)
TRUTH_ON_DEVICE(bfloat162ll_rn)
TRUTH_ON_DEVICE(bfloat162ll_rd)
TRUTH_ON_DEVICE(bfloat162ll_ru)
TRUTH_ON_DEVICE(ll2bfloat16_rz)
TRUTH_ON_DEVICE(ll2bfloat16_rd)
TRUTH_ON_DEVICE(ll2bfloat16_ru)
#define __half2int_rn truth_half2int_rn
#define __half2int_rd truth_half2int_rd
#define __half2int_ru truth_half2int_ru
#define __half2short_rn truth_half2short_rn
#define __half2short_rd truth_half2short_rd
#define __half2short_ru truth_half2short_ru
#define __half2uint_rn truth_half2uint_rn
#define __half2uint_rd truth_half2uint_rd
#define __half2uint_ru truth_half2uint_ru
#define __half2ushort_rn truth_half2ushort_rn
#define __half2ushort_rd truth_half2ushort_rd
#define __half2ushort_ru truth_half2ushort_ru
#define __half2ull_rn truth_half2ull_rn
#define __half2ull_rd truth_half2ull_rd
#define __half2ull_ru truth_half2ull_ru
#define __half2ll_rn truth_half2ll_rn
#define __half2ll_rd truth_half2ll_rd
#define __half2ll_ru truth_half2ll_ru
#define __bfloat162int_rn truth_bfloat162int_rn
#define __bfloat162int_rd truth_bfloat162int_rd
#define __bfloat162int_ru truth_bfloat162int_ru
#define __int2bfloat16_rz truth_int2bfloat16_rz
#define __int2bfloat16_rd truth_int2bfloat16_rd
#define __int2bfloat16_ru truth_int2bfloat16_ru
#define __bfloat162short_rn truth_bfloat162short_rn
#define __bfloat162short_rd truth_bfloat162short_rd
#define __bfloat162short_ru truth_bfloat162short_ru
#define __short2bfloat16_rz truth_short2bfloat16_rz
#define __short2bfloat16_rd truth_short2bfloat16_rd
#define __short2bfloat16_ru truth_short2bfloat16_ru
#define __bfloat162uint_rn truth_bfloat162uint_rn
#define __bfloat162uint_rd truth_bfloat162uint_rd
#define __bfloat162uint_ru truth_bfloat162uint_ru
#define __uint2bfloat16_rz truth_uint2bfloat16_rz
#define __uint2bfloat16_rd truth_uint2bfloat16_rd
#define __uint2bfloat16_ru truth_uint2bfloat16_ru
#define __bfloat162ushort_rn truth_bfloat162ushort_rn
#define __bfloat162ushort_rd truth_bfloat162ushort_rd
#define __bfloat162ushort_ru truth_bfloat162ushort_ru
#define __ushort2bfloat16_rz truth_ushort2bfloat16_rz
#define __ushort2bfloat16_rd truth_ushort2bfloat16_rd
#define __ushort2bfloat16_ru truth_ushort2bfloat16_ru
#define __bfloat162ull_rn truth_bfloat162ull_rn
#define __bfloat162ull_rd truth_bfloat162ull_rd
#define __bfloat162ull_ru truth_bfloat162ull_ru
#define __ull2bfloat16_rz truth_ull2bfloat16_rz
#define __ull2bfloat16_rd truth_ull2bfloat16_rd
#define __ull2bfloat16_ru truth_ull2bfloat16_ru
#define __bfloat162ll_rn truth_bfloat162ll_rn
#define __bfloat162ll_rd truth_bfloat162ll_rd
#define __bfloat162ll_ru truth_bfloat162ll_ru
#define __ll2bfloat16_rz truth_ll2bfloat16_rz
#define __ll2bfloat16_rd truth_ll2bfloat16_rd
#define __ll2bfloat16_ru truth_ll2bfloat16_ru

// Functions of pairs, which CUDA has from sm_100.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000 || !defined(__CUDA_ARCH__)
#define TRUTH_OF_PAIRS(rounding)                                                             \
    static __device__ __forceinline__ float2 truth_fadd2_##rounding(float2 x, float2 y) {    \
        return {__fadd_##rounding(x.x, y.x), __fadd_##rounding(x.y, y.y)};                   \
    }                                                                                        \
    static __device__ __forceinline__ float2 truth_fmul2_##rounding(float2 x, float2 y) {    \
        return {__fmul_##rounding(x.x, y.x), __fmul_##rounding(x.y, y.y)};                   \
    }                                                                                        \
    static __device__ __forceinline__ float2 truth_ffma2_##rounding(float2 x, float2 y, float2 z) { \
        return {__fmaf_##rounding(x.x, y.x, z.x), __fmaf_##rounding(x.y, y.y, z.y)};         \
    }
TRUTH_OF_PAIRS(rn)
TRUTH_OF_PAIRS(rz)
TRUTH_OF_PAIRS(ru)
TRUTH_OF_PAIRS(rd)
#define __fadd2_rn truth_fadd2_rn
#define __fadd2_rz truth_fadd2_rz
#define __fadd2_ru truth_fadd2_ru
#define __fadd2_rd truth_fadd2_rd
#define __fmul2_rn truth_fmul2_rn
#define __fmul2_rz truth_fmul2_rz
#define __fmul2_ru truth_fmul2_ru
#define __fmul2_rd truth_fmul2_rd
#define __ffma2_rn truth_ffma2_rn
#define __ffma2_rz truth_ffma2_rz
#define __ffma2_ru truth_ffma2_ru
#define __ffma2_rd truth_ffma2_rd
#endif
#endif

// CUDA 12's name and parameters, which MUSA has.
static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                                      const cudaGraphNode_t** dependencies = nullptr,
                                                      size_t* count = nullptr) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                            size_t* count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
