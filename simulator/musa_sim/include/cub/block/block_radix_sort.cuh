/* BlockRadixSort: sorts the keys, and values with them, that the threads of a block hold. Stable.
 *
 * One thread finds the order of all keys; see block_reduce.cuh. Keys are what musa_sim/radix_keys.h says, or have
 * NumericTraits.
 */
#ifndef MUSA_CUB_BLOCK_RADIX_SORT_CUH
#define MUSA_CUB_BLOCK_RADIX_SORT_CUH

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/util_ptx.cuh>
#include <musa_sim/radix_keys.h>
#include <musa_sim/type_traits.h>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

template <class Key, int BlockDimX, int ItemsPerThread, class Value = NullType, int RadixBits = 4,
          bool MemoizeOuterScan = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int SharedMemoryConfig = 0,
          int BlockDimY = 1, int BlockDimZ = 1, int = 0>
class BlockRadixSort {
    static constexpr int block_threads = BlockDimX * BlockDimY * BlockDimZ;
    static constexpr int item_count = block_threads * ItemsPerThread;
    static constexpr int key_bits = static_cast<int>(sizeof(Key) * 8);
    using Index = musa_sim_detail::conditional_t<item_count <= 65536, unsigned short, unsigned>;
    struct Storage {
        union {
            Uninitialized<Key[item_count]> keys;
            Uninitialized<Value[item_count]> values;
        };
        Index order[2][item_count];
    };
    enum class Arrangement { blocked, striped };

public:
    struct TempStorage : Uninitialized<Storage> {};

    __device__ __forceinline__ BlockRadixSort() : storage_(private_storage()) {}
    __device__ __forceinline__ explicit BlockRadixSort(TempStorage &storage) : storage_(storage.Alias()) {}

    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], int begin_bit = 0, int end_bit = key_bits) {
        sort(keys, {begin_bit, end_bit, false}, Arrangement::blocked);
    }
    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread],
                                         int begin_bit = 0, int end_bit = key_bits) {
        sort(keys, values, {begin_bit, end_bit, false}, Arrangement::blocked);
    }
    __device__ __forceinline__ void SortDescending(Key (&keys)[ItemsPerThread], int begin_bit = 0,
                                                   int end_bit = key_bits) {
        sort(keys, {begin_bit, end_bit, true}, Arrangement::blocked);
    }
    __device__ __forceinline__ void SortDescending(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread],
                                                   int begin_bit = 0, int end_bit = key_bits) {
        sort(keys, values, {begin_bit, end_bit, true}, Arrangement::blocked);
    }
    __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[ItemsPerThread], int begin_bit = 0,
                                                         int end_bit = key_bits) {
        sort(keys, {begin_bit, end_bit, false}, Arrangement::striped);
    }
    __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread],
                                                         int begin_bit = 0, int end_bit = key_bits) {
        sort(keys, values, {begin_bit, end_bit, false}, Arrangement::striped);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(Key (&keys)[ItemsPerThread], int begin_bit = 0,
                                                                   int end_bit = key_bits) {
        sort(keys, {begin_bit, end_bit, true}, Arrangement::striped);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(Key (&keys)[ItemsPerThread],
                                                                   Value (&values)[ItemsPerThread], int begin_bit = 0,
                                                                   int end_bit = key_bits) {
        sort(keys, values, {begin_bit, end_bit, true}, Arrangement::striped);
    }

private:
    __device__ __forceinline__ static Storage &private_storage() {
        __shared__ TempStorage storage;
        return storage.Alias();
    }
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }

    __device__ __forceinline__ void sort(Key (&keys)[ItemsPerThread], musa_sim_detail::RadixRange range,
                                         Arrangement arrangement) {
        const Index *order = find_order(keys, range);
        for (int i = 0; i < ItemsPerThread; ++i) keys[i] = storage_.keys.Alias()[order[rank_of(i, arrangement)]];
    }
    __device__ __forceinline__ void sort(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread],
                                         musa_sim_detail::RadixRange range, Arrangement arrangement) {
        const Index *order = find_order(keys, range);
        for (int i = 0; i < ItemsPerThread; ++i) keys[i] = storage_.keys.Alias()[order[rank_of(i, arrangement)]];
        __syncthreads();
        for (int i = 0; i < ItemsPerThread; ++i) storage_.values.Alias()[rank() * ItemsPerThread + i] = values[i];
        __syncthreads();
        for (int i = 0; i < ItemsPerThread; ++i) values[i] = storage_.values.Alias()[order[rank_of(i, arrangement)]];
    }

    __device__ __forceinline__ static int rank_of(int i, Arrangement arrangement) {
        return arrangement == Arrangement::blocked ? rank() * ItemsPerThread + i : i * block_threads + rank();
    }

    /* Write the keys to shared memory; return the positions of the sorted keys. */
    __device__ const Index *find_order(Key (&keys)[ItemsPerThread], musa_sim_detail::RadixRange range) {
        for (int i = 0; i < ItemsPerThread; ++i) storage_.keys.Alias()[rank() * ItemsPerThread + i] = keys[i];
        __syncthreads();
        constexpr int digit_bits = 8;
        const int passes = (range.end - range.begin + digit_bits - 1) / digit_bits;
        if (rank() == 0) {
            for (int i = 0; i < item_count; ++i) storage_.order[0][i] = static_cast<Index>(i);
            for (int pass = 0; pass < passes; ++pass) {
                sort_by_digit(range, pass * digit_bits, storage_.order[pass % 2], storage_.order[(pass + 1) % 2]);
            }
        }
        __syncthreads();
        return storage_.order[passes % 2];
    }

    __device__ void sort_by_digit(musa_sim_detail::RadixRange range, int shift, const Index *from, Index *to) {
        int next[256] = {};
        const Key *keys = storage_.keys.Alias();
        for (int i = 0; i < item_count; ++i) ++next[detail::digits_of(keys[i], range) >> shift & 255];
        int first = 0;
        for (int &digit : next) {
            const int count = digit;
            digit = first;
            first += count;
        }
        for (int i = 0; i < item_count; ++i) to[next[detail::digits_of(keys[from[i]], range) >> shift & 255]++] = from[i];
    }

    Storage &storage_;
};

CUB_NAMESPACE_END

#endif

#endif
