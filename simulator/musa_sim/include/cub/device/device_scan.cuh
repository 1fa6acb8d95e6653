/* DeviceScan: prefix sums, also within runs of equal keys. See musa_sim/one_thread.h. Input and output may be the same. */
#ifndef MUSA_CUB_DEVICE_SCAN_CUH
#define MUSA_CUB_DEVICE_SCAN_CUH

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceScan {
    template <class Input, class Output, class Operation, class T, class Offset = int>
    static musaError_t ExclusiveScan(void *temp, size_t &temp_bytes, Input in, Output out, Operation operation,
                                     T initial, Offset count, musaStream_t stream = 0, bool = false) {
        using Accumulator = detail::accumulator_t<Output, Input>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Accumulator running = static_cast<Accumulator>(initial);
            for (Offset i = 0; i < count; ++i) {
                const Accumulator next = operation(running, static_cast<Accumulator>(in[i]));
                out[i] = running;
                running = next;
            }
        });
    }
    template <class Input, class Output, class Offset = int>
    static musaError_t ExclusiveSum(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                                    musaStream_t stream = 0, bool = false) {
        using T = detail::accumulator_t<Output, Input>;
        return ExclusiveScan(temp, temp_bytes, in, out, cub::Sum(), T(), count, stream);
    }

    template <class Input, class Output, class Operation, class Offset = int>
    static musaError_t InclusiveScan(void *temp, size_t &temp_bytes, Input in, Output out, Operation operation,
                                     Offset count, musaStream_t stream = 0, bool = false) {
        return InclusiveScanByKey(temp, temp_bytes, NoKeys(), in, out, operation, count, Same(), stream);
    }
    template <class Input, class Output, class Offset = int>
    static musaError_t InclusiveSum(void *temp, size_t &temp_bytes, Input in, Output out, Offset count,
                                    musaStream_t stream = 0, bool = false) {
        return InclusiveScan(temp, temp_bytes, in, out, cub::Sum(), count, stream);
    }

    template <class Keys, class Input, class Output, class Operation, class T, class Offset = int,
              class Equal = Equality>
    static musaError_t ExclusiveScanByKey(void *temp, size_t &temp_bytes, Keys keys, Input in, Output out,
                                          Operation operation, T initial, Offset count, Equal equal = Equal(),
                                          musaStream_t stream = 0, bool = false) {
        using Accumulator = detail::accumulator_t<Output, Input>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Accumulator running = static_cast<Accumulator>(initial);
            for (Offset i = 0; i < count; ++i) {
                if (i > 0 && !equal(keys[i - 1], keys[i])) running = static_cast<Accumulator>(initial);
                const Accumulator next = operation(running, static_cast<Accumulator>(in[i]));
                out[i] = running;
                running = next;
            }
        });
    }
    template <class Keys, class Input, class Output, class Offset = int, class Equal = Equality>
    static musaError_t ExclusiveSumByKey(void *temp, size_t &temp_bytes, Keys keys, Input in, Output out, Offset count,
                                         Equal equal = Equal(), musaStream_t stream = 0, bool = false) {
        using T = detail::accumulator_t<Output, Input>;
        return ExclusiveScanByKey(temp, temp_bytes, keys, in, out, cub::Sum(), T(), count, equal, stream);
    }

    template <class Keys, class Input, class Output, class Operation, class Offset = int, class Equal = Equality>
    static musaError_t InclusiveScanByKey(void *temp, size_t &temp_bytes, Keys keys, Input in, Output out,
                                          Operation operation, Offset count, Equal equal = Equal(),
                                          musaStream_t stream = 0, bool = false) {
        using Accumulator = detail::accumulator_t<Output, Input>;
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            if (count <= 0) return;
            Accumulator running = static_cast<Accumulator>(in[0]);
            out[0] = running;
            for (Offset i = 1; i < count; ++i) {
                const Accumulator value = static_cast<Accumulator>(in[i]);
                running = equal(keys[i - 1], keys[i]) ? operation(running, value) : value;
                out[i] = running;
            }
        });
    }
    template <class Keys, class Input, class Output, class Offset = int, class Equal = Equality>
    static musaError_t InclusiveSumByKey(void *temp, size_t &temp_bytes, Keys keys, Input in, Output out, Offset count,
                                         Equal equal = Equal(), musaStream_t stream = 0, bool = false) {
        return InclusiveScanByKey(temp, temp_bytes, keys, in, out, cub::Sum(), count, equal, stream);
    }

    /* In place */
    template <class Items, class Offset>
    static musaError_t ExclusiveSum(void *temp, size_t &temp_bytes, Items items, Offset count, musaStream_t stream = 0,
                                    bool = false) {
        return ExclusiveSum(temp, temp_bytes, items, items, count, stream);
    }
    template <class Items, class Offset>
    static musaError_t InclusiveSum(void *temp, size_t &temp_bytes, Items items, Offset count, musaStream_t stream = 0,
                                    bool = false) {
        return InclusiveSum(temp, temp_bytes, items, items, count, stream);
    }
    template <class Items, class Operation, class Offset>
    static musaError_t InclusiveScan(void *temp, size_t &temp_bytes, Items items, Operation operation, Offset count,
                                     musaStream_t stream = 0, bool = false) {
        return InclusiveScan(temp, temp_bytes, items, items, operation, count, stream);
    }
    template <class Items, class Operation, class T, class Offset>
    static musaError_t ExclusiveScan(void *temp, size_t &temp_bytes, Items items, Operation operation, T initial,
                                     Offset count, musaStream_t stream = 0, bool = false) {
        return ExclusiveScan(temp, temp_bytes, items, items, operation, initial, count, stream);
    }

private:
    struct NoKeys {
        __device__ NullType operator[](long long) const { return {}; }
    };
    struct Same {
        __device__ bool operator()(NullType, NullType) const { return true; }
    };
};

CUB_NAMESPACE_END

#endif

#endif
