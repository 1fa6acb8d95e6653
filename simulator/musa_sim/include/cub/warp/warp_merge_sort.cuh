/* WarpMergeSort: sorts the items of a logical warp; see block_merge_sort.cuh. */
#ifndef MUSA_CUB_WARP_MERGE_SORT_CUH
#define MUSA_CUB_WARP_MERGE_SORT_CUH

#include <cub/block/block_merge_sort.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

namespace detail {
template <int LogicalWarpThreads>
struct LogicalWarp {
    __device__ __forceinline__ static int rank() { return static_cast<int>(LaneId()) % LogicalWarpThreads; }
    __device__ __forceinline__ static unsigned mask() {
        return WarpMask<LogicalWarpThreads>(LaneId() / LogicalWarpThreads) & musa_sim_detail::existing_lanes();
    }
    __device__ __forceinline__ static void sync() { WARP_SYNC(mask()); }
};
}  // namespace detail

template <class Key, int ItemsPerThread, int LogicalWarpThreads = 32, class Value = NullType, int = 1>
class WarpMergeSort : public BlockMergeSortStrategy<Key, Value, LogicalWarpThreads, ItemsPerThread,
                                                    detail::LogicalWarp<LogicalWarpThreads>> {
    using Base = BlockMergeSortStrategy<Key, Value, LogicalWarpThreads, ItemsPerThread,
                                        detail::LogicalWarp<LogicalWarpThreads>>;

public:
    using TempStorage = typename Base::TempStorage;

    __device__ __forceinline__ explicit WarpMergeSort(TempStorage &storage) : Base(storage) {}
    __device__ __forceinline__ unsigned get_member_mask() const {
        return detail::LogicalWarp<LogicalWarpThreads>::mask();
    }
};

CUB_NAMESPACE_END

#endif

#endif
