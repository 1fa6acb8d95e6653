#include "streams/events.h"

#include "base/lifetime.h"

namespace musa_sim {

LiveObjects<MUevent_st>& live_events() {
    static auto& events = leaked<LiveObjects<MUevent_st>>();
    return events;
}

}  // namespace musa_sim
