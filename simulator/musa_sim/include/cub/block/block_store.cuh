/* BlockStore and the functions underneath: items from the threads of a block to memory. See block_load.cuh. */
#ifndef MUSA_CUB_BLOCK_STORE_CUH
#define MUSA_CUB_BLOCK_STORE_CUH

#include <cub/block/block_exchange.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int Items, class Iterator>
__device__ __forceinline__ void StoreDirectBlocked(int rank, Iterator to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[rank * Items + i] = items[i];
}
template <class T, int Items, class Iterator>
__device__ __forceinline__ void StoreDirectBlocked(int rank, Iterator to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items && rank * Items + i < valid; ++i) to[rank * Items + i] = items[i];
}
template <class T, int Items>
__device__ __forceinline__ void StoreDirectBlockedVectorized(int rank, T *to, T (&items)[Items]) {
    StoreDirectBlocked(rank, to, items);
}
template <int BlockThreads, class T, int Items, class Iterator>
__device__ __forceinline__ void StoreDirectStriped(int rank, Iterator to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[i * BlockThreads + rank] = items[i];
}
template <int BlockThreads, class T, int Items, class Iterator>
__device__ __forceinline__ void StoreDirectStriped(int rank, Iterator to, T (&items)[Items], int valid) {
    for (int i = 0; i < Items && i * BlockThreads + rank < valid; ++i) to[i * BlockThreads + rank] = items[i];
}

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int BlockDimX, int ItemsPerThread, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockStore {
public:
    struct TempStorage : Uninitialized<NullType> {};

    __device__ __forceinline__ BlockStore() {}
    __device__ __forceinline__ explicit BlockStore(TempStorage &) {}

    /* Valid: nothing, or the number of items to write. */
    template <class Iterator, class... Valid>
    __device__ __forceinline__ void Store(Iterator to, T (&items)[ItemsPerThread], Valid... valid) {
        const int rank = RowMajorTid(BlockDimX, BlockDimY, BlockDimZ);
        if constexpr (Algorithm == BLOCK_STORE_STRIPED) {
            StoreDirectStriped<BlockDimX * BlockDimY * BlockDimZ>(rank, to, items, valid...);
        } else {
            StoreDirectBlocked(rank, to, items, valid...);
        }
    }
};

CUB_NAMESPACE_END

#endif

#endif
