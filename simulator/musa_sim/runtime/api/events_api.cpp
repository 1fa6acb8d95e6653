// Events: points in the order of a stream that others can wait for, and the time between them.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "memory/memory_pools.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/conditions.h"
#include "streams/event_nodes.h"

using musa_sim::api_call;
using musa_sim::Captures;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::EventRecord;
using musa_sim::find_work_target;
using musa_sim::live_events;
using musa_sim::Start;
using musa_sim::StreamQueues;
using musa_sim::Target;
using musa_sim::Ticket;

namespace {

// The last recording of an event, in this process or in another one.
struct LastRecord {
    std::shared_ptr<const EventRecord> here{};  // nullptr if there was none
    std::shared_ptr<musa_sim::SharedEvent> shared{};
    std::uint64_t number = 0;  // of the shared event's recordings

    bool is_complete_elsewhere() const { return !shared || shared->is_complete(number); }
};

musaError_t find_record(musaEvent_t event, LastRecord* record) {
    const std::shared_ptr<MUevent_st> found = live_events().find(event);
    if (!found) return musaErrorInvalidResourceHandle;
    *record = {std::atomic_load(&found->record), found->shared, found->shared ? found->shared->last() : 0};
    return musaSuccess;
}

bool is_complete(const std::shared_ptr<const EventRecord>& record) {
    return !record || StreamQueues::instance().complete(record->ticket);
}

bool is_complete(const LastRecord& record) { return is_complete(record.here) && record.is_complete_elsewhere(); }

// Tickets that are complete when the record is.
musaError_t tickets_of(const LastRecord& record, std::vector<Ticket>* tickets) {
    if (record.here) tickets->push_back(record.here->ticket);
    if (record.is_complete_elsewhere()) return musaSuccess;
    return musa_sim::Conditions::instance().when([record] { return record.is_complete_elsewhere(); },
                                                 &tickets->emplace_back());
}

// Another process may run what was recorded.
void wait_elsewhere(const LastRecord& record) {
    while (!record.is_complete_elsewhere()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// Notes the recording of a shared event: reached() is called when the stream comes to it.
auto reached(const std::shared_ptr<EventRecord>& record, const std::shared_ptr<musa_sim::SharedEvent>& shared) {
    return [record, shared, number = shared ? shared->record() : 0] {
        record->time = std::chrono::steady_clock::now();
        if (shared) shared->complete(number);
    };
}

musaError_t check_capture(const std::shared_ptr<const EventRecord>& record) {
    const musa_sim::CapturedPoint* recorded = record ? record->captured.get() : nullptr;
    if (!recorded && !Captures::any()) return musaSuccess;
    return Captures::instance().check_event(recorded);
}

// The flags for external events mean a node of the captured stream's graph.
template <class Node>
musaError_t add_external(musaEvent_t event, musaStream_t stream, musaGraphNodeType type) {
    const std::shared_ptr<MUevent_st> found = live_events().find(event);
    if (!found) return musaErrorInvalidResourceHandle;
    Target target;
    const musaError_t error = find_work_target(stream, &target);
    if (error != musaSuccess) return error;
    if (!musa_sim::is_captured(target)) return musaErrorIllegalState;
    return Captures::instance().add(target, type, "event", std::make_shared<Node>(found));
}

}  // namespace

musaError_t musaEventCreate(musaEvent_t* event) {
    return musaEventCreateWithFlags(event, musaEventDefault);
}

musaError_t musaEventCreateWithFlags(musaEvent_t* event, unsigned int flags) {
    return device_call([&] {
        constexpr unsigned known =
            musaEventBlockingSync | musaEventDisableTiming | musaEventInterprocess;
        if (!event || (flags & ~known) != 0) return musaErrorInvalidValue;
        // Timing needs the clock of the process that records.
        const bool shared = flags & musaEventInterprocess;
        if (shared && !(flags & musaEventDisableTiming)) return musaErrorInvalidValue;
        std::shared_ptr<musa_sim::SharedEvent> words = shared ? musa_sim::SharedEvent::create() : nullptr;
        if (shared && !words) return musaErrorMemoryAllocation;
        *event = live_events().add({current_device(), flags, {}, std::move(words)});
        return musaSuccess;
    });
}

musaError_t musaEventDestroy(musaEvent_t event) {
    return api_call(
        [&] { return live_events().remove(event) ? musaSuccess : musaErrorInvalidResourceHandle; });
}

musaError_t musaEventRecord(musaEvent_t event, musaStream_t stream) {
    return device_call([&] {
        const std::shared_ptr<MUevent_st> found = live_events().find(event);
        if (!found) return musaErrorInvalidResourceHandle;
        Target target;
        musaError_t error = find_work_target(stream, &target);
        if (error != musaSuccess) return error;
        if (found->device != target.device) return musaErrorInvalidResourceHandle;

        StreamQueues& queues = StreamQueues::instance();
        auto record = std::make_shared<EventRecord>();
        if (Captures::any()) record->captured = Captures::instance().point(target);
        if (record->captured) {
            record->time = std::chrono::steady_clock::now();
        } else if (auto note = reached(record, found->shared); queues.idle(target.queue)) {
            note();
        } else {
            record->ticket = queues.submit(target.queue, musa_sim::as_work(std::move(note)), Start::soon);
        }
        std::atomic_store(&found->record, std::shared_ptr<const EventRecord>(record));
        return musaSuccess;
    });
}

musaError_t musaEventRecordWithFlags(musaEvent_t event, musaStream_t stream, unsigned int flags) {
    if (flags > musaEventRecordExternal) return api_call([] { return musaErrorInvalidValue; });
    if (flags == musaEventRecordDefault) return musaEventRecord(event, stream);
    return device_call([&] {
        return add_external<musa_sim::EventRecordNode>(event, stream, musaGraphNodeTypeEventRecord);
    });
}

musaError_t musaStreamWaitEvent(musaStream_t stream, musaEvent_t event, unsigned int flags) {
    return device_call([&] {
        if (flags > musaEventWaitExternal) return musaErrorInvalidValue;
        if (flags == musaEventWaitExternal)
            return add_external<musa_sim::EventWaitNode>(event, stream, musaGraphNodeTypeWaitEvent);
        Target target;
        musaError_t error = find_work_target(stream, &target);
        LastRecord record;
        if (error == musaSuccess) error = find_record(event, &record);
        if (error != musaSuccess) return error;
        const musa_sim::CapturedPoint* recorded = record.here ? record.here->captured.get() : nullptr;
        if (recorded || Captures::any()) {
            bool captured = false;
            error = Captures::instance().wait(target, recorded, &captured);
            if (captured) return error;
        }
        if (is_complete(record)) return musaSuccess;
        std::vector<Ticket> tickets;
        error = tickets_of(record, &tickets);
        if (error == musaSuccess) StreamQueues::instance().submit(target.queue, nullptr, Start::soon, std::move(tickets));
        return error;
    });
}

musaError_t musaEventSynchronize(musaEvent_t event) {
    const musa_sim::ActivityCall call(__func__);
    return device_call([&] {
        LastRecord record;
        musaError_t error = find_record(event, &record);
        if (error == musaSuccess) error = check_capture(record.here);
        if (error != musaSuccess) return error;
        if (record.here) StreamQueues::instance().wait(record.here->ticket);
        wait_elsewhere(record);
        musa_sim::MemoryPools::instance().synchronized();
        std::fflush(stdout);
        return musa_sim::device_error(current_device());
    });
}

musaError_t musaEventQuery(musaEvent_t event) {
    return device_call([&] {
        LastRecord record;
        musaError_t error = find_record(event, &record);
        if (error == musaSuccess) error = check_capture(record.here);
        if (error != musaSuccess) return error;
        if (!is_complete(record)) return musaErrorNotReady;
        return musa_sim::device_error(current_device());
    });
}

musaError_t musaEventElapsedTime(float* milliseconds, musaEvent_t start, musaEvent_t end) {
    return device_call([&] {
        if (!milliseconds) return musaErrorInvalidValue;
        std::shared_ptr<const EventRecord> records[2];
        for (int i = 0; i < 2; ++i) {
            const std::shared_ptr<MUevent_st> found = live_events().find(i == 0 ? start : end);
            if (!found || (found->flags & musaEventDisableTiming))
                return musaErrorInvalidResourceHandle;
            records[i] = std::atomic_load(&found->record);
            if (!records[i]) return musaErrorInvalidResourceHandle;
        }
        for (const auto& record : records) {
            if (record->captured) return check_capture(record);
        }
        if (!is_complete(records[0]) || !is_complete(records[1])) return musaErrorNotReady;
        *milliseconds =
            std::chrono::duration<float, std::milli>(records[1]->time - records[0]->time).count();
        return musaSuccess;
    });
}

musaError_t musaEventElapsedTime_v2(float* milliseconds, musaEvent_t start, musaEvent_t end) {
    return musaEventElapsedTime(milliseconds, start, end);
}
