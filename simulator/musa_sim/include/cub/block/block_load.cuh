/* BlockLoad and the functions underneath: items from memory to the threads of a block.
 *
 * Every algorithm but BLOCK_LOAD_STRIPED gives thread t the items from t * ItemsPerThread on. How real ones read memory
 * makes them fast on a GPU and means nothing here, so they are one loop, without barriers.
 */
#ifndef MUSA_CUB_BLOCK_LOAD_CUH
#define MUSA_CUB_BLOCK_LOAD_CUH

#include <cub/block/block_exchange.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectBlocked(int rank, Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[rank * Items + i];
}
template <class T, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectBlocked(int rank, Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items && rank * Items + i < valid; ++i) items[i] = from[rank * Items + i];
}
template <class T, class Default, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectBlocked(int rank, Iterator from, T (&items)[Items], int valid,
                                                  Default out_of_bounds) {
    for (int i = 0; i < Items; ++i) items[i] = out_of_bounds;
    LoadDirectBlocked(rank, from, items, valid);
}
template <class T, int Items>
__device__ __forceinline__ void LoadDirectBlockedVectorized(int rank, T *from, T (&items)[Items]) {
    LoadDirectBlocked(rank, from, items);
}

template <int BlockThreads, class T, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectStriped(int rank, Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[i * BlockThreads + rank];
}
template <int BlockThreads, class T, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectStriped(int rank, Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items && i * BlockThreads + rank < valid; ++i) items[i] = from[i * BlockThreads + rank];
}
template <int BlockThreads, class T, class Default, int Items, class Iterator>
__device__ __forceinline__ void LoadDirectStriped(int rank, Iterator from, T (&items)[Items], int valid,
                                                  Default out_of_bounds) {
    for (int i = 0; i < Items; ++i) items[i] = out_of_bounds;
    LoadDirectStriped<BlockThreads>(rank, from, items, valid);
}

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};

template <class T, int BlockDimX, int ItemsPerThread, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT,
          int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockLoad {
public:
    struct TempStorage : Uninitialized<NullType> {};

    __device__ __forceinline__ BlockLoad() {}
    __device__ __forceinline__ explicit BlockLoad(TempStorage &) {}

    /* Bounds: nothing, the number of valid items, or that number and a value for the other items. */
    template <class Iterator, class... Bounds>
    __device__ __forceinline__ void Load(Iterator from, T (&items)[ItemsPerThread], Bounds... bounds) {
        const int rank = RowMajorTid(BlockDimX, BlockDimY, BlockDimZ);
        if constexpr (Algorithm == BLOCK_LOAD_STRIPED) {
            LoadDirectStriped<BlockDimX * BlockDimY * BlockDimZ>(rank, from, items, bounds...);
        } else {
            LoadDirectBlocked(rank, from, items, bounds...);
        }
    }
};

CUB_NAMESPACE_END

#endif

#endif
