#include "streams/event_nodes.h"

#include <chrono>

namespace musa_sim {

Ticket EventRecordNode::submit(const Target& target, std::vector<Ticket> after) const {
    auto record = std::make_shared<EventRecord>();
    auto work = as_work([record] { record->time = std::chrono::steady_clock::now(); });
    record->ticket =
        StreamQueues::instance().submit(target.queue, std::move(work), Start::soon, std::move(after));
    std::atomic_store(&event().record, std::shared_ptr<const EventRecord>(record));
    return record->ticket;
}

Ticket EventWaitNode::submit(const Target& target, std::vector<Ticket> after) const {
    const std::shared_ptr<const EventRecord> record = std::atomic_load(&event().record);
    if (record && !record->captured) after.push_back(record->ticket);
    return StreamQueues::instance().submit(target.queue, nullptr, Start::soon, std::move(after));
}

}  // namespace musa_sim
