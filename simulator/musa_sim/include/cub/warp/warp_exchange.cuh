/* WarpExchange: items change threads within a logical warp; see block_exchange.cuh. */
#ifndef MUSA_CUB_WARP_EXCHANGE_CUH
#define MUSA_CUB_WARP_EXCHANGE_CUH

#include <cub/warp/warp_merge_sort.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int ItemsPerThread, int LogicalWarpThreads = 32, int = 0>
class WarpExchange {
    using Warp = detail::LogicalWarp<LogicalWarpThreads>;
    struct Storage {
        T items[LogicalWarpThreads * ItemsPerThread];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ explicit WarpExchange(TempStorage &storage) : storage_(storage.Alias()) {}

    template <class Out>
    __device__ __forceinline__ void BlockedToStriped(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, blocked, striped);
    }
    template <class Out>
    __device__ __forceinline__ void StripedToBlocked(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, striped, blocked);
    }
    /* Move item i to position ranks[i] of the warp. */
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToStriped(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread],
                                                     const Offset (&ranks)[ItemsPerThread]) {
        exchange(in, out, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    template <class Offset>
    __device__ __forceinline__ void ScatterToStriped(T (&items)[ItemsPerThread], const Offset (&ranks)[ItemsPerThread]) {
        ScatterToStriped(items, items, ranks);
    }

private:
    __device__ __forceinline__ static int blocked(int i) { return Warp::rank() * ItemsPerThread + i; }
    __device__ __forceinline__ static int striped(int i) { return i * LogicalWarpThreads + Warp::rank(); }

    template <class Out, class From, class To>
    __device__ __forceinline__ void exchange(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread], From from,
                                             To to) {
        for (int i = 0; i < ItemsPerThread; ++i) storage_.items[from(i)] = in[i];
        Warp::sync();
        for (int i = 0; i < ItemsPerThread; ++i) out[i] = storage_.items[to(i)];
        Warp::sync();
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
