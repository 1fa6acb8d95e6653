// Events, as handles of the API: points in streams.
#pragma once

#include <chrono>
#include <memory>

#include "base/live_objects.h"
#include "streams/capture.h"
#include "streams/shared_event.h"
#include "streams/stream_queues.h"

namespace musa_sim {

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
    // The part that other processes share; nullptr if none may.
    std::shared_ptr<musa_sim::SharedEvent> shared{};
};

namespace musa_sim {

LiveObjects<MUevent_st>& live_events();

}  // namespace musa_sim
