/* Operations between chosen lanes of the caller's own 32: what cooperative_groups.h and cub are
 * made of.
 *
 * mcc only. Unlike the functions of warp_functions.h these never concern more than 32 lanes, also
 * where MUSA_SIM_WARP=128 makes warps wider, and they move values of any size.
 */
#ifndef MUSA_SIM_LANE_FUNCTIONS_H
#define MUSA_SIM_LANE_FUNCTIONS_H

#include <musa_sim/integer_functions.h>
#include <musa_sim/runtime_functions.h>
#include <musa_sim/warp_functions.h>

namespace musa_sim_detail {

/* The thread's number in its block, x fastest. */
__device__ __forceinline__ unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ __forceinline__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
/* 0 to 31, whatever the warp size. */
__device__ __forceinline__ unsigned lane() { return thread_rank() & 31; }

/* The lanes of the caller's 32 that exist: fewer in the last warp of a block. */
__device__ __forceinline__ unsigned existing_lanes() {
    const unsigned left = block_size() - (thread_rank() & ~31u);
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}

__device__ __forceinline__ void lanes_sync(unsigned mask) { __musa_sim_sync_lanes(mask, 0, 0, 0); }
/* The same for a group, all of whose threads have to come: one that has exited is a defect. */
__device__ __forceinline__ void group_sync(unsigned mask) { __musa_sim_sync_lanes(mask, 5, 0, 0); }

/* The value of lane `source`; the caller's own if that lane does not take part. */
template <class T>
__device__ __forceinline__ T lanes_shuffle(unsigned mask, const T& value, unsigned source) {
    constexpr int words = (sizeof(T) + 7) / 8;
    unsigned long long bits[words] = {};
    __builtin_memcpy(bits, static_cast<const void*>(&value), sizeof(T));
    for (int i = 0; i < words; ++i) {
        bits[i] = __musa_sim_sync_lanes(mask, 1, bits[i], static_cast<int>(source));
    }
    T result = value;
    __builtin_memcpy(static_cast<void*>(&result), bits, sizeof(T));
    return result;
}

__device__ __forceinline__ unsigned lanes_ballot(unsigned mask, bool predicate) {
    return static_cast<unsigned>(__musa_sim_sync_lanes(mask, 2, predicate, 0));
}

/* The lanes of the mask that hold the caller's value. */
template <class T>
__device__ __forceinline__ unsigned lanes_match_any(unsigned mask, const T& value) {
    return static_cast<unsigned>(__musa_sim_sync_lanes(mask, 3, __musa_sim_to_bits(value), 0));
}
/* The mask if all its lanes hold the same value, else 0. */
template <class T>
__device__ __forceinline__ unsigned lanes_match_all(unsigned mask, const T& value) {
    return static_cast<unsigned>(__musa_sim_sync_lanes(mask, 4, __musa_sim_to_bits(value), 0));
}

/* How many lanes of the mask come before the caller. */
__device__ __forceinline__ unsigned rank_in(unsigned mask) {
    return static_cast<unsigned>(__popc(static_cast<int>(mask & ((1u << lane()) - 1))));
}

/* The lane that is number `rank` in the mask; 32 if there are not so many. */
__device__ __forceinline__ unsigned lane_at(unsigned mask, unsigned rank) {
        const unsigned lowest = mask & (0u - mask);
    const bool in_a_row = ((mask + lowest) & mask) == 0;
    if (in_a_row) mask = rank < 32 ? mask & (lowest << rank) : 0;
    for (unsigned i = 0; i < rank && !in_a_row; ++i) mask &= mask - 1;
    return mask ? static_cast<unsigned>(__ffs(static_cast<int>(mask)) - 1) : 32;
}

/* A bit per lane becomes a bit per member of the mask. */
__device__ __forceinline__ unsigned packed(unsigned bits, unsigned mask) {
    unsigned result = 0;
    for (unsigned rank = 0; mask; ++rank, mask &= mask - 1) {
        if (bits & mask & (0u - mask)) result |= 1u << rank;
    }
    return result;
}

}  // namespace musa_sim_detail

#endif
