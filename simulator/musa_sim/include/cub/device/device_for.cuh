/* DeviceFor: calls an operation for each number or item. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_FOR_CUH
#define MUSA_CUB_DEVICE_FOR_CUH

#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceFor {
    template <class Shape, class Operation>
    static musaError_t Bulk(Shape count, Operation operation, musaStream_t stream = 0) {
        return detail::enqueue(stream, [=] __device__() mutable {
            for (Shape i = 0; i < count; ++i) operation(i);
        });
    }
    template <class Iterator, class Count, class Operation>
    static musaError_t ForEachN(Iterator first, Count count, Operation operation, musaStream_t stream = 0) {
        return detail::enqueue(stream, [=] __device__() mutable {
            for (Count i = 0; i < count; ++i) operation(first[i]);
        });
    }
    template <class Iterator, class Operation>
    static musaError_t ForEach(Iterator first, Iterator last, Operation operation, musaStream_t stream = 0) {
        return ForEachN(first, static_cast<long long>(last - first), operation, stream);
    }

    /* The two-phase protocol of the older algorithms; no storage is needed */
    template <class Shape, class Operation>
    static musaError_t Bulk(void *temp, size_t &temp_bytes, Shape count, Operation operation, musaStream_t stream = 0) {
        detail::Storage storage(temp, temp_bytes);
        return storage.only_asked() ? storage.error : Bulk(count, operation, stream);
    }
};

CUB_NAMESPACE_END

#endif

#endif
