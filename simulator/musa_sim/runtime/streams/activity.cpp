#include "streams/activity.h"

#include <time.h>
#include <unistd.h>

#include "base/devices.h"
#include "base/lifetime.h"

namespace musa_sim {
namespace {

// The state of a thread; valid only for one session.
struct ThreadNotes {
    std::uint64_t session = 0;
    std::vector<std::uint64_t> external;
    std::uint32_t call = 0;  // the call that it is in, or 0
    // That call waits for this stream of this device; -1: for none.
    int device = -1;
    int stream = -1;

    static ThreadNotes& of(std::uint64_t session) {
        ThreadNotes& notes = PerThread<ThreadNotes>::get();
        if (notes.session != session) {
            notes.session = session;
            notes.external.clear();
            notes.call = 0;
        }
        return notes;
    }
};

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

Activities& Activities::instance() {
    static Activities& activities = leaked<Activities>();
    return activities;
}

musaError_t Activities::start() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (recording_.load()) return musaErrorNotPermitted;
    ++session_;
    unfinished_ = 0;
    set_recording(true);
    return musaSuccess;
}

std::vector<std::unique_ptr<ActivityRecord>> Activities::stop(std::size_t* unfinished) {
    std::lock_guard<std::mutex> lock(mutex_);
    set_recording(false);
    *unfinished = unfinished_;
    unfinished_ = 0;
    return std::exchange(ended_, {});
}

std::vector<std::unique_ptr<ActivityRecord>> Activities::drain() {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(ended_, {});
}

void Activities::set_recording(bool recording) {
    recording_.store(recording);
    noting_calls_.store(recording || observer_.load() != nullptr);
}

musaError_t Activities::observe(musa_sim_activity_observer observer, void* data) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (observer && observer_.load()) return musaErrorNotPermitted;
    observer_.store(observer ? new Observer{observer, data} : nullptr);
    set_recording(recording_.load());
    return musaSuccess;
}

void Activities::tell_observer(bool entered, const ActivityRecord& call) {
    const Observer* observer = observer_.load();
    if (!observer) return;
    musa_sim_activity facts = call.facts;
    facts.name = call.name.c_str();
    observer->call(entered, &facts, observer->data);
}

std::unique_ptr<ActivityRecord> Activities::submit(musa_sim_activity_kind kind, std::string name) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_.load() && (kind != musa_sim_activity_call || !observer_.load())) return nullptr;
    const ThreadNotes& notes = ThreadNotes::of(session_);
    if (kind == musa_sim_activity_call && notes.call != 0) return nullptr;  // part of that call
    auto record = std::make_unique<ActivityRecord>();
    record->name = std::move(name);
    record->session = session_;
    musa_sim_activity& facts = record->facts;
    facts.kind = kind;
    facts.correlation = notes.call != 0 ? notes.call : ++last_correlation_;
    facts.external_correlation = notes.external.empty() ? 0 : notes.external.back();
    facts.thread = gettid();
    facts.begin = now();
    if (recording_.load()) {
        ++unfinished_;
    } else {
        record->session = 0;  // for the observer alone
    }
    return record;
}

void Activities::finish(std::unique_ptr<ActivityRecord> record) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!recording_.load() || record->session != session_) return;
    --unfinished_;
    ended_.push_back(std::move(record));
}

void Activities::drop(std::unique_ptr<ActivityRecord> record) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (recording_.load() && record->session == session_) --unfinished_;
}

void Activities::push_external(std::uint64_t external) {
    ThreadNotes::of(session_).external.push_back(external);
}

void Activities::pop_external() {
    ThreadNotes& notes = ThreadNotes::of(session_);
    if (!notes.external.empty()) notes.external.pop_back();
}

// Do not profile the child; drop events inherited from the parent.
void Activities::after_fork_in_child() {
    set_recording(false);
    unfinished_ = 0;
    ended_.clear();
}

void ActivityCall::begin(const char* name) {
    record_ = Activities::instance().submit(musa_sim_activity_call, name).release();
    if (!record_) return;
    musa_sim_activity& facts = record_->facts;
    facts.device = current_device();
    facts.stream = -1;
    ThreadNotes& notes = PerThread<ThreadNotes>::get();
    notes.call = facts.correlation;
    notes.stream = -1;
    Activities::instance().tell_observer(true, *record_);
}

void ActivityCall::note_stream(const Target& target) {
    ThreadNotes& notes = PerThread<ThreadNotes>::get();
    notes.device = target.device;
    notes.stream = StreamQueues::number(target.queue);
}

void ActivityCall::end() {
    ThreadNotes& notes = PerThread<ThreadNotes>::get();
    musa_sim_activity& facts = record_->facts;
    if (notes.call == facts.correlation) {
        notes.call = 0;
        if (notes.stream != -1) {
            facts.device = notes.device;
            facts.stream = notes.stream;
        }
    }
    facts.end = now();
    Activities::instance().tell_observer(false, *record_);
    Activities::instance().finish(std::unique_ptr<ActivityRecord>(record_));
}

void ActivityOfWork::submit(musa_sim_activity_kind kind, const Target& target, std::string name) {
    record_ = Activities::instance().submit(kind, std::move(name));
    if (!record_) return;
    record_->facts.device = target.device;
    record_->facts.stream = StreamQueues::number(target.queue);
}

void ActivityOfWork::begin() { record_->facts.begin = now(); }

void ActivityOfWork::end() {
    record_->facts.end = now();
    Activities::instance().finish(std::move(record_));
}

void ActivityOfWork::drop() { Activities::instance().drop(std::move(record_)); }

}  // namespace musa_sim

using musa_sim::Activities;
using musa_sim::ActivityRecord;

musaError_t musa_sim_activity_start(int version) {
    if (version != MUSA_SIM_ACTIVITY_VERSION) return musaErrorInvalidValue;
    return Activities::instance().start();
}

namespace {

void visit_all(const std::vector<std::unique_ptr<ActivityRecord>>& records, musa_sim_activity_visit visit, void* data) {
    for (const auto& record : records) {
        record->facts.name = record->name.c_str();
        visit(&record->facts, data);
    }
}

}  // namespace

size_t musa_sim_activity_stop(musa_sim_activity_visit visit, void* data) {
    std::size_t unfinished = 0;
    visit_all(Activities::instance().stop(&unfinished), visit, data);
    return unfinished;
}

void musa_sim_activity_drain(musa_sim_activity_visit visit, void* data) {
    visit_all(Activities::instance().drain(), visit, data);
}

musaError_t musa_sim_activity_observe(musa_sim_activity_observer observer, void* data) {
    return Activities::instance().observe(observer, data);
}

struct musa_sim_call {
    musa_sim::ActivityCall call;
};

musa_sim_call* musa_sim_activity_call_enter(const char* name) {
    return Activities::noting_calls() ? new musa_sim_call{musa_sim::ActivityCall(name)} : nullptr;
}

void musa_sim_activity_call_leave(musa_sim_call* entered) { delete entered; }

musaError_t musa_sim_activity_stream(musaStream_t stream, int* number) {
    musa_sim::Target target;
    const musaError_t error = musa_sim::find_target(stream, &target);
    if (error == musaSuccess) *number = musa_sim::StreamQueues::number(target.queue);
    return error;
}

int musa_sim_activity_active() { return Activities::recording(); }

void musa_sim_activity_push_correlation(uint64_t external) {
    Activities::instance().push_external(external);
}

void musa_sim_activity_pop_correlation() { Activities::instance().pop_external(); }

// The call, until the operator begins, and then the operator.
struct musa_sim_operator {
    musa_sim_operator(const char* call_name, const char* name, const musa_sim::Target& target)
        : call(std::make_unique<musa_sim::ActivityCall>(call_name)),
          work(musa_sim_activity_operator, target, [=] { return std::string(name); },
               [](musa_sim_activity&) {}) {}

    std::unique_ptr<musa_sim::ActivityCall> call;
    musa_sim::ActivityOfWork work;
};

musa_sim_operator* musa_sim_activity_operator_submit(const char* call, const char* name,
                                                     musaStream_t stream) {
    if (!Activities::recording()) return nullptr;
    musa_sim::Target target;
    if (musa_sim::find_target(stream, &target) != musaSuccess) return nullptr;
    return new musa_sim_operator(call, name, target);
}

void musa_sim_activity_operator_begin(musa_sim_operator* submitted) {
    if (!submitted) return;
    submitted->call.reset();
    if (!submitted->work.empty()) submitted->work.begin();
}

void musa_sim_activity_operator_end(musa_sim_operator* submitted) {
    const std::unique_ptr<musa_sim_operator> mine(submitted);
    if (!mine || mine->work.empty()) return;
    if (mine->call) {  // has not begun
        mine->work.drop();
    } else {
        mine->work.end();
    }
}
