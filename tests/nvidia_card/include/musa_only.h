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

// Conversions of integers to bfloat16: functions of the device alone in CUDA's header. A run that needs them on the
// host is not for a card (differences.toml).
#define TRUTH_ON_DEVICE(name)                                             \
    __host__ __device__ __forceinline__ __nv_bfloat16 truth_##name(int x) { \
        (void)x;                                                          \
        __nv_bfloat16 result = {};                                        \
        NV_IF_TARGET(NV_IS_DEVICE, (result = __##name(x);))               \
        return result;                                                    \
    }
#include <nv/target>
TRUTH_ON_DEVICE(int2bfloat16_rz)
TRUTH_ON_DEVICE(int2bfloat16_ru)
TRUTH_ON_DEVICE(int2bfloat16_rd)
#define __int2bfloat16_rz truth_int2bfloat16_rz
#define __int2bfloat16_ru truth_int2bfloat16_ru
#define __int2bfloat16_rd truth_int2bfloat16_rd
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
