// Streams, as handles of the API.
//
// A stream is a queue of tasks (stream_queues.h). A handle that was never created, was destroyed, or
// belongs to another device is refused as on a GPU.
#pragma once

#include <memory>

#include "base/api.h"
#include "base/devices.h"
#include "base/live_objects.h"
#include "base/settings.h"
#include "streams/stream_queues.h"

namespace musa_sim {

// Hints of the program, which change nothing.
struct StreamHints {
    musaAccessPolicyWindow window{};
    musaSynchronizationPolicy policy = musaSyncPolicyAuto;
};

}  // namespace musa_sim

struct MUstream_st {
    int device;
    unsigned flags;
    int priority;
    std::shared_ptr<musa_sim::StreamQueue> queue;
    musa_sim::StreamHints hints{};
};

namespace musa_sim {

inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -1;

LiveObjects<MUstream_st>& live_streams();

bool is_default_stream(musaStream_t stream);

// The device and queue of a stream. The named default streams are those of the current device.
struct Target {
    int device;
    std::shared_ptr<StreamQueue> queue;
};
// musaErrorInvalidResourceHandle unless the stream is one of the default streams or alive.
musaError_t find_target(musaStream_t stream, Target* target);
// The default stream of the current device for a call that names none: the legacy one; after
// __musa_sim_default_of_thread(true) once that of the thread.
Target default_target();

enum class Completion { awaited, not_awaited };

// Run the work in the order of the target. If it is to be awaited, or MUSA_SIM_ASYNC=0, returns when
// it has run, with the error of the device.
musaError_t submit(const Target& target, Completion completion, Start start,
                   std::unique_ptr<Work> work);

// The same with body(), which does not run if a kernel has failed on the device before.
template <class Body>
musaError_t enqueue(const Target& target, Completion completion, Start start, Body body) {
    return submit(target, completion, start,
                  as_work([device = target.device, body = std::move(body)]() mutable {
                      if (!device_failed(device)) body();
                  }));
}

}  // namespace musa_sim
