#include "state.h"

#include <musa.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mupti {
namespace {

using ExternalStacks = std::array<std::vector<std::uint64_t>, MUPTI_EXTERNAL_CORRELATION_KIND_SIZE>;

bool is_recorded(MUpti_ActivityKind kind) {
    switch (kind) {
        // The simulator does nothing that these record.
        case MUPTI_ACTIVITY_KIND_OVERHEAD:
        case MUPTI_ACTIVITY_KIND_MEMORY_ATOMIC:
        case MUPTI_ACTIVITY_KIND_MEMORY_ATOMIC_VALUE:
        case MUPTI_ACTIVITY_KIND_MEMORY_TRANSFER: return true;
        default: return record_size(kind) != 0;
    }
}

bool is_kind(MUpti_ActivityKind kind) {
    return kind > MUPTI_ACTIVITY_KIND_INVALID && kind < MUPTI_ACTIVITY_KIND_COUNT && is_recorded(kind);
}

bool is_usable(const Buffer& buffer) { return buffer.begin && buffer.size != 0; }

Buffer ask(MUpti_BuffersCallbackRequestFunc request) {
    Buffer buffer;
    request(&buffer.begin, &buffer.size, &buffer.most);
    return buffer;
}

// Fill the open buffer, and others that the program provides, with the records; return how many did not fit.
std::size_t deliver(const std::vector<Record>& records, Buffer open, MUpti_BuffersCallbackRequestFunc request,
                    MUpti_BuffersCallbackCompleteFunc complete) {
    std::size_t next = 0;
    while (next < records.size()) {
        Buffer buffer = std::exchange(open, {});
        if (!is_usable(buffer)) buffer = ask(request);
        if (!is_usable(buffer)) break;
        if (buffer.most == 0) buffer.most = records.size();
        std::size_t used = 0;
        for (; next < records.size() && buffer.most > 0 && used + records[next].size() <= buffer.size; ++next) {
            records[next].put(buffer.begin + used);
            used += records[next].size();
            --buffer.most;
        }
        complete(nullptr, 0, buffer.begin, buffer.size, used);
        if (used == 0) break;  // too small for a record
    }
    return records.size() - next;
}

}  // namespace

State& State::instance() {
    static State& state = musa_sim::leaked<State>();
    return state;
}

bool is_external_kind(MUpti_ExternalCorrelationKind kind) {
    return kind > MUPTI_EXTERNAL_CORRELATION_KIND_INVALID && kind < MUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
}

std::vector<std::uint64_t>& external_stack(MUpti_ExternalCorrelationKind kind) {
    return musa_sim::PerThread<ExternalStacks>::get()[static_cast<std::size_t>(kind)];
}

MUptiResult State::set_buffers(MUpti_BuffersCallbackRequestFunc request, MUpti_BuffersCallbackCompleteFunc complete) {
    if (!request || !complete) return MUPTI_ERROR_INVALID_PARAMETER;
    std::lock_guard<std::mutex> lock(mutex_);
    request_ = request;
    complete_ = complete;
    return MUPTI_SUCCESS;
}

// The kinds that are enabled when work ends decide its records.
void State::collect() {
    if (!recording_) return;
    musa_sim_activity_drain(
        [](const musa_sim_activity* activity, void* data) {
            auto& state = *static_cast<State*>(data);
            add_records(*activity, state.kinds_, state.offset_, &state.records_);
        },
        this);
}

MUptiResult State::begin_recording() {
    if (recording_ && musa_sim_activity_active()) return MUPTI_SUCCESS;  // in the child of a fork() it is not
    if (musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION) != musaSuccess)
        return MUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    recording_ = true;
    offset_ = clock_offset();
    return MUPTI_SUCCESS;
}

void State::open_buffer() {
    MUpti_BuffersCallbackRequestFunc request = nullptr;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!recording_ || !request_ || asking_ || is_usable(open_)) return;
        asking_ = true;
        request = request_;
    }
    const Buffer buffer = ask(request);  // the program's callback may call MUPTI
    std::lock_guard<std::mutex> lock(mutex_);
    asking_ = false;
    open_ = buffer;
}

MUptiResult State::enable(MUpti_ActivityKind kind) {
    if (!is_kind(kind)) return MUPTI_ERROR_INVALID_KIND;
    std::lock_guard<std::mutex> lock(mutex_);
    collect();
    const MUptiResult result = begin_recording();
    if (result != MUPTI_SUCCESS) return result;
    kinds_.set(kind);
    return observe_as_needed();
}

MUptiResult State::disable(MUpti_ActivityKind kind) {
    if (!is_kind(kind)) return MUPTI_ERROR_INVALID_KIND;
    std::lock_guard<std::mutex> lock(mutex_);
    collect();
    kinds_.reset(kind);
    if (recording_ && kinds_.none()) {
        musa_sim_activity_stop([](const musa_sim_activity*, void*) {}, nullptr);
        recording_ = false;
    }
    return observe_as_needed();
}

MUptiResult State::flush() {
    std::unique_lock<std::mutex> lock(mutex_);
    collect();
    if (!request_) return records_.empty() ? MUPTI_SUCCESS : MUPTI_ERROR_INVALID_OPERATION;
    if (records_.empty()) return MUPTI_SUCCESS;
    const std::vector<Record> records = std::exchange(records_, {});
    const Buffer open = std::exchange(open_, {});
    const auto request = request_;
    const auto complete = complete_;
    lock.unlock();  // the program's callbacks may call MUPTI
    dropped_ += deliver(records, open, request, complete);
    return MUPTI_SUCCESS;
}

bool State::is_mine(MUpti_SubscriberHandle handle) const {
    return subscriber_ && reinterpret_cast<MUpti_SubscriberHandle>(subscriber_.get()) == handle;
}

MUptiResult State::observe_as_needed() {
    const bool needed = recording_ || (subscriber_ && subscriber_->wants_any());
    if (needed == observing_) return MUPTI_SUCCESS;
    if (musa_sim_activity_observe(needed ? &State::observe : nullptr, this) != musaSuccess)
        return MUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    observing_ = needed;
    return MUPTI_SUCCESS;
}

MUptiResult State::subscribe(MUpti_SubscriberHandle* handle, MUpti_CallbackFunc call, void* data) {
    if (!handle) return MUPTI_ERROR_INVALID_PARAMETER;
    std::lock_guard<std::mutex> lock(mutex_);
    if (subscriber_) return MUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    subscriber_ = std::make_unique<Subscriber>(Subscriber{call, data, {}, {}, {}, {}});
    *handle = reinterpret_cast<MUpti_SubscriberHandle>(subscriber_.get());
    return MUPTI_SUCCESS;
}

MUptiResult State::unsubscribe(MUpti_SubscriberHandle handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_mine(handle)) return MUPTI_ERROR_INVALID_PARAMETER;
    subscriber_.reset();
    return observe_as_needed();
}

MUptiResult State::enable_calls(bool enable, MUpti_SubscriberHandle handle, MUpti_CallbackDomain domain,
                                const MUpti_CallbackId* one) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_mine(handle) || domain <= MUPTI_CB_DOMAIN_INVALID || domain >= MUPTI_CB_DOMAIN_SIZE)
        return MUPTI_ERROR_INVALID_PARAMETER;
    const auto enable_in = [&](auto& calls) {
        if (one && (*one == 0 || *one >= calls.size())) return MUPTI_ERROR_INVALID_PARAMETER;
        if (one) {
            calls.set(*one, enable);
        } else if (enable) {
            calls.set();
        } else {
            calls.reset();
        }
        return observe_as_needed();
    };
    switch (domain) {
        case MUPTI_CB_DOMAIN_RUNTIME_API: return enable_in(subscriber_->runtime);
        case MUPTI_CB_DOMAIN_DRIVER_API: return enable_in(subscriber_->driver);
        case MUPTI_CB_DOMAIN_RESOURCE: return enable_in(subscriber_->resources);
        default: return MUPTI_ERROR_NOT_SUPPORTED;
    }
}

void State::observe(int entered, const musa_sim_activity* call, void* data) {
    static_cast<State*>(data)->hear(entered != 0, *call);
}

// Contexts exist from the beginning here; one counts as created when a thread first submits work to its device.
void State::tell_context(int device) {
    Subscriber subscriber{};
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!subscriber_ || !subscriber_->wants_contexts() || !subscriber_->devices.insert(device).second) return;
        subscriber = *subscriber_;
    }
    MUpti_ResourceData facts{};
    if (!subscriber.call || muDevicePrimaryCtxRetain(&facts.context, device) != MUSA_SUCCESS) return;
    subscriber.call(subscriber.data, MUPTI_CB_DOMAIN_RESOURCE, MUPTI_CBID_RESOURCE_CONTEXT_CREATED, &facts);
}

void State::hear(bool entered, const musa_sim_activity& call) {
    if (entered) {
        tell_context(call.device);
        open_buffer();
    }
    const CallNumber number = number_of_call(call.name);
    Subscriber subscriber{};
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (entered && kinds_[MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION]) {
            for (int kind = 1; kind < MUPTI_EXTERNAL_CORRELATION_KIND_SIZE; ++kind) {
                const auto external = static_cast<MUpti_ExternalCorrelationKind>(kind);
                const std::vector<std::uint64_t>& stack = external_stack(external);
                if (stack.empty()) continue;
                records_.emplace_back(MUpti_ActivityExternalCorrelation{MUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                                                        external, stack.back(), call.correlation, 0});
            }
        }
        if (subscriber_) subscriber = *subscriber_;
    }
    if (!subscriber.call || !subscriber.wants(number)) return;
    static thread_local std::uint64_t kept = 0;
    MUcontext context = nullptr;
    if (muCtxGetCurrent(&context) != MUSA_SUCCESS) context = nullptr;
    const MUpti_CallbackData facts{entered ? MUPTI_API_ENTER : MUPTI_API_EXIT,
                                   call.name,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   context,
                                   context_id(call.device),
                                   &kept,
                                   call.correlation};
    subscriber.call(subscriber.data, number.domain, number.id, &facts);
}

void State::finalize() {
    std::unique_lock<std::mutex> lock(mutex_);
    kinds_.reset();
    subscriber_.reset();
    if (std::exchange(recording_, false)) musa_sim_activity_stop([](const musa_sim_activity*, void*) {}, nullptr);
    records_.clear();
    observe_as_needed();
    const Buffer open = std::exchange(open_, {});
    const auto complete = complete_;
    lock.unlock();
    if (is_usable(open)) complete(nullptr, 0, open.begin, open.size, 0);  // the program's again
}

}  // namespace mupti

using mupti::State;

MUPTI_EXPORT muptiActivityRegisterCallbacks(MUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                            MUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
    return State::instance().set_buffers(funcBufferRequested, funcBufferCompleted);
}

MUPTI_EXPORT muptiActivityEnable(MUpti_ActivityKind kind) { return State::instance().enable(kind); }

MUPTI_EXPORT muptiActivityDisable(MUpti_ActivityKind kind) { return State::instance().disable(kind); }

MUPTI_EXPORT muptiActivityFlushAll(uint32_t) { return State::instance().flush(); }

MUPTI_EXPORT muptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes, MUpti_Activity** record) {
    if (!buffer || !record) return MUPTI_ERROR_INVALID_PARAMETER;
    std::uint8_t* next = buffer;
    if (*record) {
        const std::size_t size = mupti::record_size((*record)->kind);
        if (size == 0) return MUPTI_ERROR_INVALID_KIND;
        next = reinterpret_cast<std::uint8_t*>(*record) + size;
    }
    if (next >= buffer + validBufferSizeBytes) return MUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<MUpti_Activity*>(next);
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiActivityGetNumDroppedRecords(MUcontext, uint32_t, size_t* dropped) {
    if (!dropped) return MUPTI_ERROR_INVALID_PARAMETER;
    *dropped = State::instance().take_dropped();
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiActivitySetAttribute(MUpti_ActivityAttribute, size_t* valueSize, void* value) {
    return valueSize && value ? MUPTI_SUCCESS : MUPTI_ERROR_INVALID_PARAMETER;
}

MUPTI_EXPORT muptiActivityPushExternalCorrelationId(MUpti_ExternalCorrelationKind kind, uint64_t id) {
    if (!mupti::is_external_kind(kind)) return MUPTI_ERROR_INVALID_PARAMETER;
    mupti::external_stack(kind).push_back(id);
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiActivityPopExternalCorrelationId(MUpti_ExternalCorrelationKind kind, uint64_t* lastId) {
    if (!mupti::is_external_kind(kind)) return MUPTI_ERROR_INVALID_PARAMETER;
    std::vector<std::uint64_t>& stack = mupti::external_stack(kind);
    if (stack.empty()) return MUPTI_ERROR_QUEUE_EMPTY;
    if (lastId) *lastId = stack.back();
    stack.pop_back();
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiFinalize() {
    State::instance().finalize();
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiSubscribe(MUpti_SubscriberHandle* subscriber, MUpti_CallbackFunc callback, void* userdata) {
    return State::instance().subscribe(subscriber, callback, userdata);
}

MUPTI_EXPORT muptiUnsubscribe(MUpti_SubscriberHandle subscriber) { return State::instance().unsubscribe(subscriber); }

MUPTI_EXPORT muptiEnableCallback(uint32_t enable, MUpti_SubscriberHandle subscriber, MUpti_CallbackDomain domain,
                                 MUpti_CallbackId cbid) {
    return State::instance().enable_calls(enable != 0, subscriber, domain, &cbid);
}

MUPTI_EXPORT muptiEnableDomain(uint32_t enable, MUpti_SubscriberHandle subscriber, MUpti_CallbackDomain domain) {
    return State::instance().enable_calls(enable != 0, subscriber, domain, nullptr);
}
