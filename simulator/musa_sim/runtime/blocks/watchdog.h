// Finds launches that make no progress.
//
// Blocks may wait for other blocks: for a lock, or for all of the grid. The threads that run blocks
// are fewer than the blocks of a grid, so those that wait may keep out those they wait for. A
// launch of which no block has finished for a while therefore gets more threads, twice as many each
// time, until all of its blocks run at the same time; the operating system's scheduler does the
// rest. If even then nothing happens for as long as MUSA_SIM_WATCHDOG says, the launch is ended.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "blocks/running_launches.h"

namespace musa_sim {

class Watchdog {
public:
    explicit Watchdog(RunningLaunches& launches) : launches_(launches) {}

    // A launch has begun. With the mutex of the launches held.
    void wake();

private:
    using Lock = RunningLaunches::Lock;

    void watch();
    void check_progress(RunningLaunch& running);
    void start_extra_workers(RunningLaunch& running);
    void work_as_extra(RunningLaunch& running);

    RunningLaunches& launches_;
    std::condition_variable launch_begun_;
    bool started_ = false;
    bool asleep_ = false;
};

}  // namespace musa_sim
