/* BlockMergeSort: sorts the keys, and values with them, that the threads of a block hold, by any comparison. Stable.
 *
 * One thread finds the order of all keys; see block_reduce.cuh. warp_merge_sort.cuh is the same for a logical warp.
 */
#ifndef MUSA_CUB_BLOCK_MERGE_SORT_CUH
#define MUSA_CUB_BLOCK_MERGE_SORT_CUH

#include <cub/thread/thread_sort.cuh>
#include <cub/util_ptx.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

/* The sort of a block and of a warp. Strategy knows the caller's rank and how to wait for the other threads. */
template <class Key, class Value, int Threads, int ItemsPerThread, class Strategy>
class BlockMergeSortStrategy {
    static constexpr int item_count = Threads * ItemsPerThread;
    static constexpr bool has_values = !std::is_same<Value, NullType>::value;
    struct Storage {
        union {
            Uninitialized<Key[item_count]> keys;
            Uninitialized<Value[item_count]> values;
        };
        int order[2 * item_count];
        int *sorted;
    };

public:
    struct TempStorage : Uninitialized<Storage> {};

    template <class Compare>
    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], Compare compare) {
        sort(keys, no_values_, compare, item_count);
    }
    /* Sort the first valid_items items. The other keys become out_of_bounds, which is not compared. */
    template <class Compare>
    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], Compare compare, int valid_items,
                                         Key out_of_bounds) {
        fill(keys, valid_items, out_of_bounds);
        sort(keys, no_values_, compare, valid_items);
    }
    template <class Compare>
    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread],
                                         Compare compare) {
        sort(keys, values, compare, item_count);
    }
    template <class Compare, bool IsLastTile = true>
    __device__ __forceinline__ void Sort(Key (&keys)[ItemsPerThread], Value (&values)[ItemsPerThread], Compare compare,
                                         int valid_items, Key out_of_bounds) {
        fill(keys, valid_items, out_of_bounds);
        sort(keys, values, compare, valid_items);
    }
    template <class... Arguments>
    __device__ __forceinline__ void StableSort(Key (&keys)[ItemsPerThread], Arguments &&...arguments) {
        Sort(keys, arguments...);
    }

    __device__ __forceinline__ unsigned get_linear_tid() const { return static_cast<unsigned>(Strategy::rank()); }

protected:
    __device__ __forceinline__ explicit BlockMergeSortStrategy(TempStorage &storage) : storage_(storage.Alias()) {}

private:
    __device__ __forceinline__ static void fill(Key (&keys)[ItemsPerThread], int valid_items, const Key &value) {
        for (int i = 0; i < ItemsPerThread; ++i) {
            if (Strategy::rank() * ItemsPerThread + i >= valid_items) keys[i] = value;
        }
    }
    template <class Values, class Compare>
    __device__ __forceinline__ void sort(Key (&keys)[ItemsPerThread], Values &values, Compare compare,
                                         int valid_items) {
        const int first = Strategy::rank() * ItemsPerThread;
        Key *all_keys = storage_.keys.Alias();
        for (int i = 0; i < ItemsPerThread; ++i) all_keys[first + i] = keys[i];
        Strategy::sync();
        if (Strategy::rank() == 0) {
            storage_.sorted = detail::sorted_indices(all_keys, storage_.order, CUB_MIN(valid_items, item_count), compare);
        }
        Strategy::sync();
        int indices[ItemsPerThread];
        for (int i = 0; i < ItemsPerThread; ++i) {
            indices[i] = first + i < valid_items ? storage_.sorted[first + i] : first + i;
            keys[i] = all_keys[indices[i]];
        }
        if constexpr (has_values && !std::is_same<Values, NullType>::value) {
            Value *all_values = storage_.values.Alias();
            Strategy::sync();
            for (int i = 0; i < ItemsPerThread; ++i) all_values[first + i] = values[i];
            Strategy::sync();
            for (int i = 0; i < ItemsPerThread; ++i) values[i] = all_values[indices[i]];
        }
    }

    Storage &storage_;
    NullType no_values_;
};

namespace detail {
template <int BlockDimX, int BlockDimY, int BlockDimZ>
struct WholeBlock {
    __device__ __forceinline__ static int rank() { return RowMajorTid(BlockDimX, BlockDimY, BlockDimZ); }
    __device__ __forceinline__ static void sync() { __syncthreads(); }
};
}  // namespace detail

template <class Key, int BlockDimX, int ItemsPerThread, class Value = NullType, int BlockDimY = 1, int BlockDimZ = 1>
class BlockMergeSort
    : public BlockMergeSortStrategy<Key, Value, BlockDimX * BlockDimY * BlockDimZ, ItemsPerThread,
                                    detail::WholeBlock<BlockDimX, BlockDimY, BlockDimZ>> {
    using Base = BlockMergeSortStrategy<Key, Value, BlockDimX * BlockDimY * BlockDimZ, ItemsPerThread,
                                        detail::WholeBlock<BlockDimX, BlockDimY, BlockDimZ>>;

public:
    using TempStorage = typename Base::TempStorage;

    __device__ __forceinline__ BlockMergeSort() : Base(private_storage()) {}
    __device__ __forceinline__ explicit BlockMergeSort(TempStorage &storage) : Base(storage) {}

private:
    __device__ __forceinline__ static TempStorage &private_storage() {
        __shared__ TempStorage storage;
        return storage;
    }
};

CUB_NAMESPACE_END

#endif

#endif
