/* DeviceMergeSort: sorts keys, and values with them, by any comparison. All are stable. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_MERGE_SORT_CUH
#define MUSA_CUB_DEVICE_MERGE_SORT_CUH

#include <cub/thread/thread_sort.cuh>
#include <cub/util_device.cuh>
#include <musa_sim/type_traits.h>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

namespace detail {

template <bool has_values, class KeysIn, class ValuesIn, class Keys, class Values, class Compare>
musaError_t merge_sort_pairs(void *temp, size_t &temp_bytes, KeysIn keys_in, ValuesIn values_in, Keys keys,
                             Values values, long long count, Compare compare, musaStream_t stream) {
    using Key = value_t<Keys>;
    using Value = musa_sim_detail::conditional_t<has_values, value_t<Values>, NullType>;
    const auto size = static_cast<size_t>(count);
    Storage storage(temp, temp_bytes);
    Key *old_keys = storage.array<Key>(size);
    Value *old_values = storage.array<Value>(has_values ? size : 0);
    auto *order = storage.array<long long>(2 * size);
    if (storage.only_asked()) return storage.error;
    return detail::enqueue(stream, [=] __device__() mutable {
        for (long long i = 0; i < count; ++i) {
            new (&old_keys[i]) Key(keys_in[i]);
            if constexpr (has_values) new (&old_values[i]) Value(values_in[i]);
            order[i] = i;
        }
        const long long *sorted = detail::merge_sort(order, order + count, count, [&](long long a, long long b) {
            return compare(old_keys[a], old_keys[b]);
        });
        for (long long i = 0; i < count; ++i) {
            keys[i] = old_keys[sorted[i]];
            if constexpr (has_values) values[i] = old_values[sorted[i]];
        }
    });
}

}  // namespace detail

struct DeviceMergeSort {
    template <class Keys, class Values, class Offset, class Compare>
    static musaError_t SortPairs(void *temp, size_t &temp_bytes, Keys keys, Values values, Offset count,
                                 Compare compare, musaStream_t stream = 0, bool = false) {
        return SortPairsCopy(temp, temp_bytes, keys, values, keys, values, count, compare, stream);
    }
    template <class KeysIn, class ValuesIn, class Keys, class Values, class Offset, class Compare>
    static musaError_t SortPairsCopy(void *temp, size_t &temp_bytes, KeysIn keys_in, ValuesIn values_in, Keys keys,
                                     Values values, Offset count, Compare compare, musaStream_t stream = 0,
                                     bool = false) {
        return detail::merge_sort_pairs<true>(temp, temp_bytes, keys_in, values_in, keys, values,
                                              static_cast<long long>(count), compare, stream);
    }
    template <class Keys, class Offset, class Compare>
    static musaError_t SortKeys(void *temp, size_t &temp_bytes, Keys keys, Offset count, Compare compare,
                                musaStream_t stream = 0, bool = false) {
        return SortKeysCopy(temp, temp_bytes, keys, keys, count, compare, stream);
    }
    template <class KeysIn, class Keys, class Offset, class Compare>
    static musaError_t SortKeysCopy(void *temp, size_t &temp_bytes, KeysIn keys_in, Keys keys, Offset count,
                                    Compare compare, musaStream_t stream = 0, bool = false) {
        NullType *const none = nullptr;
        return detail::merge_sort_pairs<false>(temp, temp_bytes, keys_in, none, keys, none,
                                               static_cast<long long>(count), compare, stream);
    }
    template <class Keys, class Values, class Offset, class Compare>
    static musaError_t StableSortPairs(void *temp, size_t &temp_bytes, Keys keys, Values values, Offset count,
                                       Compare compare, musaStream_t stream = 0, bool = false) {
        return SortPairs(temp, temp_bytes, keys, values, count, compare, stream);
    }
    template <class Keys, class Offset, class Compare>
    static musaError_t StableSortKeys(void *temp, size_t &temp_bytes, Keys keys, Offset count, Compare compare,
                                      musaStream_t stream = 0, bool = false) {
        return SortKeys(temp, temp_bytes, keys, count, compare, stream);
    }
    template <class KeysIn, class Keys, class Offset, class Compare>
    static musaError_t StableSortKeysCopy(void *temp, size_t &temp_bytes, KeysIn keys_in, Keys keys, Offset count,
                                          Compare compare, musaStream_t stream = 0, bool = false) {
        return SortKeysCopy(temp, temp_bytes, keys_in, keys, count, compare, stream);
    }
};

CUB_NAMESPACE_END

#endif

#endif
