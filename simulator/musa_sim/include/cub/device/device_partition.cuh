/* DevicePartition: selected items first, in order; then the other items, in reverse order, as documented. */
#ifndef MUSA_CUB_DEVICE_PARTITION_CUH
#define MUSA_CUB_DEVICE_PARTITION_CUH

#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DevicePartition {
    template <class Input, class Flags, class Output, class Count, class Offset = int>
    static musaError_t Flagged(void *temp, size_t &temp_bytes, Input in, Flags flags, Output out, Count selected_count,
                               Offset count, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            for (Offset i = 0; i < count; ++i) out[flags[i] ? selected++ : count - 1 - (i - selected)] = in[i];
            *selected_count = selected;
        });
    }

    template <class Input, class Output, class Count, class Predicate, class Offset = int>
    static musaError_t If(void *temp, size_t &temp_bytes, Input in, Output out, Count selected_count, Offset count,
                          Predicate predicate, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            for (Offset i = 0; i < count; ++i) {
                const detail::value_t<Input> item = in[i];
                const bool is_selected = predicate(item);
                out[is_selected ? selected : count - 1 - (i - selected)] = item;
                selected += is_selected;
            }
            *selected_count = selected;
        });
    }
};

CUB_NAMESPACE_END

#endif

#endif
