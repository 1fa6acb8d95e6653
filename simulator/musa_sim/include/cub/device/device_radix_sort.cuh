/* DeviceRadixSort: stable sorts of keys, and of values with them, by some bits of the keys. See musa_sim/one_thread.h.
 *
 * Keys are what musa_sim/radix_keys.h says, or have NumericTraits. With pointers the input stays as it is; with
 * DoubleBuffers both buffers are written to, and their selectors say where the result is.
 */
#ifndef MUSA_CUB_DEVICE_RADIX_SORT_CUH
#define MUSA_CUB_DEVICE_RADIX_SORT_CUH

#include <cub/util_device.cuh>
#include <musa_sim/radix_keys.h>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

namespace detail {

constexpr int digit_bits = 8;

__host__ __device__ inline int digit_count(musa_sim_detail::RadixRange range) {
    return (range.end - range.begin + digit_bits - 1) / digit_bits;
}

template <class T>
struct Buffers {
    T *from;
    T *to;
    __device__ void swap() {
        T *before = from;
        from = to;
        to = before;
    }
};
/* To sort keys alone, sort them with values that do not exist. */
template <>
struct Buffers<NullType> {
    NullType *from;
    NullType *to;
    __device__ void swap() {}
};

template <class Value>
__device__ void move_value(Buffers<Value> &values, long long from, long long to) {
    values.to[to] = values.from[from];
}
__device__ inline void move_value(Buffers<NullType> &, long long, long long) {}

/* Sorts the items [begin, end) by one digit after the other. The result is in `from` of the buffers as they are left
 * behind, which is the original `to` if the number of digits is odd. */
template <class Key, class Value>
__device__ void radix_sort(Buffers<Key> keys, Buffers<Value> values, long long begin, long long end,
                           musa_sim_detail::RadixRange range) {
    for (int pass = 0; pass < detail::digit_count(range); ++pass) {
        const int shift = pass * digit_bits;
        long long next[256] = {};
        for (long long i = begin; i < end; ++i) ++next[detail::digits_of(keys.from[i], range) >> shift & 255];
        long long first = begin;
        for (long long &digit : next) {
            const long long count = digit;
            digit = first;
            first += count;
        }
        for (long long i = begin; i < end; ++i) {
            const long long at = next[detail::digits_of(keys.from[i], range) >> shift & 255]++;
            keys.to[at] = keys.from[i];
            detail::move_value(values, i, at);
        }
        keys.swap();
        values.swap();
    }
}

template <class T>
__device__ void copy_range(const T *from, T *to, long long begin, long long end) {
    if (from == to) return;
    for (long long i = begin; i < end; ++i) to[i] = from[i];
}
__device__ inline void copy_range(const NullType *, NullType *, long long, long long) {}

/* The segments: one segment of all items, or segments between offsets. */
struct OneSegment {
    long long end;
    __device__ long long first(int) const { return 0; }
    __device__ long long last(int) const { return end; }
};
template <class Begin, class End>
struct OffsetSegments {
    Begin begin;
    End end;
    __device__ long long first(int i) const { return static_cast<long long>(begin[i]); }
    __device__ long long last(int i) const { return static_cast<long long>(end[i]); }
};

/* Sort from a constant input to an output, with storage for as many items. */
template <class Key, class Value, class Segments>
musaError_t sort_copied(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out, const Value *values_in,
                        Value *values_out, long long count, int segments, Segments where,
                        musa_sim_detail::RadixRange range, musaStream_t stream) {
    constexpr bool has_values = !std::is_same<Value, NullType>::value;
    Storage storage(temp, temp_bytes);
    Key *other_keys = storage.array<Key>(static_cast<size_t>(count));
    Value *other_values = storage.array<Value>(has_values ? static_cast<size_t>(count) : 0);
    if (storage.only_asked()) return storage.error;
    return detail::enqueue(stream, [=] __device__() mutable {
        // Begin in the buffer from which the last pass writes to the output.
        const bool is_odd = detail::digit_count(range) % 2 != 0;
        Buffers<Key> keys{is_odd ? other_keys : keys_out, is_odd ? keys_out : other_keys};
        Buffers<Value> values{is_odd ? other_values : values_out, is_odd ? values_out : other_values};
        for (int i = 0; i < segments; ++i) {
            const long long begin = where.first(i), end = where.last(i);
            detail::copy_range(keys_in, keys.from, begin, end);
            detail::copy_range(values_in, values.from, begin, end);
            detail::radix_sort(keys, values, begin, end, range);
        }
    });
}

/* Sort within double buffers, which needs no storage. */
template <class Key, class Value, class Segments>
musaError_t sort_in_buffers(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,
                            int segments, Segments where, musa_sim_detail::RadixRange range, musaStream_t stream) {
    Storage storage(temp, temp_bytes);
    if (storage.only_asked()) return storage.error;
    const Buffers<Key> key_buffers{keys.Current(), keys.Alternate()};
    const Buffers<Value> value_buffers{values.Current(), values.Alternate()};
    const int digits = detail::digit_count(range);
    keys.selector ^= digits & 1;
    values.selector ^= digits & 1;
    return detail::enqueue(stream, [=] __device__() mutable {
        for (int i = 0; i < segments; ++i) {
            detail::radix_sort(key_buffers, value_buffers, where.first(i), where.last(i), range);
        }
    });
}

}  // namespace detail

struct DeviceRadixSort {
    template <class Key, class Value, class Count>
    static musaError_t SortPairs(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,
                                 const Value *values_in, Value *values_out, Count count, int begin_bit = 0,
                                 int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        return pairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, count, {begin_bit, end_bit, false},
                     stream);
    }
    template <class Key, class Value, class Count>
    static musaError_t SortPairsDescending(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,
                                           const Value *values_in, Value *values_out, Count count, int begin_bit = 0,
                                           int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        return pairs(temp, temp_bytes, keys_in, keys_out, values_in, values_out, count, {begin_bit, end_bit, true},
                     stream);
    }
    template <class Key, class Value, class Count>
    static musaError_t SortPairs(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,
                                 Count count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                 musaStream_t stream = 0, bool = false) {
        return detail::sort_in_buffers(temp, temp_bytes, keys, values, 1, all(count), {begin_bit, end_bit, false},
                                       stream);
    }
    template <class Key, class Value, class Count>
    static musaError_t SortPairsDescending(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys,
                                           DoubleBuffer<Value> &values, Count count, int begin_bit = 0,
                                           int end_bit = sizeof(Key) * 8, musaStream_t stream = 0, bool = false) {
        return detail::sort_in_buffers(temp, temp_bytes, keys, values, 1, all(count), {begin_bit, end_bit, true},
                                       stream);
    }

    template <class Key, class Count>
    static musaError_t SortKeys(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out, Count count,
                                int begin_bit = 0, int end_bit = sizeof(Key) * 8, musaStream_t stream = 0,
                                bool = false) {
        const NullType *none = nullptr;
        return pairs(temp, temp_bytes, keys_in, keys_out, none, const_cast<NullType *>(none), count,
                     {begin_bit, end_bit, false}, stream);
    }
    template <class Key, class Count>
    static musaError_t SortKeysDescending(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out,
                                          Count count, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                                          musaStream_t stream = 0, bool = false) {
        const NullType *none = nullptr;
        return pairs(temp, temp_bytes, keys_in, keys_out, none, const_cast<NullType *>(none), count,
                     {begin_bit, end_bit, true}, stream);
    }
    template <class Key, class Count>
    static musaError_t SortKeys(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, Count count,
                                int begin_bit = 0, int end_bit = sizeof(Key) * 8, musaStream_t stream = 0,
                                bool = false) {
        DoubleBuffer<NullType> none;
        return SortPairs(temp, temp_bytes, keys, none, count, begin_bit, end_bit, stream);
    }
    template <class Key, class Count>
    static musaError_t SortKeysDescending(void *temp, size_t &temp_bytes, DoubleBuffer<Key> &keys, Count count,
                                          int begin_bit = 0, int end_bit = sizeof(Key) * 8, musaStream_t stream = 0,
                                          bool = false) {
        DoubleBuffer<NullType> none;
        return SortPairsDescending(temp, temp_bytes, keys, none, count, begin_bit, end_bit, stream);
    }

private:
    template <class Count>
    static detail::OneSegment all(Count count) {
        return {static_cast<long long>(count)};
    }
    template <class Key, class Value, class Count>
    static musaError_t pairs(void *temp, size_t &temp_bytes, const Key *keys_in, Key *keys_out, const Value *values_in,
                             Value *values_out, Count count, musa_sim_detail::RadixRange range, musaStream_t stream) {
        return detail::sort_copied(temp, temp_bytes, keys_in, keys_out, values_in, values_out,
                                   static_cast<long long>(count), 1, all(count), range, stream);
    }
};

CUB_NAMESPACE_END

#endif

#endif
