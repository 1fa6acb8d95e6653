/* DeviceSelect: the items that are flagged, that satisfy a predicate, or that differ from the one before. Their order
 * stays. See musa_sim/one_thread.h. The output may be the input itself.
 */
#ifndef MUSA_CUB_DEVICE_SELECT_CUH
#define MUSA_CUB_DEVICE_SELECT_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceSelect {
    template <class Input, class Flags, class Output, class Count, class Offset = int>
    static musaError_t Flagged(void *temp, size_t &temp_bytes, Input in, Flags flags, Output out, Count selected_count,
                               Offset count, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            for (Offset i = 0; i < count; ++i) {
                if (flags[i]) out[selected++] = in[i];
            }
            *selected_count = selected;
        });
    }

    /* Select the items for whose flags the predicate holds. */
    template <class Input, class Flags, class Output, class Count, class Predicate, class Offset = int>
    static musaError_t FlaggedIf(void *temp, size_t &temp_bytes, Input in, Flags flags, Output out,
                                 Count selected_count, Offset count, Predicate predicate, musaStream_t stream = 0,
                                 bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            for (Offset i = 0; i < count; ++i) {
                const detail::value_t<Flags> flag = flags[i];
                if (predicate(flag)) out[selected++] = in[i];
            }
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
                if (predicate(item)) out[selected++] = item;
            }
            *selected_count = selected;
        });
    }

    template <class Input, class Output, class Count, class Offset = int>
    static musaError_t Unique(void *temp, size_t &temp_bytes, Input in, Output out, Count selected_count, Offset count,
                              musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            detail::value_t<Input> before;
            for (Offset i = 0; i < count; ++i) {
                const detail::value_t<Input> item = in[i];
                if (i == 0 || !(before == item)) out[selected++] = item;
                before = item;
            }
            *selected_count = selected;
        });
    }

    /* For each run of equal keys, write the first key and its value. */
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Offset = int>
    static musaError_t UniqueByKey(void *temp, size_t &temp_bytes, Keys keys, Values values, KeysOut keys_out,
                                   ValuesOut values_out, Count selected_count, Offset count, musaStream_t stream = 0,
                                   bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset selected = 0;
            detail::value_t<Keys> before;
            for (Offset i = 0; i < count; ++i) {
                const detail::value_t<Keys> key = keys[i];
                if (i == 0 || !(before == key)) {
                    keys_out[selected] = key;
                    values_out[selected++] = values[i];
                }
                before = key;
            }
            *selected_count = selected;
        });
    }
};

CUB_NAMESPACE_END

#endif

#endif
