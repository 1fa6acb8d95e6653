/* Shuffles, votes, matches and lane masks.
 *
 * mcc only. The types are those that Moore Threads documents: int, unsigned, long, long long, float
 * and double; musa_fp16.h and musa_bf16.h add theirs. Masks have 32 bits.
 */
#ifndef MUSA_SIM_WARP_FUNCTIONS_H
#define MUSA_SIM_WARP_FUNCTIONS_H

#include <musa_sim/builtin_variables.h>
#include <musa_sim/runtime_functions.h>
#include <musa_sim/synchronization.h>

__device__ __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
    __musa_sim_sync_warp(mask);
}

template <class T>
__device__ __forceinline__ unsigned long long __musa_sim_to_bits(T value) {
    static_assert(sizeof(T) <= sizeof(unsigned long long), "a shuffle moves at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
__device__ __forceinline__ T __musa_sim_from_bits(unsigned long long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T>
__device__ __forceinline__ T __musa_sim_shuffle(unsigned mask, T value, int kind, int argument,
                                                int width) {
    return __musa_sim_from_bits<T>(
        __musa_sim_sync_shuffle(mask, __musa_sim_to_bits(value), kind, argument, width));
}

/* musa_fp16.h and musa_bf16.h use it too. */
#define MUSA_SIM_SHUFFLES(T)                                                              \
    __device__ __forceinline__ T __shfl_sync(unsigned mask, T value, int lane,            \
                                             int width = warpSize) {                      \
        return __musa_sim_shuffle(mask, value, 0, lane, width);                           \
    }                                                                                     \
    __device__ __forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta,   \
                                                int width = warpSize) {                   \
        return __musa_sim_shuffle(mask, value, 1, static_cast<int>(delta), width);        \
    }                                                                                     \
    __device__ __forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, \
                                                  int width = warpSize) {                 \
        return __musa_sim_shuffle(mask, value, 2, static_cast<int>(delta), width);        \
    }                                                                                     \
    __device__ __forceinline__ T __shfl_xor_sync(unsigned mask, T value, int lanes,       \
                                                 int width = warpSize) {                  \
        return __musa_sim_shuffle(mask, value, 3, lanes, width);                          \
    }

MUSA_SIM_SHUFFLES(int)
MUSA_SIM_SHUFFLES(unsigned)
MUSA_SIM_SHUFFLES(long)
MUSA_SIM_SHUFFLES(unsigned long)
MUSA_SIM_SHUFFLES(long long)
MUSA_SIM_SHUFFLES(unsigned long long)
MUSA_SIM_SHUFFLES(float)
MUSA_SIM_SHUFFLES(double)

/* The forms without a mask, of the lanes that are together (muAlg calls the first, pytorch_sparse those of __half) */
#define MUSA_SIM_SHUFFLES_OF_ACTIVE(T)                                                                 \
    __device__ __forceinline__ T __shfl(T value, int lane, int width = warpSize) {                     \
        return __shfl_sync(__musa_sim_sync_converge(), value, lane, width);                            \
    }                                                                                                  \
    __device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {            \
        return __shfl_up_sync(__musa_sim_sync_converge(), value, delta, width);                        \
    }                                                                                                  \
    __device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {          \
        return __shfl_down_sync(__musa_sim_sync_converge(), value, delta, width);                      \
    }                                                                                                  \
    __device__ __forceinline__ T __shfl_xor(T value, int lanes, int width = warpSize) {                \
        return __shfl_xor_sync(__musa_sim_sync_converge(), value, lanes, width);                       \
    }
MUSA_SIM_SHUFFLES_OF_ACTIVE(int)
MUSA_SIM_SHUFFLES_OF_ACTIVE(unsigned)
MUSA_SIM_SHUFFLES_OF_ACTIVE(long)
MUSA_SIM_SHUFFLES_OF_ACTIVE(unsigned long)
MUSA_SIM_SHUFFLES_OF_ACTIVE(long long)
MUSA_SIM_SHUFFLES_OF_ACTIVE(unsigned long long)
MUSA_SIM_SHUFFLES_OF_ACTIVE(float)
MUSA_SIM_SHUFFLES_OF_ACTIVE(double)

/* mcc's own name, by which torch_musa shuffles among the 128 lanes of mp_22 (extension/common/utils.muh). `segments` has the
 * last lane of a segment in its lower seven bits and the segment's mask in the next seven, as the operand of PTX's shfl. */
__device__ __forceinline__ int __musa_shfl_xor_sync_i32(int value, int lanes, int segments) {
    const int width = 128 - (segments >> 7 & 0x7f);
    return __shfl_xor_sync(0xffffffffu, value, lanes, width < warpSize ? width : warpSize);
}

__device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
    return __musa_sim_sync_ballot(mask, predicate);
}
__device__ __forceinline__ int __all_sync(unsigned mask, int predicate) {
    return __musa_sim_sync_vote(mask, 0, predicate);
}
__device__ __forceinline__ int __any_sync(unsigned mask, int predicate) {
    return __musa_sim_sync_vote(mask, 1, predicate);
}
__device__ __forceinline__ unsigned __activemask() { return __musa_sim_sync_converge(); }

template <class T>
__device__ __forceinline__ unsigned __match_any_sync(unsigned mask, T value) {
    return __musa_sim_sync_match(mask, __musa_sim_to_bits(value), 0);
}
template <class T>
__device__ __forceinline__ unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
    const unsigned lanes = __musa_sim_sync_match(mask, __musa_sim_to_bits(value), 1);
    *predicate = lanes != 0;
    return lanes;
}

/* MUSA's names for what CUDA code takes from PTX registers. */
__device__ __forceinline__ unsigned __get_laneid() {
    const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return rank & (__musa_sim_warp_size() - 1);
}
__device__ __forceinline__ unsigned __get_lanemask_eq() { return 1u << (__get_laneid() & 31); }
__device__ __forceinline__ unsigned __get_lanemask_lt() { return __get_lanemask_eq() - 1; }
__device__ __forceinline__ unsigned __get_lanemask_le() {
    return __get_lanemask_lt() | __get_lanemask_eq();
}
__device__ __forceinline__ unsigned __get_lanemask_gt() { return ~__get_lanemask_le(); }
__device__ __forceinline__ unsigned __get_lanemask_ge() { return ~__get_lanemask_lt(); }

#endif
