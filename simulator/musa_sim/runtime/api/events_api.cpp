// Events: points in the order of a stream that others can wait for, and the time between them.
#include <cstdio>

#include "memory/memory_pools.h"
#include "streams/activity.h"
#include "streams/capture.h"
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

namespace {

// The event's last recording in *record, nullptr if there was none.
musaError_t find_record(musaEvent_t event, std::shared_ptr<const EventRecord>* record) {
    const std::shared_ptr<MUevent_st> found = live_events().find(event);
    if (!found) return musaErrorInvalidResourceHandle;
    *record = std::atomic_load(&found->record);
    return musaSuccess;
}

bool is_complete(const std::shared_ptr<const EventRecord>& record) {
    return !record || StreamQueues::instance().complete(record->ticket);
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
        *event = live_events().add({current_device(), flags});
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
        if (record->captured || queues.idle(target.queue)) {
            record->time = std::chrono::steady_clock::now();
        } else {
            auto work =
                musa_sim::as_work([record] { record->time = std::chrono::steady_clock::now(); });
            record->ticket = queues.submit(target.queue, std::move(work), Start::soon);
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
        std::shared_ptr<const EventRecord> record;
        if (error == musaSuccess) error = find_record(event, &record);
        if (error != musaSuccess) return error;
        const musa_sim::CapturedPoint* recorded = record ? record->captured.get() : nullptr;
        if (recorded || Captures::any()) {
            bool captured = false;
            error = Captures::instance().wait(target, recorded, &captured);
            if (captured) return error;
        }
        if (is_complete(record)) return musaSuccess;
        StreamQueues::instance().submit(target.queue, nullptr, Start::soon, {record->ticket});
        return musaSuccess;
    });
}

musaError_t musaEventSynchronize(musaEvent_t event) {
    const musa_sim::ActivityCall call(__func__);
    return device_call([&] {
        std::shared_ptr<const EventRecord> record;
        musaError_t error = find_record(event, &record);
        if (error == musaSuccess) error = check_capture(record);
        if (error != musaSuccess) return error;
        if (record) StreamQueues::instance().wait(record->ticket);
        musa_sim::MemoryPools::instance().synchronized();
        std::fflush(stdout);
        return musa_sim::device_error(current_device());
    });
}

musaError_t musaEventQuery(musaEvent_t event) {
    return device_call([&] {
        std::shared_ptr<const EventRecord> record;
        musaError_t error = find_record(event, &record);
        if (error == musaSuccess) error = check_capture(record);
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
