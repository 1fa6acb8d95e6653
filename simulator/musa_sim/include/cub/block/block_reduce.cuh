/* BlockReduce: reductions across a block. The result is thread 0's.
 *
 * One thread combines what all have written, in the order of their numbers: with threads that are fibers of one CPU
 * core, that takes one barrier and no more additions than any tree. All algorithms are this one.
 */
#ifndef MUSA_CUB_BLOCK_REDUCE_CUH
#define MUSA_CUB_BLOCK_REDUCE_CUH

#include <cub/block/block_raking_layout.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/util_ptx.cuh>
#include <cub/warp/warp_reduce.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
};

template <class T, int BlockDimX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockDimY = 1,
          int BlockDimZ = 1, int = 0>
class BlockReduce {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T values[block_threads];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockReduce() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockReduce(TempStorage &storage) : storage_(storage.Alias()) {}

    template <class Operation>
    __device__ __forceinline__ T Reduce(T input, Operation operation) {
        return Reduce(input, operation, block_threads);
    }
    template <int Items, class Operation>
    __device__ __forceinline__ T Reduce(T (&inputs)[Items], Operation operation) {
        return Reduce(internal::ThreadReduce(inputs, operation), operation);
    }
    /* Reduce the items of the first `valid` threads. More than there are means all: some programs count items, of which
     * each thread has several. */
    template <class Operation>
    __device__ __forceinline__ T Reduce(T input, Operation operation, int valid) {
        const int rank = RowMajorTid(BlockDimX, BlockDimY, BlockDimZ);
        storage_.values[rank] = input;
        __syncthreads();
        if (rank != 0) return input;
        valid = CUB_MIN(valid, block_threads);
        for (int i = 1; i < valid; ++i) input = operation(input, storage_.values[i]);
        return input;
    }

    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    template <int Items>
    __device__ __forceinline__ T Sum(T (&inputs)[Items]) {
        return Reduce(inputs, cub::Sum());
    }
    __device__ __forceinline__ T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }

private:
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
