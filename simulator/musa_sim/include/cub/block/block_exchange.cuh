/* BlockExchange: items change threads.
 *
 * Blocked: thread t has items t * Items + i. Striped: items i * threads + t. Warp-striped: striped within each 32
 * threads, whose items are in a row.
 */
#ifndef MUSA_CUB_BLOCK_EXCHANGE_CUH
#define MUSA_CUB_BLOCK_EXCHANGE_CUH

#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class T, int BlockDimX, int ItemsPerThread, bool WarpTimeSlicing = false, int BlockDimY = 1,
          int BlockDimZ = 1, int = 0>
class BlockExchange {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    struct Storage {
        T items[block_threads * ItemsPerThread];
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockExchange() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockExchange(TempStorage &storage) : storage_(storage.Alias()) {}

    template <class Out>
    __device__ __forceinline__ void StripedToBlocked(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, striped, blocked);
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToStriped(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, blocked, striped);
    }
    template <class Out>
    __device__ __forceinline__ void WarpStripedToBlocked(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, warp_striped, blocked);
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToWarpStriped(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread]) {
        exchange(in, out, blocked, warp_striped);
    }
    __device__ __forceinline__ void StripedToBlocked(T (&items)[ItemsPerThread]) { StripedToBlocked(items, items); }
    __device__ __forceinline__ void BlockedToStriped(T (&items)[ItemsPerThread]) { BlockedToStriped(items, items); }
    __device__ __forceinline__ void WarpStripedToBlocked(T (&items)[ItemsPerThread]) {
        WarpStripedToBlocked(items, items);
    }
    __device__ __forceinline__ void BlockedToWarpStriped(T (&items)[ItemsPerThread]) {
        BlockedToWarpStriped(items, items);
    }

    /* Move item i to position ranks[i] of the block. */
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToBlocked(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread],
                                                     const Offset (&ranks)[ItemsPerThread]) {
        exchange(in, out, [&](int i) { return static_cast<int>(ranks[i]); }, blocked);
    }
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToStriped(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread],
                                                     const Offset (&ranks)[ItemsPerThread]) {
        exchange(in, out, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    template <class Offset>
    __device__ __forceinline__ void ScatterToBlocked(T (&items)[ItemsPerThread], const Offset (&ranks)[ItemsPerThread]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <class Offset>
    __device__ __forceinline__ void ScatterToStriped(T (&items)[ItemsPerThread], const Offset (&ranks)[ItemsPerThread]) {
        ScatterToStriped(items, items, ranks);
    }
    /* Drop items with a negative rank. */
    template <class Out, class Offset>
    __device__ __forceinline__ void ScatterToStripedGuarded(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread],
                                                            const Offset (&ranks)[ItemsPerThread]) {
        exchange(in, out, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }

private:
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static int blocked(int i) { return rank() * ItemsPerThread + i; }
    __device__ __forceinline__ static int striped(int i) { return i * block_threads + rank(); }
    __device__ __forceinline__ static int warp_striped(int i) {
        constexpr int most = 32;
        const int first = rank() / most * most;
        const int threads = CUB_MIN(most, block_threads - first);
        return first * ItemsPerThread + i * threads + rank() - first;
    }

    template <class Out, class From, class To>
    __device__ __forceinline__ void exchange(const T (&in)[ItemsPerThread], Out (&out)[ItemsPerThread], From from,
                                             To to) {
        for (int i = 0; i < ItemsPerThread; ++i) {
            const int target = from(i);
            if (target >= 0) storage_.items[target] = in[i];
        }
        __syncthreads();
        for (int i = 0; i < ItemsPerThread; ++i) out[i] = storage_.items[to(i)];
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
