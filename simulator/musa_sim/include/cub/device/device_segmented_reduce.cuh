/* DeviceSegmentedReduce: reductions of the items [begin[i], end[i]) for every segment i. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_SEGMENTED_REDUCE_CUH
#define MUSA_CUB_DEVICE_SEGMENTED_REDUCE_CUH

#include <cub/device/device_reduce.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceSegmentedReduce {
    template <class Input, class Output, class Begin, class End, class Operation, class T>
    static musaError_t Reduce(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                              Operation operation, T initial, musaStream_t stream = 0, bool = false) {
        using Accumulator = detail::accumulator_t<Output, Input>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            for (int i = 0; i < segments; ++i) {
                out[i] = detail::reduce_range(in, static_cast<long long>(begin[i]), static_cast<long long>(end[i]),
                                              operation, static_cast<Accumulator>(initial));
            }
        });
    }

    template <class Input, class Output, class Begin, class End>
    static musaError_t Sum(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::accumulator_t<Output, Input>;
        return Reduce(temp, temp_bytes, in, out, segments, begin, end, cub::Sum(), T(), stream);
    }
    template <class Input, class Output, class Begin, class End>
    static musaError_t Min(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return Reduce(temp, temp_bytes, in, out, segments, begin, end, cub::Min(), detail::Extremes<T>::most(), stream);
    }
    template <class Input, class Output, class Begin, class End>
    static musaError_t Max(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                           musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return Reduce(temp, temp_bytes, in, out, segments, begin, end, cub::Max(), detail::Extremes<T>::least(), stream);
    }

    /* Indices count from the beginning of the segment. */
    template <class Input, class Output, class Begin, class End>
    static musaError_t ArgMin(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                              musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return arg_extremes<T>(temp, temp_bytes, in, out, segments, begin, end, cub::ArgMin(),
                               detail::Extremes<T>::most(), stream);
    }
    template <class Input, class Output, class Begin, class End>
    static musaError_t ArgMax(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin, End end,
                              musaStream_t stream = 0, bool = false) {
        using T = detail::value_t<Input>;
        return arg_extremes<T>(temp, temp_bytes, in, out, segments, begin, end, cub::ArgMax(),
                               detail::Extremes<T>::least(), stream);
    }

private:
    template <class T, class Input, class Output, class Begin, class End, class Operation>
    static musaError_t arg_extremes(void *temp, size_t &temp_bytes, Input in, Output out, int segments, Begin begin,
                                    End end, Operation operation, T worst, musaStream_t stream) {
        using Pair = KeyValuePair<int, T>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        const Pair none(1, worst);
        return detail::enqueue(stream, [=] __device__() mutable {
            for (int i = 0; i < segments; ++i) {
                out[i] = detail::find_extreme(in, static_cast<long long>(begin[i]), static_cast<long long>(end[i]),
                                              operation, none);
            }
        });
    }
};

CUB_NAMESPACE_END

#endif

#endif
