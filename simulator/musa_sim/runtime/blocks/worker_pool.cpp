// The launching thread always works itself; helpers join when they wake up. The launcher waits only
// for helpers that did join, so a short launch does not pay for a thread the system has not
// scheduled yet.
#include "blocks/worker_pool.h"

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
    RunningLaunch running(launch);
    Lock lock(launches_.mutex());
    launches_.begin(running);
    watchdog_.wake();
    if (launch.cooperative) {
        lock.unlock();
        run_cooperative(launch, [&](std::uint64_t block) { run_block(running, block); });
        lock.lock();
    } else {
        if (can_be_shared(launch))
            launch.call_helpers = [](Launch& which) { instance().call_helpers(which); };
        launches_.work(lock, running, thread_scheduler(),
                       [&] { thread_scheduler().work(launch); });
    }
    launches_.end(lock, running);
}

void WorkerPool::run_block(RunningLaunch& running, std::uint64_t block) {
    ensure_signal_stack();
    Scheduler scheduler;
    Lock lock(launches_.mutex());
    launches_.work(lock, running, scheduler, [&] { scheduler.work_on(running.launch, block); });
}

void WorkerPool::call_helpers(const Launch& launch) {
    Lock lock(launches_.mutex());
    start_helpers();
    for (RunningLaunch* running : launches_.all())
        if (&running->launch == &launch) running->wants_helpers = true;
    help_wanted_.notify_all();
}

void WorkerPool::start_helpers() {
    if (helpers_started_) return;
    helpers_started_ = true;
    for (int i = 1; i < settings().worker_count; ++i) start_background_thread([this] { help(); });
}

RunningLaunch* WorkerPool::launch_to_help() const {
    for (RunningLaunch* running : launches_.all()) {
        if (running->wants_helpers && has_blocks_left(running->launch)) return running;
    }
    return nullptr;
}

void WorkerPool::help() {
    ensure_signal_stack();
    Lock lock(launches_.mutex());
    for (;;) {
        RunningLaunch* running = nullptr;
        help_wanted_.wait(lock, [&] { return (running = launch_to_help()) != nullptr; });
        launches_.work(lock, *running, thread_scheduler(),
                       [&] { thread_scheduler().work(running->launch); });
    }
}

void WorkerPool::before_fork() { launches_.mutex().lock(); }

void WorkerPool::after_fork_in_parent() { launches_.mutex().unlock(); }

void WorkerPool::after_fork_in_child() { instance_pointer() = &leaked<WorkerPool>(); }

}  // namespace musa_sim
