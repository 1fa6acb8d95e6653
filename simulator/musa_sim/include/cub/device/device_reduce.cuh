/* DeviceReduce: sums, extremes and where they are, reductions by key. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_REDUCE_CUH
#define MUSA_CUB_DEVICE_REDUCE_CUH

#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>
#include <musa_bf16.h>
#include <musa_fp16.h>

#include <limits>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

namespace detail {

/* The largest and the lowest number of a type, including the 16-bit types. */
template <class T>
struct Extremes {
    __host__ static T most() { return std::numeric_limits<T>::max(); }
    __host__ static T least() { return std::numeric_limits<T>::lowest(); }
};
template <>
struct Extremes<__half> {
    __host__ static __half most() { return __ushort_as_half(0x7bff); }
    __host__ static __half least() { return __ushort_as_half(0xfbff); }
};
template <>
struct Extremes<__mt_bfloat16> {
    __host__ static __mt_bfloat16 most() { return __ushort_as_bfloat16(0x7f7f); }
    __host__ static __mt_bfloat16 least() { return __ushort_as_bfloat16(0xff7f); }
};

template <class T, class Input, class Offset, class Operation>
__device__ T reduce_range(Input in, Offset begin, Offset end, Operation operation, T result) {
    for (Offset i = begin; i < end; ++i) result = operation(result, static_cast<T>(in[i]));
    return result;
}

/* Return the first of the smallest or largest values with its index; for no items, index 1 and the worst value, as
 * documented. */
template <class Pair, class Input, class Operation>
__device__ Pair find_extreme(Input in, long long begin, long long end, Operation operation, Pair none) {
    if (begin >= end) return none;
    Pair best(0, in[begin]);
    for (long long i = begin + 1; i < end; ++i) {
        best = operation(best, Pair(static_cast<typename Pair::Key_t>(i - begin), in[i]));
    }
    return best;
}

}  // namespace detail

struct DeviceReduce {
    template <class Input, class Output, class Operation, class T, class Offset = int>
    static musaError_t Reduce(void *temp, size_t &temp_bytes, Input in, Output out, Offset count, Operation operation,
                              T initial, musaStream_t stream = 0, bool = false) {
        using Accumulator = detail::accumulator_t<Output, Input>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            *out = detail::reduce_range(in, Offset(0), count, operation, static_cast<Accumulator>(initial));
        });
    }

    /* Reduce the results of `transform`. */
    template <class Input, class Output, class Operation, class Transform, class T, class Offset = int>
    static musaError_t TransformReduce(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                                       Operation operation, Transform transform, T initial, musaStream_t stream = 0,
                                       bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            T result = initial;
            for (Offset i = 0; i < count; ++i) result = operation(result, static_cast<T>(transform(in[i])));
            *out = result;
        });
    }

    template <class Input, class Output, class Offset = int>
    static musaError_t Sum(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::accumulator_t<Output, Input>;
        return Reduce(temp, temp_bytes, in, out, count, cub::Sum(), T(), stream);
    }
    template <class Input, class Output, class Offset = int>
    static musaError_t Min(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return Reduce(temp, temp_bytes, in, out, count, cub::Min(), detail::Extremes<T>::most(), stream);
    }
    template <class Input, class Output, class Offset = int>
    static musaError_t Max(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return Reduce(temp, temp_bytes, in, out, count, cub::Max(), detail::Extremes<T>::least(), stream);
    }

    /* `out` gets a KeyValuePair<int, T>. */
    template <class Input, class Output, class Offset = int>
    static musaError_t ArgMin(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                              musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return arg_extreme<T>(temp, temp_bytes, in, out, count, cub::ArgMin(), detail::Extremes<T>::most(), stream);
    }
    template <class Input, class Output, class Offset = int>
    static musaError_t ArgMax(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                              musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return arg_extreme<T>(temp, temp_bytes, in, out, count, cub::ArgMax(), detail::Extremes<T>::least(), stream);
    }

    /* For each run of equal keys, write the key and the reduction of its values. */
    template <class Keys, class UniqueKeys, class Values, class Aggregates, class Count, class Operation,
              class Offset = int>
    static musaError_t ReduceByKey(void *temp, size_t &temp_bytes, Keys keys, UniqueKeys unique, Values values,
                                   Aggregates aggregates, Count run_count, Operation operation, Offset count,
                                   musaStream_t stream = 0, bool = false) {
        using T = detail::accumulator_t<Aggregates, Values>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset runs = 0;
            for (Offset begin = 0; begin < count; ++runs) {
                const detail::value_t<Keys> key = keys[begin];
                T value = static_cast<T>(values[begin]);
                Offset end = begin + 1;
                for (; end < count && key == static_cast<detail::value_t<Keys>>(keys[end]); ++end) {
                    value = operation(value, static_cast<T>(values[end]));
                }
                unique[runs] = key;
                aggregates[runs] = value;
                begin = end;
            }
            *run_count = runs;
        });
    }

private:
    template <class T, class Input, class Output, class Offset, class Operation>
    static musaError_t arg_extreme(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                                   Operation operation, T worst, musaStream_t stream) {
        using Pair = KeyValuePair<int, T>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        const Pair none(1, worst);
        return detail::enqueue(stream, [=] __device__() mutable {
            *out = detail::find_extreme(in, 0, static_cast<long long>(count), operation, none);
        });
    }
};

CUB_NAMESPACE_END

#endif

#endif
