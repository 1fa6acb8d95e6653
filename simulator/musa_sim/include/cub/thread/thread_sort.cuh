/* Stable merge sorts: of the items of one thread, and of items that several threads have written. */
#ifndef MUSA_CUB_THREAD_SORT_CUH
#define MUSA_CUB_THREAD_SORT_CUH

#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

namespace detail {

/* Merge runs of 1, 2, 4 ... positions; return the one of `from` and `to` that holds the order. */
template <class Index, class Compare>
__host__ __device__ Index *merge_sort(Index *from, Index *to, long long count, Compare compare) {
    for (long long length = 1; length < count; length *= 2) {
        for (long long begin = 0; begin < count; begin += 2 * length) {
            const long long middle = CUB_MIN(begin + length, count), end = CUB_MIN(begin + 2 * length, count);
            long long left = begin, right = middle;
            for (long long at = begin; at < end; ++at) {
                const bool take_right = right < end && (left >= middle || compare(from[right], from[left]));
                to[at] = from[take_right ? right++ : left++];
            }
        }
        Index *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

/* Return the order of keys that one thread can read. `order` has room for 2 * count. */
template <class Index, class Key, class Compare>
__host__ __device__ Index *sorted_indices(const Key *keys, Index *order, int count, Compare compare) {
    for (int i = 0; i < count; ++i) order[i] = static_cast<Index>(i);
    return detail::merge_sort(order, order + count, count,
                              [&](Index a, Index b) { return compare(keys[a], keys[b]); });
}

}  // namespace detail

/* Sort the caller's own items; values may be of NullType. */
template <class Key, class Value, class Compare, int Items>
__device__ __forceinline__ void StableOddEvenSort(Key (&keys)[Items], Value (&values)[Items], Compare compare) {
    for (int i = 1; i < Items; ++i) {
        const Key key = keys[i];
        const Value value = values[i];
        int at = i;
        for (; at > 0 && compare(key, keys[at - 1]); --at) {
            keys[at] = keys[at - 1];
            values[at] = values[at - 1];
        }
        keys[at] = key;
        values[at] = value;
    }
}

CUB_NAMESPACE_END

#endif
