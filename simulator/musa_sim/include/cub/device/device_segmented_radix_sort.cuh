/* DeviceSegmentedRadixSort: sorts the items [begin[i], end[i]) of every segment i. See device_radix_sort.cuh. */
#ifndef MUSA_CUB_DEVICE_SEGMENTED_RADIX_SORT_CUH
#define MUSA_CUB_DEVICE_SEGMENTED_RADIX_SORT_CUH

#include <cub/device/device_radix_sort.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceSegmentedRadixSort {
    template <class Key, class Value, class Begin, class End>
    static musaError_t SortPairs(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,
                                 const Value *values_in, Value *values_out, int count, int segments, Begin begin,
                                 End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8, musaStream_t stream = 0,
                                 bool = false) {
        return detail::sort_copied(temp, temp_bytes, keys_in, keys_out, values_in, values_out, count, segments,
                                   at(begin, end), {begin_bit, end_bit, false}, stream);
    }
    template <class Key, class Value, class Begin, class End>
    static musaError_t SortPairsDescending(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,
                                           const Value *values_in, Value *values_out, int count, int segments,
                                           Begin begin, End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                           musaStream_t stream = 0, bool = false) {
        return detail::sort_copied(temp, temp_bytes, keys_in, keys_out, values_in, values_out, count, segments,
                                   at(begin, end), {begin_bit, end_bit, true}, stream);
    }
    template <class Key, class Value, class Begin, class End>
    static musaError_t SortPairs(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,
                                 int /*count*/, int segments, Begin begin, End end, int begin_bit = 0,
                                 int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        return detail::sort_in_buffers(temp, temp_bytes, keys, values, segments, at(begin, end),
                                       {begin_bit, end_bit, false}, stream);
    }
    template <class Key, class Value, class Begin, class End>
    static musaError_t SortPairsDescending(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys,
                                           DoubleBuffer<Value> &values, int /*count*/, int segments, Begin begin,
                                           End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                           musaStream_t stream = 0, bool = false) {
        return detail::sort_in_buffers(temp, temp_bytes, keys, values, segments, at(begin, end),
                                       {begin_bit, end_bit, true}, stream);
    }

    template <class Key, class Begin, class End>
    static musaError_t SortKeys(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out, int count,
                                int segments, Begin begin, End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                musaStream_t stream = 0, bool = false) {
        NullType *none = nullptr;
        return SortPairs(temp, temp_bytes, keys_in, keys_out, none, none, count, segments, begin, end, begin_bit,
                         end_bit, stream);
    }
    template <class Key, class Begin, class End>
    static musaError_t SortKeysDescending(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out, int count,
                                          int segments, Begin begin, End end, int begin_bit = 0,
                                          int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        NullType *none = nullptr;
        return SortPairsDescending(temp, temp_bytes, keys_in, keys_out, none, none, count, segments, begin, end,
                                   begin_bit, end_bit, stream);
    }
    template <class Key, class Begin, class End>
    static musaError_t SortKeys(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, int count, int segments,
                                Begin begin, End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                musaStream_t stream = 0, bool = false) {
        DoubleBuffer<NullType> none;
        return SortPairs(temp, temp_bytes, keys, none, count, segments, begin, end, begin_bit, end_bit, stream);
    }
    template <class Key, class Begin, class End>
    static musaError_t SortKeysDescending(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, int count,
                                          int segments, Begin begin, End end, int begin_bit = 0,
                                          int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        DoubleBuffer<NullType> none;
        return SortPairsDescending(temp, temp_bytes, keys, none, count, segments, begin, end, begin_bit, end_bit,
                                   stream);
    }

private:
    template <class Begin, class End>
    static detail::OffsetSegments<Begin, End> at(Begin begin, End end) {
        return {begin, end};
    }
};

CUB_NAMESPACE_END

#endif

#endif
