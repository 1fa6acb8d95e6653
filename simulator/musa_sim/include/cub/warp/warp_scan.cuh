/* WarpScan: prefix sums across a logical warp of up to 32 threads. */
#ifndef MUSA_CUB_WARP_SCAN_CUH
#define MUSA_CUB_WARP_SCAN_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int LogicalWarpThreads = 32, int = 0>
class WarpScan {
    static_assert(LogicalWarpThreads >= 1 && LogicalWarpThreads <= 32, "a logical warp has 1 to 32 threads");

public:
    struct TempStorage : Uninitialized<NullType> {};  // values go from lane to lane

    __device__ __forceinline__ explicit WarpScan(TempStorage &) {}

    __device__ __forceinline__ void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    __device__ __forceinline__ void InclusiveSum(T input, T &output, T &aggregate) {
        InclusiveScan(input, output, cub::Sum(), aggregate);
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output) {
        ExclusiveScan(input, output, T(0), cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) {
        ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
    }

    template <class Operation>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Operation operation) {
        for (int offset = 1; offset < LogicalWarpThreads; offset *= 2) {
            const T before = ShuffleUp<LogicalWarpThreads>(input, offset, 0, mask());
            if (rank() >= offset) input = operation(before, input);
        }
        output = input;
    }
    template <class Operation>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Operation operation, T &aggregate) {
        InclusiveScan(input, output, operation);
        aggregate = Broadcast(output, last_rank());
    }

    /* Without an initial value the first lane's output is undefined; here it is the lane's input. */
    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Operation operation) {
        T inclusive;
        Scan(input, inclusive, output, operation);
    }
    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Operation operation) {
        T inclusive;
        Scan(input, inclusive, output, initial, operation);
    }
    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Operation operation, T &aggregate) {
        T inclusive;
        Scan(input, inclusive, output, operation);
        aggregate = Broadcast(inclusive, last_rank());
    }
    /* The aggregate excludes the initial value. */
    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Operation operation, T &aggregate) {
        T inclusive;
        InclusiveScan(input, inclusive, operation, aggregate);
        exclusive(inclusive, output, operation, initial);
    }

    template <class Operation>
    __device__ __forceinline__ void Scan(T input, T &inclusive, T &exclusive, Operation operation) {
        T result;
        InclusiveScan(input, result, operation);
        exclusive = ShuffleUp<LogicalWarpThreads>(result, 1, 0, mask());
        inclusive = result;
    }
    template <class Operation>
    __device__ __forceinline__ void Scan(T input, T &inclusive, T &exclusive_out, T initial, Operation operation) {
        T result;
        InclusiveScan(input, result, operation);
        exclusive(result, exclusive_out, operation, initial);
        inclusive = operation(initial, result);
    }

    __device__ __forceinline__ T Broadcast(T input, unsigned source) {
        return ShuffleIndex<LogicalWarpThreads>(input, static_cast<int>(source), mask());
    }

private:
    __device__ __forceinline__ static int rank() { return static_cast<int>(LaneId()) % LogicalWarpThreads; }
    __device__ __forceinline__ static unsigned mask() {
        return WarpMask<LogicalWarpThreads>(LaneId() / LogicalWarpThreads) & musa_sim_detail::existing_lanes();
    }
    __device__ __forceinline__ static unsigned last_rank() {
        return static_cast<unsigned>(__popc(static_cast<int>(mask()))) - 1;
    }
    template <class Operation>
    __device__ __forceinline__ static void exclusive(T inclusive, T &output, Operation operation, T initial) {
        const T before = ShuffleUp<LogicalWarpThreads>(inclusive, 1, 0, mask());
        output = rank() == 0 ? initial : operation(initial, before);
    }
};

CUB_NAMESPACE_END

#endif

#endif
