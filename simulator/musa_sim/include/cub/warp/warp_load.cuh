/* WarpLoad: items from memory to the threads of a logical warp; see block_load.cuh. */
#ifndef MUSA_CUB_WARP_LOAD_CUH
#define MUSA_CUB_WARP_LOAD_CUH

#include <cub/block/block_load.cuh>
#include <cub/warp/warp_exchange.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };

template <class T, int ItemsPerThread, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int LogicalWarpThreads = 32,
          int = 0>
class WarpLoad {
public:
    struct TempStorage : Uninitialized<NullType> {};

    __device__ __forceinline__ WarpLoad() {}
    __device__ __forceinline__ explicit WarpLoad(TempStorage &) {}

    /* Bounds: nothing, the number of valid items, or that number and a value for the other items. */
    template <class Iterator, class... Bounds>
    __device__ __forceinline__ void Load(Iterator from, T (&items)[ItemsPerThread], Bounds... bounds) {
        const int rank = detail::LogicalWarp<LogicalWarpThreads>::rank();
        if constexpr (Algorithm == WARP_LOAD_STRIPED) {
            LoadDirectStriped<LogicalWarpThreads>(rank, from, items, bounds...);
        } else {
            LoadDirectBlocked(rank, from, items, bounds...);
        }
    }
};

CUB_NAMESPACE_END

#endif

#endif
