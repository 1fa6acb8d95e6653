// The launching thread always works itself; helpers join when they wake up. The launcher waits only
// for helpers that did join, so a short launch does not pay for a thread the system has not
// scheduled yet.
#include "worker_pool.h"

#include <signal.h>

#include <thread>

#include "cooperative.h"
#include "faults.h"
#include "scheduler.h"
#include "settings.h"

namespace musa_sim {
namespace {

// Waking a helper costs some microseconds, about as much as this many threads of a small kernel.
constexpr std::uint64_t least_shared_threads = 2048;

WorkerPool*& instance_pointer() {
    // A pointer that is never freed: kernels may be launched by destructors that run after this
    // library's, and after fork() the child must leave the old object, with its locks in an unknown
    // state, behind.
    static WorkerPool* pool = new WorkerPool();
    return pool;
}

Scheduler& thread_scheduler() {
    static thread_local Scheduler scheduler;
    return scheduler;
}

}  // namespace

WorkerPool& WorkerPool::instance() { return *instance_pointer(); }

bool WorkerPool::worth_sharing(const Launch& launch) {
    return settings().worker_count > 1 && launch.block_count() > 1 &&
           launch.block_count() * launch.threads_per_block() > least_shared_threads;
}

void WorkerPool::run(Launch& launch) {
    std::lock_guard<std::mutex> one_launch(launch_mutex_);
    install_fault_handlers();
    ensure_signal_stack();
    if (launch.cooperative) {
        run_cooperative(launch);
        return;
    }
    if (!worth_sharing(launch)) {
        thread_scheduler().work(launch);
        return;
    }
    start_helpers();
    {
        std::lock_guard<std::mutex> lock(mutex_);
        launch_ = &launch;
        ++launch_number_;
    }
    work_changed_.notify_all();
    thread_scheduler().work(launch);
    std::unique_lock<std::mutex> lock(mutex_);
    launch_ = nullptr;
    helper_left_.wait(lock, [this] { return helpers_inside_ == 0; });
}

void WorkerPool::start_helpers() {
    if (helpers_started_) return;
    helpers_started_ = true;
    // Helpers must not take the signals that the program means for its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, signal);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < settings().worker_count; ++i) std::thread([this] { help(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkerPool::help() {
    ensure_signal_stack();
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        work_changed_.wait(lock, [&] { return launch_ && launch_number_ != seen; });
        seen = launch_number_;
        Launch& launch = *launch_;
        ++helpers_inside_;
        lock.unlock();
        thread_scheduler().work(launch);
        lock.lock();
        if (--helpers_inside_ == 0) helper_left_.notify_one();
    }
}

void WorkerPool::before_fork() {
    launch_mutex_.lock();
    mutex_.lock();
}

void WorkerPool::after_fork_in_parent() {
    mutex_.unlock();
    launch_mutex_.unlock();
}

void WorkerPool::after_fork_in_child() { instance_pointer() = new WorkerPool(); }

}  // namespace musa_sim
