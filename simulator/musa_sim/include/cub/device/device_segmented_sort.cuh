/* DeviceSegmentedSort: sorts each segment by all bits of its keys; the same as DeviceSegmentedRadixSort here. All are
 * stable.
 */
#ifndef MUSA_CUB_DEVICE_SEGMENTED_SORT_CUH
#define MUSA_CUB_DEVICE_SEGMENTED_SORT_CUH

#include <cub/device/device_segmented_radix_sort.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceSegmentedSort {
#define MUSA_CUB_SEGMENTED_SORT(name, radix_name)                                                                     \
    template <class Key, class Begin, class End>                                                                      \
    static musaError_t name##Keys##radix_name(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,      \
                                              long long count, int segments, Begin begin, End end,                    \
                                              musaStream_t stream = 0, bool = false) {                                \
        return DeviceSegmentedRadixSort::SortKeys##radix_name(temp, temp_bytes, keys_in, keys_out,                    \
                                                              static_cast<int>(count), segments, begin, end, 0,       \
                                                              sizeof(Key) * 8, stream);                               \
    }                                                                                                                 \
    template <class Key, class Begin, class End>                                                                      \
    static musaError_t name##Keys##radix_name(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys,                \
                                              long long count, int segments, Begin begin, End end,                    \
                                              musaStream_t stream = 0, bool = false) {                                \
        return DeviceSegmentedRadixSort::SortKeys##radix_name(temp, temp_bytes, keys, static_cast<int>(count),        \
                                                              segments, begin, end, 0, sizeof(Key) * 8, stream);      \
    }                                                                                                                 \
    template <class Key, class Value, class Begin, class End>                                                         \
    static musaError_t name##Pairs##radix_name(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,     \
                                               const Value *values_in, Value *values_out, long long count,            \
                                               int segments, Begin begin, End end, musaStream_t stream = 0,           \
                                               bool = false) {                                                        \
        return DeviceSegmentedRadixSort::SortPairs##radix_name(temp, temp_bytes, keys_in, keys_out, values_in,        \
                                                               values_out, static_cast<int>(count), segments, begin,  \
                                                               end, 0, sizeof(Key) * 8, stream);                      \
    }                                                                                                                 \
    template <class Key, class Value, class Begin, class End>                                                         \
    static musaError_t name##Pairs##radix_name(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys,               \
                                               DoubleBuffer<Value> &values, long long count, int segments,            \
                                               Begin begin, End end, musaStream_t stream = 0, bool = false) {         \
        return DeviceSegmentedRadixSort::SortPairs##radix_name(temp, temp_bytes, keys, values,                        \
                                                               static_cast<int>(count), segments, begin, end, 0,      \
                                                               sizeof(Key) * 8, stream);                              \
    }
    MUSA_CUB_SEGMENTED_SORT(Sort, )
    MUSA_CUB_SEGMENTED_SORT(Sort, Descending)
    MUSA_CUB_SEGMENTED_SORT(StableSort, )
    MUSA_CUB_SEGMENTED_SORT(StableSort, Descending)
#undef MUSA_CUB_SEGMENTED_SORT
};

CUB_NAMESPACE_END

#endif

#endif
