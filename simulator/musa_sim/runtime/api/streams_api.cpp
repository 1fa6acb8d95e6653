// Streams, and host functions in their order.
#include <algorithm>
#include <cstdio>

#include "memory/memory_pools.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/host_node.h"
#include "streams/streams.h"

using musa_sim::api_call;
using musa_sim::call_host;
using musa_sim::capture_check;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::find_target;
using musa_sim::find_work_target;
using musa_sim::is_default_stream;
using musa_sim::live_streams;
using musa_sim::Start;
using musa_sim::StreamKind;
using musa_sim::StreamQueues;
using musa_sim::Target;

namespace {

musaError_t create_stream(musaStream_t* stream, unsigned flags, int priority) {
    return device_call([&] {
        if (!stream || (flags & ~musaStreamNonBlocking) != 0) return musaErrorInvalidValue;
        // Priorities outside the range mean the nearest one inside.
        priority = std::clamp(priority, musa_sim::greatest_stream_priority,
                              musa_sim::least_stream_priority);
        const int device = current_device();
        const auto kind =
            flags & musaStreamNonBlocking ? StreamKind::non_blocking : StreamKind::blocking;
        *stream = live_streams().add(
            {device, flags, priority, StreamQueues::instance().create(device, kind, priority)});
        return musaSuccess;
    });
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

// Return at once; the work that the stream still has is done.
musaError_t musaStreamDestroy(musaStream_t stream) {
    return api_call([&] {
        const auto removed = live_streams().remove(stream);
        if (!removed) return musaErrorInvalidResourceHandle;
        if (Captures::any()) Captures::instance().stream_destroyed(removed->queue);
        StreamQueues::instance().close(removed->queue);
        return musaSuccess;
    });
}

musaError_t musaStreamSynchronize(musaStream_t stream) {
    musa_sim::ActivityCall call(__func__);
    return device_call([&] {
        Target target;
        musaError_t error = find_target(stream, &target);
        if (error == musaSuccess) call.waits_for(target);
        if (error == musaSuccess) error = capture_check(&Captures::check_wait, target);
        if (error != musaSuccess) return error;
        StreamQueues::instance().synchronize(target.queue);
        musa_sim::Executable::sweep();
        musa_sim::MemoryPools::instance().synchronized();
        std::fflush(stdout);
        return musa_sim::device_error(target.device);
    });
}

musaError_t musaStreamQuery(musaStream_t stream) {
    return device_call([&] {
        Target target;
        musaError_t error = find_target(stream, &target);
        if (error == musaSuccess) error = capture_check(&Captures::check_wait, target);
        if (error != musaSuccess) return error;
        if (!StreamQueues::instance().idle(target.queue)) return musaErrorNotReady;
        return musa_sim::device_error(target.device);
    });
}

musaError_t musaStreamGetFlags(musaStream_t stream, unsigned int* flags) {
    return device_call([&] {
        if (!flags) return musaErrorInvalidValue;
        const auto found = live_streams().find(stream);
        if (!found && !is_default_stream(stream)) return musaErrorInvalidResourceHandle;
        *flags = found ? found->flags : musaStreamDefault;
        return musaSuccess;
    });
}

musaError_t musaStreamGetPriority(musaStream_t stream, int* priority) {
    return device_call([&] {
        if (!priority) return musaErrorInvalidValue;
        const auto found = live_streams().find(stream);
        if (!found && !is_default_stream(stream)) return musaErrorInvalidResourceHandle;
        *priority = found ? found->priority : musa_sim::least_stream_priority;
        return musaSuccess;
    });
}

// Unlike a host function, a callback is called also after a kernel has failed, with its error; and it
// cannot be captured.
musaError_t musaStreamAddCallback(musaStream_t stream, musaStreamCallback_t callback,
                                  void* userData, unsigned int flags) {
    const musa_sim::ActivityCall call(__func__);
    return device_call([&] {
        if (!callback || flags != 0) return musaErrorInvalidValue;
        Target target;
        musaError_t error = find_work_target(stream, &target);
        if (error == musaSuccess) error = capture_check(&Captures::refuse, target);
        if (error != musaSuccess) return error;
        StreamQueues& queues = StreamQueues::instance();
        auto work = musa_sim::as_work([=, device = target.device] {
            call_host([&] { callback(stream, musa_sim::device_error(device), userData); });
        });
        const auto ticket = queues.submit(target.queue, std::move(work), Start::soon);
        if (!musa_sim::settings().asynchronous) queues.wait(ticket);
        return musaSuccess;
    });
}

musaError_t musaLaunchHostFunc(musaStream_t stream, musaHostFn_t function, void* userData) {
    const musa_sim::ActivityCall call(__func__);
    return device_call([&] {
        if (!function) return musaErrorInvalidValue;
        Target target;
        musaError_t error = find_work_target(stream, &target);
        if (error != musaSuccess) return error;
        if (musa_sim::is_captured(target)) {
            return Captures::instance().add(
                target, musaGraphNodeTypeHost, "host function",
                std::make_shared<musa_sim::HostNode>(musaHostNodeParams{function, userData}));
        }
        return musa_sim::enqueue(target, Completion::not_awaited, Start::soon,
                                 [=] { call_host([&] { function(userData); }); });
    });
}
