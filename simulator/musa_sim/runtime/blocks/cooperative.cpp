// An operating system thread per block, because static shared memory is thread-local: two blocks
// that wait on one thread would share it. A grid is at most as large as the occupancy model says,
// so the number of threads is bounded.
#include "blocks/cooperative.h"

#include <thread>
#include <vector>

#include "blocks/exit_warnings.h"
#include "blocks/fault_reports.h"
#include "blocks/scheduler.h"

namespace musa_sim {

void run_cooperative(Launch& launch, const std::function<void(std::uint64_t block)>& run_block) {
    const std::uint64_t count = launch.block_count();
    GridBarrier barrier(count);
    launch.grid_barrier = &barrier;
    std::vector<std::thread> blocks;
    blocks.reserve(count);
    try {
        for (std::uint64_t block = 0; block < count; ++block) {
            blocks.emplace_back([&, block] {
                run_block(block);
                barrier.leave(launch.failed());
            });
        }
    } catch (...) {
        // The blocks that did start must not wait for blocks that never arrive.
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
            scheduler.where());
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
    const std::uint64_t arrived = grid->wait();
    if (scheduler.launch().failed()) scheduler.leave_block();
    if (arrived == scheduler.launch().block_count()) return;
    if (scheduler.watches_sync()) {
        scheduler.observer()->grid_barrier(arrived);
    } else {
        musa_sim::warn_of_exited_blocks(scheduler.launch(), arrived);
    }
}
