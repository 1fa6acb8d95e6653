/* DeviceMemcpy: copies many buffers. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_MEMCPY_CUH
#define MUSA_CUB_DEVICE_MEMCPY_CUH

#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceMemcpy {
    /* Sizes are numbers of bytes. */
    template <class From, class To, class Sizes>
    static musaError_t Batched(void *temp, size_t &temp_bytes, From from, To to, Sizes sizes, long long count,
                               musaStream_t stream = 0) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            for (long long i = 0; i < count; ++i) memcpy(to[i], from[i], static_cast<size_t>(sizes[i]));
        });
    }
};

CUB_NAMESPACE_END

#endif

#endif
