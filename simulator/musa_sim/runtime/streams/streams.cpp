#include "streams/streams.h"

#include <utility>

#include "base/device_abi.h"
#include "base/lifetime.h"

namespace musa_sim {
namespace {

// The default streams of one thread, which musaStreamPerThread means.
class ThreadStreams {
public:
    ~ThreadStreams() {
        for (const auto& queue : queues_) {
            if (queue) StreamQueues::instance().close(queue);
        }
    }
    const std::shared_ptr<StreamQueue>& of(int device) {
        const auto index = static_cast<std::size_t>(device);
        if (queues_.size() <= index) queues_.resize(index + 1);
        if (!queues_[index])
            queues_[index] = StreamQueues::instance().create(device, StreamKind::blocking, 0);
        return queues_[index];
    }

private:
    std::vector<std::shared_ptr<StreamQueue>> queues_;
};

// Taken back by the first call that asks, as that may run work of other calls while it waits.
thread_local bool next_is_of_thread = false;

Target target_of_thread() { return {current_device(), PerThread<ThreadStreams>::get().of(current_device())}; }

Target legacy_target() {
    const int device = current_device();
    return {device, StreamQueues::instance().default_queue(device)};
}

}  // namespace

LiveObjects<MUstream_st>& live_streams() {
    static auto& streams = leaked<LiveObjects<MUstream_st>>();
    return streams;
}

bool is_default_stream(musaStream_t stream) {
    return stream == nullptr || stream == musaStreamLegacy || stream == musaStreamPerThread;
}

Target default_target() { return std::exchange(next_is_of_thread, false) ? target_of_thread() : legacy_target(); }

musaError_t find_target(musaStream_t stream, Target* target) {
    if (stream == musaStreamPerThread) {
        *target = target_of_thread();
        return musaSuccess;
    }
    if (is_default_stream(stream)) {
        *target = legacy_target();
        return musaSuccess;
    }
    const std::shared_ptr<MUstream_st> found = live_streams().find(stream);
    if (!found) return musaErrorInvalidResourceHandle;
    *target = {found->device, found->queue};
    return musaSuccess;
}

musaError_t submit(const Target& target, Completion completion, Start start,
                   std::unique_ptr<Work> work) {
    const bool awaited = completion == Completion::awaited || !settings().asynchronous;
    StreamQueues& queues = StreamQueues::instance();
    const Ticket ticket =
        queues.submit(target.queue, std::move(work), awaited ? Start::by_waiter : start);
    if (!awaited) return musaSuccess;
    queues.wait(ticket);
    return completion == Completion::awaited ? device_error(target.device) : musaSuccess;
}

}  // namespace musa_sim

void __musa_sim_default_of_thread(bool whether) { musa_sim::next_is_of_thread = whether; }
