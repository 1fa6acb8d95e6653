// The launching thread always works itself; helpers join when they wake up. The launcher waits only
// for helpers that did join, so a short launch does not pay for a thread the system has not
// scheduled yet.
#include "blocks/worker_pool.h"

#include <algorithm>
#include <new>

#include "base/background_thread.h"
#include "base/lifetime.h"
#include "base/settings.h"
#include "blocks/cooperative.h"
#include "blocks/fault_handlers.h"
#include "blocks/scheduler.h"
#include "memory/guarded_memory.h"

namespace musa_sim {
namespace {

// A pointer, because after fork() the child leaves the old object, with its locks in an unknown
// state, behind.
WorkerPool*& instance_pointer() {
    static WorkerPool* pool = &leaked<WorkerPool>();
    return pool;
}

Scheduler& thread_scheduler() { return PerThread<Scheduler>::get(); }

bool has_blocks_left(const Launch& launch) {
    return launch.next_block.load(std::memory_order_relaxed) < launch.block_count() &&
           !launch.failed();
}

}  // namespace

WorkerPool& WorkerPool::instance() { return *instance_pointer(); }

bool WorkerPool::can_be_shared(const Launch& launch) {
    // A shuffled order is repeatable only if one thread follows it.
    return seed() == 0 && settings().worker_count > 1 && launch.block_count() > 1;
}

void WorkerPool::run(Launch& launch) {
    install_fault_handlers();
    ensure_signal_stack();
    const DeviceWork work_of_the_device;
    Lock lock(mutex_);
    begin(launch);
    if (launch.cooperative) {
        lock.unlock();
        run_cooperative(launch);
        lock.lock();
    } else {
        if (can_be_shared(launch))
            launch.call_helpers = [](Launch& which) { instance().call_helpers(which); };
        work(lock, launch, thread_scheduler(), [&] { thread_scheduler().work(launch); });
    }
    end(lock, launch);
}

void WorkerPool::begin(Launch& launch) {
    running_.push_back(&launch);
    ++launches_;
    if (!watchdog_started_) watchdog_started_ = start_background_thread([this] { watch(); });
    if (watchdog_asleep_) watched_work_changed_.notify_one();
}

void WorkerPool::end(Lock& lock, Launch& launch) {
    launch.wants_helpers = false;
    worker_left_.wait(lock, [&] { return launch.workers.empty() && launch.workers_to_come == 0; });
    running_.erase(std::find(running_.begin(), running_.end(), &launch));
}

// Runs the body without the lock, while the launch knows the scheduler as one of its workers.
void WorkerPool::work(Lock& lock, Launch& launch, Scheduler& scheduler,
                      const std::function<void()>& body) {
    const std::uint64_t blocks_before = scheduler.finished_blocks();
    const std::uint64_t steps_before = scheduler.steps();
    launch.watch.former_blocks -= blocks_before;
    launch.watch.former_steps -= steps_before;
    launch.workers.push_back(&scheduler);
    lock.unlock();
    try {
        body();
    } catch (const std::bad_alloc&) {
        launch.fail(musaErrorLaunchOutOfResources);
    }
    lock.lock();
    launch.watch.former_blocks += scheduler.finished_blocks();
    launch.watch.former_steps += scheduler.steps();
    scheduler.resume();
    launch.workers.erase(std::find(launch.workers.begin(), launch.workers.end(), &scheduler));
    if (launch.workers.empty()) worker_left_.notify_all();
}

void WorkerPool::run_block(Launch& launch, std::uint64_t block) {
    ensure_signal_stack();
    Scheduler scheduler;
    Lock lock(mutex_);
    work(lock, launch, scheduler, [&] { scheduler.work_on(launch, block); });
}

void WorkerPool::call_helpers(Launch& launch) {
    Lock lock(mutex_);
    start_helpers();
    launch.wants_helpers = true;
    work_changed_.notify_all();
}

void WorkerPool::start_helpers() {
    if (helpers_started_) return;
    helpers_started_ = true;
    for (int i = 1; i < settings().worker_count; ++i) start_background_thread([this] { help(); });
}

Launch* WorkerPool::launch_to_help() const {
    for (Launch* launch : running_) {
        if (launch->wants_helpers && has_blocks_left(*launch)) return launch;
    }
    return nullptr;
}

void WorkerPool::help() {
    ensure_signal_stack();
    Lock lock(mutex_);
    for (;;) {
        Launch* launch = nullptr;
        work_changed_.wait(lock, [&] { return (launch = launch_to_help()) != nullptr; });
        work(lock, *launch, thread_scheduler(), [&] { thread_scheduler().work(*launch); });
    }
}

void WorkerPool::before_fork() { mutex_.lock(); }

void WorkerPool::after_fork_in_parent() { mutex_.unlock(); }

void WorkerPool::after_fork_in_child() { instance_pointer() = &leaked<WorkerPool>(); }

}  // namespace musa_sim
