#include "blocks/running_launches.h"

#include <algorithm>
#include <new>

namespace musa_sim {

void RunningLaunches::begin(RunningLaunch& running) {
    all_.push_back(&running);
    ++begun_;
}

void RunningLaunches::end(Lock& lock, RunningLaunch& running) {
    running.wants_helpers = false;
    worker_left_.wait(lock,
                      [&] { return running.workers.empty() && running.workers_to_come == 0; });
    all_.erase(std::find(all_.begin(), all_.end(), &running));
}

void RunningLaunches::work(Lock& lock, RunningLaunch& running, Scheduler& scheduler,
                           const std::function<void()>& body) {
    const std::uint64_t blocks_before = scheduler.finished_blocks();
    const std::uint64_t steps_before = scheduler.steps();
    running.watch.former_blocks -= blocks_before;
    running.watch.former_steps -= steps_before;
    running.workers.push_back(&scheduler);
    lock.unlock();
    try {
        body();
    } catch (const std::bad_alloc&) {
        running.launch.fail(musaErrorLaunchOutOfResources);
    }
    lock.lock();
    running.watch.former_blocks += scheduler.finished_blocks();
    running.watch.former_steps += scheduler.steps();
    scheduler.os_thread().resume();
    running.workers.erase(std::find(running.workers.begin(), running.workers.end(), &scheduler));
    if (running.workers.empty()) worker_left_.notify_all();
}

void RunningLaunches::extra_worker_left(RunningLaunch& running) {
    --running.workers_to_come;
    --running.watch.extra_workers;
    worker_left_.notify_all();
}

}  // namespace musa_sim
