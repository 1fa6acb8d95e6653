// An operating system thread per block, because static shared memory is thread-local: two blocks
// that wait on one thread would share it. A grid is at most as large as the occupancy model says,
// so the number of threads is bounded.
#include "blocks/cooperative.h"

#include <thread>
#include <utility>
#include <vector>

#include "blocks/fault_handlers.h"
#include "blocks/scheduler.h"
#include "blocks/worker_pool.h"
#include "checks/sync_checks.h"

namespace musa_sim {
namespace {

void run_block(Launch& launch, std::uint64_t block) {
    WorkerPool::instance().run_block(launch, block);
    launch.grid_barrier->leave(launch.failed());
}

}  // namespace

void GridBarrier::complete() {
    came_ = std::exchange(waiting_, 0);
    ++round_;
    changed_.notify_all();
}

std::uint64_t GridBarrier::wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == live_) complete();
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    return came_;
}

void GridBarrier::leave(bool failed) {
    std::lock_guard<std::mutex> lock(mutex_);
    failed_ = failed_ || failed;
    --live_;
    if (waiting_ > 0 && waiting_ == live_) complete();
    if (failed_) changed_.notify_all();
}

void run_cooperative(Launch& launch) {
    const std::uint64_t count = launch.block_count();
    GridBarrier barrier(count);
    launch.grid_barrier = &barrier;
    std::vector<std::thread> blocks;
    blocks.reserve(count);
    try {
        for (std::uint64_t block = 0; block < count; ++block) {
            blocks.emplace_back([&launch, block] { run_block(launch, block); });
        }
    } catch (...) {
        // The blocks that did start must not wait for those that will never come.
        launch.fail(musaErrorLaunchOutOfResources);
        for (std::uint64_t missing = blocks.size(); missing < count; ++missing) barrier.leave(true);
    }
    for (std::thread& block : blocks) block.join();
    launch.grid_barrier = nullptr;
}

}  // namespace musa_sim

using musa_sim::Scheduler;

int __musa_sim_is_cooperative() { return Scheduler::active()->launch().grid_barrier != nullptr; }

// First the threads of the block wait for each other; the first of them to run again waits for the
// other blocks, which stops the whole block, and the rest pass.
void __musa_sim_sync_grid() {
    Scheduler& scheduler = *Scheduler::active();
    musa_sim::GridBarrier* grid = scheduler.launch().grid_barrier;
    if (!grid) {
        musa_sim::report(
            scheduler.launch(), musaErrorLaunchFailure,
            "grid.sync() in a kernel that was not launched with musaLaunchCooperativeKernel",
            musa_sim::Where::thread);
        scheduler.leave_block();
    }
    scheduler.arrive(__builtin_return_address(0));
    Scheduler::BlockBarrier& barrier = scheduler.block_barrier();
    barrier.waiting.push(scheduler.current());
    if (barrier.waiting.size() == scheduler.live_threads()) scheduler.complete_block_barrier();
    scheduler.suspend("grid.sync()");
    if (barrier.behind_grid > 0) {
        --barrier.behind_grid;
        return;
    }
    barrier.behind_grid = barrier.last_threads - 1;
    const std::uint64_t came = grid->wait();
    if (scheduler.launch().failed()) scheduler.leave_block();
    if (came < scheduler.launch().block_count()) musa_sim::check_grid_barrier(scheduler, came);
}
