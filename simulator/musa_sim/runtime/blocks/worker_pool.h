// The operating system threads that run the blocks of launches.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "blocks/launch.h"
#include "blocks/running_launches.h"
#include "blocks/watchdog.h"

namespace musa_sim {

class WorkerPool {
public:
    static WorkerPool& instance();

    // Run all blocks of the launch; return when they have ended. Launches of several threads run
    // at the same time, because their kernels may wait for each other.
    void run(Launch& launch);

    // fork(): the child starts with no helper threads.
    void before_fork();
    void after_fork_in_parent();
    static void after_fork_in_child();

private:
    using Lock = RunningLaunches::Lock;

    // Run one block of a launch whose blocks have a thread each.
    void run_block(RunningLaunch& running, std::uint64_t block);
    void call_helpers(const Launch& launch);
    void start_helpers();
    void help();
    RunningLaunch* launch_to_help() const;
    static bool can_be_shared(const Launch& launch);

    RunningLaunches launches_;
    Watchdog watchdog_{launches_};
    std::condition_variable help_wanted_;
    bool helpers_started_ = false;
};

}  // namespace musa_sim
