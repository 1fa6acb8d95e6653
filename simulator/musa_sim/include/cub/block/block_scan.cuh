/* BlockScan: prefix sums across a block.
 *
 * One thread scans what all have written, in the order of their numbers; see block_reduce.cuh. All algorithms are this
 * one. A callback for the prefix is called by the first 32 threads with the block's aggregate, and what it returns to
 * thread 0 comes before the block's first item.
 */
#ifndef MUSA_CUB_BLOCK_SCAN_CUH
#define MUSA_CUB_BLOCK_SCAN_CUH

#include <cub/block/block_raking_layout.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/util_ptx.cuh>
#include <cub/warp/warp_scan.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int BlockDimX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int BlockDimY = 1, int BlockDimZ = 1,
          int = 0>
class BlockScan {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T values[block_threads];
        T prefix;
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockScan() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockScan(TempStorage &storage) : storage_(storage.Alias()) {}

        /* --- sums: Extra is nothing, T& for the aggregate, or a callback for the prefix --- */

    template <class... Extra>
    __device__ __forceinline__ void InclusiveSum(T input, T &output, Extra &...extra) {
        InclusiveScan(input, output, cub::Sum(), extra...);
    }
    template <int Items, class... Extra>
    __device__ __forceinline__ void InclusiveSum(T (&input)[Items], T (&output)[Items], Extra &...extra) {
        InclusiveScan(input, output, cub::Sum(), extra...);
    }

    __device__ __forceinline__ void ExclusiveSum(T input, T &output) {
        ExclusiveScan(input, output, T(0), cub::Sum());
    }
    template <int Items>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
        ExclusiveScan(input, output, T(0), cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, T &aggregate) {
        ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
    }
    template <int Items>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items], T &aggregate) {
        ExclusiveScan(input, output, T(0), cub::Sum(), aggregate);
    }
    template <class Callback>
    __device__ __forceinline__ void ExclusiveSum(T input, T &output, Callback &callback) {
        ExclusiveScan(input, output, cub::Sum(), callback);
    }
    template <int Items, class Callback>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[Items], T (&output)[Items], Callback &callback) {
        ExclusiveScan(input, output, cub::Sum(), callback);
    }

    /* --- inclusive --- */

    template <class Operation>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Operation operation) {
        T aggregate;
        InclusiveScan(input, output, operation, aggregate);
    }
    template <class Operation>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Operation operation, T &aggregate) {
        Scanned scanned = before_me(input, operation, aggregate);
        output = scanned.first ? input : operation(scanned.before, input);
    }
    template <class Operation, class Callback>
    __device__ __forceinline__ void InclusiveScan(T input, T &output, Operation operation, Callback &callback) {
        T prefix = prefixed(input, operation, callback);
        output = operation(prefix, input);
    }
    template <int Items, class Operation>
    __device__ __forceinline__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation) {
        T aggregate;
        InclusiveScan(input, output, operation, aggregate);
    }
    template <int Items, class Operation>
    __device__ __forceinline__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation,
                                                  T &aggregate) {
        Scanned scanned = before_me(internal::ThreadReduce(input, operation), operation, aggregate);
        T running = scanned.first ? input[0] : operation(scanned.before, input[0]);
        output[0] = running;
        for (int i = 1; i < Items; ++i) output[i] = running = operation(running, input[i]);
    }
    template <int Items, class Operation, class Callback>
    __device__ __forceinline__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation,
                                                  Callback &callback) {
        T running = prefixed(internal::ThreadReduce(input, operation), operation, callback);
        for (int i = 0; i < Items; ++i) output[i] = running = operation(running, input[i]);
    }

    /* --- exclusive, with an initial value; the aggregate is without it --- */

    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Operation operation) {
        T aggregate;
        ExclusiveScan(input, output, initial, operation, aggregate);
    }
    template <class Operation>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, T initial, Operation operation, T &aggregate) {
        Scanned scanned = before_me(input, operation, aggregate);
        output = scanned.first ? initial : operation(initial, scanned.before);
    }
    template <int Items, class Operation>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial,
                                                  Operation operation) {
        T aggregate;
        ExclusiveScan(input, output, initial, operation, aggregate);
    }
    template <int Items, class Operation>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial,
                                                  Operation operation, T &aggregate) {
        Scanned scanned = before_me(internal::ThreadReduce(input, operation), operation, aggregate);
        shifted(input, output, operation, scanned.first ? initial : operation(initial, scanned.before));
    }

    /* --- exclusive, with a callback for the prefix --- */

    template <class Operation, class Callback>
    __device__ __forceinline__ void ExclusiveScan(T input, T &output, Operation operation, Callback &callback) {
        output = prefixed(input, operation, callback);
    }
    template <int Items, class Operation, class Callback>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], Operation operation,
                                                  Callback &callback) {
        shifted(input, output, operation, prefixed(internal::ThreadReduce(input, operation), operation, callback));
    }

private:
    struct Scanned {
        bool first;
        T before;  // the aggregate of all threads before the caller; undefined for the first
    };

    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }

    template <class Operation>
    __device__ __forceinline__ Scanned before_me(T mine, Operation operation, T &aggregate) {
        storage_.values[rank()] = mine;
        __syncthreads();
        if (rank() == 0) {
            for (int i = 1; i < block_threads; ++i) {
                storage_.values[i] = operation(storage_.values[i - 1], storage_.values[i]);
            }
        }
        __syncthreads();
        aggregate = storage_.values[block_threads - 1];
        const int at = rank();
        return {at == 0, storage_.values[at == 0 ? 0 : at - 1]};
    }

    /* Return the prefix of the caller's first item. */
    template <class Operation, class Callback>
    __device__ __forceinline__ T prefixed(T mine, Operation operation, Callback &callback) {
        T aggregate;
        Scanned scanned = before_me(mine, operation, aggregate);
        if (rank() < 32) {
            T prefix = callback(aggregate);
            if (rank() == 0) storage_.prefix = prefix;
        }
        __syncthreads();
        return scanned.first ? storage_.prefix : operation(storage_.prefix, scanned.before);
    }

    template <int Items, class Operation>
    __device__ __forceinline__ static void shifted(T (&input)[Items], T (&output)[Items], Operation operation,
                                                   T running) {
        for (int i = 0; i < Items; ++i) {
            T value = input[i];  // input and output may be the same array
            output[i] = running;
            running = operation(running, value);
        }
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
