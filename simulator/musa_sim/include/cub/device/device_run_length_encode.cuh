/* DeviceRunLengthEncode: runs of equal items. See musa_sim/one_thread.h. */
#ifndef MUSA_CUB_DEVICE_RUN_LENGTH_ENCODE_CUH
#define MUSA_CUB_DEVICE_RUN_LENGTH_ENCODE_CUH

#include <cub/util_device.cuh>

#if defined(__MUSACC__)

CUB_NAMESPACE_BEGIN

struct DeviceRunLengthEncode {
    template <class Input, class Unique, class Lengths, class Count, class Offset = int>
    static musaError_t Encode(void *temp, size_t &temp_bytes, Input in, Unique unique, Lengths lengths, Count run_count,
                              Offset count, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset runs = 0;
            for (Offset begin = 0; begin < count; ++runs) {
                const Offset end = end_of_run(in, begin, count);
                unique[runs] = in[begin];
                lengths[runs] = end - begin;
                begin = end;
            }
            *run_count = runs;
        });
    }

    /* Write the offset and the length of each run of two or more items. */
    template <class Input, class Offsets, class Lengths, class Count, class Offset = int>
    static musaError_t NonTrivialRuns(void *temp, size_t &temp_bytes, Input in, Offsets offsets, Lengths lengths,
                                      Count run_count, Offset count, musaStream_t stream = 0, bool = false) {
        detail::Storage storage(temp, temp_bytes);
        if (storage.only_asked()) return storage.error;
        return detail::enqueue(stream, [=] __device__() mutable {
            Offset runs = 0;
            for (Offset begin = 0; begin < count;) {
                const Offset end = end_of_run(in, begin, count);
                if (end - begin > 1) {
                    offsets[runs] = begin;
                    lengths[runs++] = end - begin;
                }
                begin = end;
            }
            *run_count = runs;
        });
    }

private:
    template <class Input, class Offset>
    __device__ static Offset end_of_run(Input in, Offset begin, Offset count) {
        const detail::value_t<Input> first = in[begin];
        Offset end = begin + 1;
        while (end < count && first == static_cast<detail::value_t<Input>>(in[end])) ++end;
        return end;
    }
};

CUB_NAMESPACE_END

#endif

#endif
