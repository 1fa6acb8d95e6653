#include <cstdio>

#include "devices.h"
#include "launch.h"
#include "streams.h"

using musa_sim::api_call;
using musa_sim::check_stream;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::is_default_stream;
using musa_sim::live_events;
using musa_sim::live_streams;

namespace musa_sim {

LiveObjects<MUstream_st>& live_streams() {
    static auto* streams = new LiveObjects<MUstream_st>();
    return *streams;
}

LiveObjects<MUevent_st>& live_events() {
    static auto* events = new LiveObjects<MUevent_st>();
    return *events;
}

bool is_default_stream(musaStream_t stream) {
    return stream == nullptr || stream == musaStreamLegacy || stream == musaStreamPerThread;
}

musaError_t check_stream(musaStream_t stream) {
    return is_default_stream(stream) || live_streams().contains(stream)
               ? musaSuccess
               : musaErrorInvalidResourceHandle;
}

musaError_t check_stream_of_current_device(musaStream_t stream) {
    musaError_t error = check_stream(stream);
    if (error != musaSuccess || is_default_stream(stream)) return error;
    return stream->device == current_device() ? musaSuccess : musaErrorInvalidResourceHandle;
}

}  // namespace musa_sim

namespace {

musaError_t create_stream(musaStream_t* stream, unsigned flags, int priority) {
    return device_call([&] {
        if (!stream || (flags & ~musaStreamNonBlocking) != 0) return musaErrorInvalidValue;
        // Priorities outside the range mean the nearest one inside.
        if (priority > musa_sim::least_stream_priority) priority = musa_sim::least_stream_priority;
        if (priority < musa_sim::greatest_stream_priority)
            priority = musa_sim::greatest_stream_priority;
        *stream = live_streams().add(MUstream_st{current_device(), flags, priority});
        return musaSuccess;
    });
}

musaError_t check_event(musaEvent_t event) {
    return live_events().contains(event) ? musaSuccess : musaErrorInvalidResourceHandle;
}

}  // namespace

musaError_t musaStreamCreate(musaStream_t* stream) {
    return create_stream(stream, musaStreamDefault, 0);
}

musaError_t musaStreamCreateWithFlags(musaStream_t* stream, unsigned int flags) {
    return create_stream(stream, flags, 0);
}

musaError_t musaStreamCreateWithPriority(musaStream_t* stream, unsigned int flags, int priority) {
    return create_stream(stream, flags, priority);
}

musaError_t musaStreamDestroy(musaStream_t stream) {
    return api_call([&] {
        return live_streams().remove(stream) ? musaSuccess : musaErrorInvalidResourceHandle;
    });
}

musaError_t musaStreamSynchronize(musaStream_t stream) {
    std::fflush(stdout);
    return device_call([&] { return check_stream(stream); });
}

musaError_t musaStreamQuery(musaStream_t stream) {
    return device_call([&] { return check_stream(stream); });
}

musaError_t musaStreamWaitEvent(musaStream_t stream, musaEvent_t event, unsigned int flags) {
    return device_call([&] {
        if (flags != 0) return musaErrorInvalidValue;
        musaError_t error = check_stream(stream);
        return error == musaSuccess ? check_event(event) : error;
    });
}

musaError_t musaStreamGetFlags(musaStream_t stream, unsigned int* flags) {
    return device_call([&] {
        musaError_t error = check_stream(stream);
        if (error != musaSuccess) return error;
        if (!flags) return musaErrorInvalidValue;
        *flags = is_default_stream(stream) ? musaStreamDefault : stream->flags;
        return musaSuccess;
    });
}

musaError_t musaStreamGetPriority(musaStream_t stream, int* priority) {
    return device_call([&] {
        musaError_t error = check_stream(stream);
        if (error != musaSuccess) return error;
        if (!priority) return musaErrorInvalidValue;
        *priority = is_default_stream(stream) ? musa_sim::least_stream_priority : stream->priority;
        return musaSuccess;
    });
}

musaError_t musaStreamAddCallback(musaStream_t stream, musaStreamCallback_t callback,
                                  void* userData, unsigned int flags) {
    return device_call([&] {
        if (!callback || flags != 0) return musaErrorInvalidValue;
        musaError_t error = check_stream(stream);
        if (error == musaSuccess) callback(stream, musaSuccess, userData);
        return error;
    });
}

musaError_t musaLaunchHostFunc(musaStream_t stream, musaHostFn_t function, void* userData) {
    return device_call([&] {
        if (!function) return musaErrorInvalidValue;
        musaError_t error = check_stream(stream);
        if (error == musaSuccess) function(userData);
        return error;
    });
}

musaError_t musaEventCreate(musaEvent_t* event) {
    return musaEventCreateWithFlags(event, musaEventDefault);
}

musaError_t musaEventCreateWithFlags(musaEvent_t* event, unsigned int flags) {
    return device_call([&] {
        constexpr unsigned known =
            musaEventBlockingSync | musaEventDisableTiming | musaEventInterprocess;
        if (!event || (flags & ~known) != 0) return musaErrorInvalidValue;
        *event = live_events().add(MUevent_st{current_device(), flags});
        return musaSuccess;
    });
}

musaError_t musaEventDestroy(musaEvent_t event) {
    return api_call(
        [&] { return live_events().remove(event) ? musaSuccess : musaErrorInvalidResourceHandle; });
}

musaError_t musaEventRecord(musaEvent_t event, musaStream_t stream) {
    return device_call([&] {
        musaError_t error = check_event(event);
        if (error == musaSuccess) error = check_stream(stream);
        if (error != musaSuccess) return error;
        const int device = is_default_stream(stream) ? current_device() : stream->device;
        if (event->device != device) return musaErrorInvalidResourceHandle;
        event->recorded = true;
        event->time = std::chrono::steady_clock::now();
        return musaSuccess;
    });
}

musaError_t musaEventRecordWithFlags(musaEvent_t event, musaStream_t stream, unsigned int flags) {
    if (flags != musaEventRecordDefault) return api_call([] { return musaErrorInvalidValue; });
    return musaEventRecord(event, stream);
}

musaError_t musaEventSynchronize(musaEvent_t event) {
    std::fflush(stdout);
    return device_call([&] { return check_event(event); });
}

musaError_t musaEventQuery(musaEvent_t event) {
    return device_call([&] { return check_event(event); });
}

musaError_t musaEventElapsedTime(float* milliseconds, musaEvent_t start, musaEvent_t end) {
    return device_call([&] {
        if (!milliseconds) return musaErrorInvalidValue;
        for (musaEvent_t event : {start, end}) {
            if (check_event(event) != musaSuccess || !event->recorded ||
                (event->flags & musaEventDisableTiming)) {
                return musaErrorInvalidResourceHandle;
            }
        }
        *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
        return musaSuccess;
    });
}
