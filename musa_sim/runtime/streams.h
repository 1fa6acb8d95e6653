// Streams and events.
//
// Work is done when it is submitted, so a stream has nothing to wait for and an event is complete
// once it is recorded. The objects are real all the same: a handle that was never created, was
// destroyed, or belongs to another device is refused as on a GPU.
#pragma once

#include <chrono>
#include <mutex>
#include <unordered_set>

#include "api.h"

struct MUstream_st {
    int device;
    unsigned flags;
    int priority;
};

struct MUevent_st {
    int device;
    unsigned flags;
    bool recorded = false;
    std::chrono::steady_clock::time_point time{};
};

namespace musa_sim {

// Handles that are alive. A handle that is not is never followed.
template <class Object>
class LiveObjects {
public:
    Object* add(const Object& object) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto* created = new Object(object);
        objects_.insert(created);
        return created;
    }
    bool remove(Object* object) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (objects_.erase(object) == 0) return false;
        delete object;
        return true;
    }
    bool contains(Object* object) {
        std::lock_guard<std::mutex> lock(mutex_);
        return objects_.count(object) != 0;
    }
    std::mutex& mutex() { return mutex_; }

private:
    std::mutex mutex_;
    std::unordered_set<Object*> objects_;
};

LiveObjects<MUstream_st>& live_streams();
LiveObjects<MUevent_st>& live_events();

bool is_default_stream(musaStream_t stream);

// musaErrorInvalidResourceHandle unless the stream is one of the default streams or alive.
musaError_t check_stream(musaStream_t stream);
// The same, and the stream must belong to the current device.
musaError_t check_stream_of_current_device(musaStream_t stream);

}  // namespace musa_sim
