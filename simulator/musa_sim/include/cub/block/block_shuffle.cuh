/* BlockShuffle: a thread reads what another thread of the block holds. */
#ifndef MUSA_CUB_BLOCK_SHUFFLE_CUH
#define MUSA_CUB_BLOCK_SHUFFLE_CUH

#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockShuffle {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T values[block_threads];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockShuffle() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockShuffle(TempStorage &storage) : storage_(storage.Alias()) {}

    /* Read from thread rank + distance. Beyond the block's ends the output is not changed. */
    __device__ __forceinline__ void Offset(T input, T &output, int distance = 1) {
        share(input);
        const int source = rank() + distance;
        if (source >= 0 && source < block_threads) output = storage_.values[source];
    }
    /* The same, around the block's ends. */
    __device__ __forceinline__ void Rotate(T input, T &output, unsigned distance = 1) {
        share(input);
        output = storage_.values[(static_cast<unsigned>(rank()) + distance) % block_threads];
    }
    /* Move all items up by one position; the first thread keeps its first item. */
    template <int Items>
    __device__ __forceinline__ void Up(T (&input)[Items], T (&previous)[Items]) {
        share(input[Items - 1]);
        for (int i = Items - 1; i > 0; --i) previous[i] = input[i - 1];
        if (rank() > 0) previous[0] = storage_.values[rank() - 1];
    }
    /* Move all items down by one position; the last thread keeps its last item. */
    template <int Items>
    __device__ __forceinline__ void Down(T (&input)[Items], T (&next)[Items]) {
        share(input[0]);
        for (int i = 0; i < Items - 1; ++i) next[i] = input[i + 1];
        if (rank() < block_threads - 1) next[Items - 1] = storage_.values[rank() + 1];
    }

private:
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ void share(T value) {
        storage_.values[rank()] = value;
        __syncthreads();
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
