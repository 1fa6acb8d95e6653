// Records for profilers (musa_sim_activity.h): the work of the devices, its times, and the call that submitted it.
//
// Without a profiler, every call reads one flag, and every piece of work carries a null pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include <musa_sim_activity.h>
#pragma GCC visibility pop

#include "streams/streams.h"

namespace musa_sim {

struct ActivityRecord {
    musa_sim_activity facts{};
    std::string name;
    std::uint64_t session = 0;
};

class Activities {
public:
    static Activities& instance();
    static bool recording() { return reads(recording_); }

    musaError_t start();
    // Return the activities that have ended, and count those that have not.
    std::vector<std::unique_ptr<ActivityRecord>> stop(std::size_t* unfinished);
    // Return the activities that have ended so far.
    std::vector<std::unique_ptr<ActivityRecord>> drain();

    // Calls are of interest to a profiler or an observer.
    static bool noting_calls() { return reads(noting_calls_); }
    musaError_t observe(musa_sim_activity_observer observer, void* data);
    void tell_observer(bool entered, const ActivityRecord& call);

    // A new activity of the calling thread, now; nullptr if the session is over, and for a call inside another.
    std::unique_ptr<ActivityRecord> submit(musa_sim_activity_kind kind, std::string name);
    // It has ended, now.
    void finish(std::unique_ptr<ActivityRecord> record);
    // It will never begin.
    void drop(std::unique_ptr<ActivityRecord> record);

    void push_external(std::uint64_t external);
    void pop_external();

    std::mutex& mutex() { return mutex_; }  // for fork()
    void after_fork_in_child();

private:
    struct Observer {
        musa_sim_activity_observer call;
        void* data;
    };

    static bool reads(const std::atomic<bool>& flag) {
#ifdef MUSA_SIM_WITHOUT_ACTIVITIES  // benchmarks/profiler_off.py: the cost of the test
        return false;
#else
        return __builtin_expect(flag.load(std::memory_order_relaxed), false);
#endif
    }
    void set_recording(bool recording);

    static inline std::atomic<bool> recording_{false};
    static inline std::atomic<bool> noting_calls_{false};  // recording_, or there is an observer
    std::atomic<const Observer*> observer_{nullptr};       // never freed: a call may be telling it
    std::mutex mutex_;
    std::atomic<std::uint64_t> session_{0};  // changed with the mutex held
    // PyTorch numbers its operators from 1 on and looks up both kinds of numbers in one table. A number is given once
    // in a process: not again in the next session.
    std::uint32_t last_correlation_ = 1u << 30;
    std::size_t unfinished_ = 0;
    std::vector<std::unique_ptr<ActivityRecord>> ended_;
};

// A call of the API, for as long as the object lives. One inside another is part of it.
class ActivityCall {
public:
    explicit ActivityCall(const char* name) {
        if (Activities::noting_calls()) begin(name);
    }
    ~ActivityCall() {
        if (__builtin_expect(record_ != nullptr, false)) end();
    }
    ActivityCall(const ActivityCall&) = delete;
    ActivityCall& operator=(const ActivityCall&) = delete;

    // It waits for this stream; so does the call that it is part of.
    static void waits_for(const Target& target) {
        if (Activities::noting_calls()) note_stream(target);
    }

private:
    [[gnu::cold]] void begin(const char* name);
    [[gnu::cold]] void end();
    [[gnu::cold]] static void note_stream(const Target& target);

    ActivityRecord* record_ = nullptr;  // its own
};

// A piece of a device's work; empty without a profiler.
class ActivityOfWork {
public:
    ActivityOfWork() = default;
    // describe(facts) adds the facts of this kind of work; name() is called only with a profiler.
    template <class Name, class Describe>
    ActivityOfWork(musa_sim_activity_kind kind, const Target& target, Name&& name,
                   Describe&& describe) {
        if (!Activities::recording()) return;
        submit(kind, target, name());
        if (record_) describe(record_->facts);
    }

    // Run the work. If the thread is ended inside, as Python ends threads, the work has no end for a profiler.
    template <class Body>
    void run(Body&& body) {
        if (__builtin_expect(record_ != nullptr, false)) begin();
        body();
        if (__builtin_expect(record_ != nullptr, false)) end();
    }
    void begin();
    void end();
    void drop();
    bool empty() const { return !record_; }

private:
    void submit(musa_sim_activity_kind kind, const Target& target, std::string name);

    std::unique_ptr<ActivityRecord> record_;
};

}  // namespace musa_sim
