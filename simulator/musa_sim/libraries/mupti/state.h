// MUPTI's state: the enabled kinds of records, the subscriber, and the records that wait to be flushed.
#pragma once

#include <base/lifetime.h>
#include <mupti.h>
#include <musa_sim_activity.h>

#include <atomic>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../exported.h"

#define MUPTI_EXPORT MUSA_EXPORT MUptiResult MUPTIAPI

namespace mupti {

using Kinds = std::bitset<MUPTI_ACTIVITY_KIND_COUNT>;

// A record of any kind, as it is laid out in the program's buffers.
class Record {
public:
    template <class T>
    explicit Record(const T& record) : bytes_(sizeof record) {
        static_assert(sizeof record % 8 == 0, "records follow each other, aligned");
        std::memcpy(bytes_.data(), &record, sizeof record);
    }
    std::size_t size() const { return bytes_.size(); }
    void put(std::uint8_t* at) const { std::memcpy(at, bytes_.data(), bytes_.size()); }

private:
    std::vector<std::uint8_t> bytes_;
};
// Return the size of records of a kind, 0 if there are none.
std::size_t record_size(MUpti_ActivityKind kind);

// Convert an activity of the runtime to records of the enabled kinds. `offset`: from the runtime's clock to MUPTI's.
void add_records(const musa_sim_activity& activity, const Kinds& kinds, std::int64_t offset,
                 std::vector<Record>* records);

struct Subscriber {
    MUpti_CallbackFunc call;
    void* data;
    std::bitset<MUPTI_RUNTIME_TRACE_CBID_SIZE> calls;
};

class State {
public:
    static State& instance();

    MUptiResult set_buffers(MUpti_BuffersCallbackRequestFunc request, MUpti_BuffersCallbackCompleteFunc complete);
    MUptiResult enable(MUpti_ActivityKind kind);
    MUptiResult disable(MUpti_ActivityKind kind);
    MUptiResult flush();
    std::size_t take_dropped() { return dropped_.exchange(0); }

    MUptiResult subscribe(MUpti_SubscriberHandle* handle, MUpti_CallbackFunc call, void* data);
    MUptiResult unsubscribe(MUpti_SubscriberHandle handle);
    // Enable callbacks for all calls of the runtime, or for one callback id.
    MUptiResult enable_calls(bool enable, MUpti_SubscriberHandle handle, MUpti_CallbackDomain domain,
                             const MUpti_CallbackId* one);

    void finalize();

private:
    // The caller holds the mutex:
    bool is_mine(MUpti_SubscriberHandle handle) const;
    void collect();
    MUptiResult begin_recording();
    MUptiResult observe_as_needed();

    static void observe(int entered, const musa_sim_activity* call, void* data);
    void hear(bool entered, const musa_sim_activity& call);

    std::mutex mutex_;
    Kinds kinds_;
    bool recording_ = false;
    bool observing_ = false;
    std::int64_t offset_ = 0;
    std::vector<Record> records_;
    MUpti_BuffersCallbackRequestFunc request_ = nullptr;
    MUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
    std::unique_ptr<Subscriber> subscriber_;
    std::atomic<std::size_t> dropped_{0};
};

// Return the callback id of a function of the runtime that submits work or waits for it. Other names belong to the work
// of libraries, which launches kernels on a card.
MUpti_CallbackId number_of_call(const char* name);

// The external correlation ids of the calling thread.
std::vector<std::uint64_t>& external_stack(MUpti_ExternalCorrelationKind kind);
bool is_external_kind(MUpti_ExternalCorrelationKind kind);

std::uint64_t timestamp();
// The offset from the runtime's clock to MUPTI's.
std::int64_t clock_offset();

inline std::uint32_t context_id(int device) { return static_cast<std::uint32_t>(device) + 1; }

}  // namespace mupti
