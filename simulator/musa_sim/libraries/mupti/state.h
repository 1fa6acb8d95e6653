// The state of MUPTI: the kinds of records that the program wants, its subscriber, and records that were not flushed.
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

// A record of any kind, as it lies in a buffer of the program's.
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
// Of a record of this kind; 0 if no record has it.
std::size_t record_size(MUpti_ActivityKind kind);

// Add the records of these kinds that an activity of the runtime becomes. `offset`: from its clock to MUPTI's.
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
    // All calls of the runtime's, or that of one number.
    MUptiResult enable_calls(bool enable, MUpti_SubscriberHandle handle, MUpti_CallbackDomain domain,
                             const MUpti_CallbackId* one);

    void finalize();

private:
    // With the mutex held:
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

// The number of a function of the runtime that submits work or waits for it. Other names are those of libraries' work,
// which launches kernels on hardware.
MUpti_CallbackId number_of_call(const char* name);

// External correlations of the calling thread.
std::vector<std::uint64_t>& external_stack(MUpti_ExternalCorrelationKind kind);
bool is_external_kind(MUpti_ExternalCorrelationKind kind);

std::uint64_t timestamp();
// From the runtime's clock to MUPTI's.
std::int64_t clock_offset();

inline std::uint32_t context_id(int device) { return static_cast<std::uint32_t>(device) + 1; }

}  // namespace mupti
