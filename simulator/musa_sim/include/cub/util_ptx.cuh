/* Lanes, thread numbers and shuffles of values of any type. Logical warps have at most 32 threads. */
#ifndef MUSA_CUB_UTIL_PTX_CUH
#define MUSA_CUB_UTIL_PTX_CUH

#include <cub/util_type.cuh>

#if defined(__MUSACC__)

#include <musa_sim/lane_functions.h>

CUB_NAMESPACE_BEGIN

__device__ __forceinline__ unsigned LaneId() { return musa_sim_detail::lane(); }
__device__ __forceinline__ unsigned WarpId() { return musa_sim_detail::thread_rank() / 32; }
__device__ __forceinline__ unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
__device__ __forceinline__ unsigned LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
__device__ __forceinline__ unsigned LaneMaskGt() { return ~LaneMaskLe(); }
__device__ __forceinline__ unsigned LaneMaskGe() { return ~LaneMaskLt(); }

__device__ __forceinline__ int RowMajorTid(int block_dim_x, int block_dim_y, int) {
    return static_cast<int>(threadIdx.x + block_dim_x * (threadIdx.y + block_dim_y * threadIdx.z));
}

__device__ __forceinline__ void WARP_SYNC(unsigned mask) { musa_sim_detail::lanes_sync(mask); }
__device__ __forceinline__ int WARP_ANY(int predicate, unsigned mask) {
    return musa_sim_detail::lanes_ballot(mask, predicate != 0) != 0;
}
__device__ __forceinline__ int WARP_ALL(int predicate, unsigned mask) {
    return musa_sim_detail::lanes_ballot(mask, predicate == 0) == 0;
}
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask) {
    return musa_sim_detail::lanes_ballot(mask, predicate != 0);
}
__device__ __forceinline__ void CTA_SYNC() { __syncthreads(); }
__device__ __forceinline__ int CTA_SYNC_AND(int predicate) { return __syncthreads_and(predicate); }
__device__ __forceinline__ int CTA_SYNC_OR(int predicate) { return __syncthreads_or(predicate); }

/* The lanes of the logical warp with that number. */
template <int LogicalWarpThreads, int = 0>
__device__ __forceinline__ unsigned WarpMask(unsigned warp_id) {
    if (LogicalWarpThreads == 32) return 0xffffffffu;
    return ((1u << (LogicalWarpThreads & 31)) - 1) << (warp_id * LogicalWarpThreads);
}

/* The value of the lane `offset` before the caller, or the caller's own value if that lane is before `first_thread`.
 * Both count within the logical warp. */
template <int LogicalWarpThreads, class T>
__device__ __forceinline__ T ShuffleUp(T input, int offset, int first_thread, unsigned mask) {
    const int lane = static_cast<int>(LaneId());
    const int rank = lane % LogicalWarpThreads;
    const int source = rank - offset < first_thread ? lane : lane - offset;
    return musa_sim_detail::lanes_shuffle(mask, input, static_cast<unsigned>(source));
}

template <int LogicalWarpThreads, class T>
__device__ __forceinline__ T ShuffleDown(T input, int offset, int last_thread, unsigned mask) {
    const int lane = static_cast<int>(LaneId());
    const int rank = lane % LogicalWarpThreads;
    const int source = rank + offset > last_thread ? lane : lane + offset;
    return musa_sim_detail::lanes_shuffle(mask, input, static_cast<unsigned>(source));
}

template <int LogicalWarpThreads, class T>
__device__ __forceinline__ T ShuffleIndex(T input, int rank, unsigned mask) {
    const int lane = static_cast<int>(LaneId());
    const int source = lane - lane % LogicalWarpThreads + rank % LogicalWarpThreads;
    return musa_sim_detail::lanes_shuffle(mask, input, static_cast<unsigned>(source));
}

CUB_NAMESPACE_END

#endif

#endif
