// Streams and events, as handles of the API.
//
// A stream is a queue of tasks (stream_queues.h), an event a point in one. A handle that was never
// created, was destroyed, or belongs to another device is refused as on a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/api.h"
#include "base/devices.h"
#include "base/settings.h"
#include "streams/stream_queues.h"

struct MUstream_st {
    int device;
    unsigned flags;
    int priority;
    std::shared_ptr<musa_sim::StreamQueue> queue;
};

namespace musa_sim {

struct CapturedPoint;  // capture.h

// One recording of an event: when its task ran is known once the ticket is complete. One in a
// captured stream never runs.
struct EventRecord {
    Ticket ticket;
    std::chrono::steady_clock::time_point time{};
    std::shared_ptr<const CapturedPoint> captured{};
};

}  // namespace musa_sim

struct MUevent_st {
    int device;
    unsigned flags;
    // The last recording; nullptr if there was none. Accessed with std::atomic_load and _store.
    std::shared_ptr<const musa_sim::EventRecord> record{};
};

namespace musa_sim {

// Handles that are alive. A handle that is not is never followed; what find() returned stays valid
// although another thread destroys it.
template <class Object>
class LiveObjects {
public:
    Object* add(Object object) {
        auto created = std::make_shared<Object>(std::move(object));
        std::lock_guard<std::mutex> lock(mutex_);
        objects_.emplace(created.get(), created);
        return created.get();
    }
    // nullptr if there is none; the object ends with the returned pointer.
    std::shared_ptr<Object> remove(Object* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }
    std::shared_ptr<Object> find(Object* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }
    // One of which the predicate holds; nullptr if there is none.
    template <class Predicate>
    std::shared_ptr<Object> find_if(Predicate&& predicate) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found =
            std::find_if(objects_.begin(), objects_.end(),
                         [&](const auto& entry) { return predicate(*entry.second); });
        return found == objects_.end() ? nullptr : found->second;
    }
    std::mutex& mutex() { return mutex_; }

private:
    std::mutex mutex_;
    std::unordered_map<Object*, std::shared_ptr<Object>> objects_;
};

LiveObjects<MUstream_st>& live_streams();
LiveObjects<MUevent_st>& live_events();

bool is_default_stream(musaStream_t stream);

// Where the work of a stream goes. The named default streams are those of the current device.
struct Target {
    int device;
    std::shared_ptr<StreamQueue> queue;
};
// musaErrorInvalidResourceHandle unless the stream is one of the default streams or alive.
musaError_t find_target(musaStream_t stream, Target* target);
// The legacy default stream of the current device.
Target default_target();

enum class Completion { awaited, not_awaited };

// Runs the work in the order of the target. If it is to be awaited, or MUSA_SIM_ASYNC=0, returns when
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
