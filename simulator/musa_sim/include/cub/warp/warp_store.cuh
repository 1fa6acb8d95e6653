/* WarpStore: items from the threads of a logical warp to memory; see block_store.cuh. */
#ifndef MUSA_CUB_WARP_STORE_CUH
#define MUSA_CUB_WARP_STORE_CUH

#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

template <class T, int ItemsPerThread, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int LogicalWarpThreads = 32,
          int = 0>
class WarpStore {
public:
    struct TempStorage : Uninitialized<NullType> {};

    __device__ __forceinline__ WarpStore() {}
    __device__ __forceinline__ explicit WarpStore(TempStorage &) {}

    template <class Iterator, class... Bounds>
    __device__ __forceinline__ void Store(Iterator to, T (&items)[ItemsPerThread], Bounds... bounds) {
        const int rank = detail::LogicalWarp<LogicalWarpThreads>::rank();
        if constexpr (Algorithm == WARP_STORE_STRIPED) {
            StoreDirectStriped<LogicalWarpThreads>(rank, to, items, bounds...);
        } else {
            StoreDirectBlocked(rank, to, items, bounds...);
        }
    }
};

CUB_NAMESPACE_END

#endif

#endif
