/* DeviceAdjacentDifference: what an operation gives for each item and the one before or after it. See musa_sim/one_thread.h.
 *
 * Without Copy, in place. The first item (Left) or the last one (Right) stays as it is.
 */
#ifndef MUSA_CUB_DEVICE_ADJACENT_DIFFERENCE_CUH
#define MUSA_CUB_DEVICE_ADJACENT_DIFFERENCE_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceAdjacentDifference {
    template <class Input, class Output, class Operation = Difference>
    static musaError_t SubtractLeftCopy(void *temp, size_t &temp_bytes, Input in, Output out, long long count,
                                        Operation operation = {}, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            for (long long i = count - 1; i > 0; --i) out[i] = operation(value(in, i), value(in, i - 1));
            if (count > 0) out[0] = in[0];
        });
    }
    template <class Input, class Output, class Operation = Difference>
    static musaError_t SubtractRightCopy(void *temp, size_t &temp_bytes, Input in, Output out, long long count,
                                         Operation operation = {}, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            for (long long i = 0; i + 1 < count; ++i) out[i] = operation(value(in, i), value(in, i + 1));
            if (count > 0) out[count - 1] = in[count - 1];
        });
    }
    template <class Iterator, class Operation = Difference>
    static musaError_t SubtractLeft(void *temp, size_t &temp_bytes, Iterator items, long long count,
                                    Operation operation = {}, musaStream_t stream = 0, bool = false) {
        return SubtractLeftCopy(temp, temp_bytes, items, items, count, operation, stream);
    }
    template <class Iterator, class Operation = Difference>
    static musaError_t SubtractRight(void *temp, size_t &temp_bytes, Iterator items, long long count,
                                     Operation operation = {}, musaStream_t stream = 0, bool = false) {
        return SubtractRightCopy(temp, temp_bytes, items, items, count, operation, stream);
    }

private:
    template <class Input>
    __device__ static detail::value_t<Input> value(Input in, long long i) {
        return in[i];
    }
};

CUB_NAMESPACE_END

#endif

#endif
