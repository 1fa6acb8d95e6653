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
#include <set>
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

struct CallNumber {
    MUpti_CallbackDomain domain;
    MUpti_CallbackId id;
};
// Return the callback id of a function of the runtime or the driver that submits work or waits for it. Other names belong
// to the work of libraries, which launches kernels on a card.
CallNumber number_of_call(const char* name);

// The callbacks that a subscriber has enabled.
struct Subscriber {
    MUpti_CallbackFunc call;
    void* data;
    std::bitset<MUPTI_RUNTIME_TRACE_CBID_SIZE> runtime;
    std::bitset<MUPTI_DRIVER_TRACE_CBID_SIZE> driver;
    std::bitset<MUPTI_CBID_RESOURCE_SIZE> resources;  // reported: new contexts alone
    std::set<int> devices;                            // whose contexts it knows

    bool wants(const CallNumber& call) const {
        return call.domain == MUPTI_CB_DOMAIN_DRIVER_API ? driver[call.id] : runtime[call.id];
    }
    bool wants_contexts() const { return resources[MUPTI_CBID_RESOURCE_CONTEXT_CREATED]; }
    bool wants_any() const { return runtime.any() || driver.any() || wants_contexts(); }
};

// Memory of the program for records: at most so many bytes and so many records (0: any number).
struct Buffer {
    std::uint8_t* begin = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
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
    // Enable callbacks for all calls of a domain, or for one callback id.
    MUptiResult enable_calls(bool enable, MUpti_SubscriberHandle handle, MUpti_CallbackDomain domain,
                             const MUpti_CallbackId* one);

    void finalize();

private:
    // The caller holds the mutex:
    bool is_mine(MUpti_SubscriberHandle handle) const;
    void collect();
    MUptiResult begin_recording();
    MUptiResult observe_as_needed();

    // Ask the program for a buffer when the first record is under way, as CUPTI does: kineto flushes only if it was asked.
    void open_buffer();
    void tell_context(int device);
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
    Buffer open_;
    bool asking_ = false;
    std::unique_ptr<Subscriber> subscriber_;
    std::atomic<std::size_t> dropped_{0};
};

// The external correlation ids of the calling thread.
std::vector<std::uint64_t>& external_stack(MUpti_ExternalCorrelationKind kind);
bool is_external_kind(MUpti_ExternalCorrelationKind kind);

std::uint64_t timestamp();
// The offset from the runtime's clock to MUPTI's.
std::int64_t clock_offset();

inline std::uint32_t context_id(int device) { return static_cast<std::uint32_t>(device) + 1; }

}  // namespace mupti
