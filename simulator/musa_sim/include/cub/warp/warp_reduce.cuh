/* WarpReduce: reductions across a logical warp of up to 32 threads. The result is lane 0's. */
#ifndef MUSA_CUB_WARP_REDUCE_CUH
#define MUSA_CUB_WARP_REDUCE_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int LogicalWarpThreads = 32, int = 0>
class WarpReduce {
    static_assert(LogicalWarpThreads >= 1 && LogicalWarpThreads <= 32, "a logical warp has 1 to 32 threads");

public:
    struct TempStorage : Uninitialized<NullType> {};  // values go from lane to lane

    __device__ __forceinline__ explicit WarpReduce(TempStorage &) {}

    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ __forceinline__ T Sum(T input, int valid_items) { return Reduce(input, cub::Sum(), valid_items); }

    template <class Operation>
    __device__ __forceinline__ T Reduce(T input, Operation operation) {
        return Reduce(input, operation, LogicalWarpThreads);
    }
    /* Reduce the values of the first `valid_items` lanes. */
    template <class Operation>
    __device__ __forceinline__ T Reduce(T input, Operation operation, int valid_items) {
        return segment(input, operation, valid_items - 1);
    }

    /* A lane with `head_flag` begins a segment; the first lane of each gets its result. */
    template <class Flag>
    __device__ __forceinline__ T HeadSegmentedSum(T input, Flag head_flag) {
        return HeadSegmentedReduce(input, head_flag, cub::Sum());
    }
    template <class Flag, class Operation>
    __device__ __forceinline__ T HeadSegmentedReduce(T input, Flag head_flag, Operation operation) {
        return segment(input, operation, last_before(ballot(head_flag) >> 1));
    }
    /* A lane with `tail_flag` ends a segment. */
    template <class Flag>
    __device__ __forceinline__ T TailSegmentedSum(T input, Flag tail_flag) {
        return TailSegmentedReduce(input, tail_flag, cub::Sum());
    }
    template <class Flag, class Operation>
    __device__ __forceinline__ T TailSegmentedReduce(T input, Flag tail_flag, Operation operation) {
        return segment(input, operation, last_before(ballot(tail_flag)));
    }

private:
    __device__ __forceinline__ static int rank() { return static_cast<int>(LaneId()) % LogicalWarpThreads; }
    __device__ __forceinline__ static unsigned mask() {
        return WarpMask<LogicalWarpThreads>(LaneId() / LogicalWarpThreads) & musa_sim_detail::existing_lanes();
    }
    /* A bit per rank. */
    template <class Flag>
    __device__ __forceinline__ static unsigned ballot(Flag flag) {
        return WARP_BALLOT(flag ? 1 : 0, mask()) >> (LaneId() - static_cast<unsigned>(rank()));
    }
    /* Return the first rank, from the caller's on, whose bit is set; without one, the last rank. */
    __device__ __forceinline__ static int last_before(unsigned ends) {
        ends = ends >> rank() << rank();
        return ends ? __ffs(static_cast<int>(ends)) - 1 : LogicalWarpThreads - 1;
    }
    /* Combines the lanes from the caller's to `last` in their order. */
    template <class Operation>
        __device__ __forceinline__ static T segment(T value, Operation operation, int last) {
        last = CUB_MIN(last, __popc(static_cast<int>(mask())) - 1);  // a block may end within a warp

        for (int offset = 1; offset < LogicalWarpThreads; offset *= 2) {
            const T other = ShuffleDown<LogicalWarpThreads>(value, offset, last, mask());
            if (rank() + offset <= last) value = operation(value, other);
        }
        return value;
    }
};

CUB_NAMESPACE_END

#endif

#endif
