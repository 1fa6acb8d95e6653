// The operating system threads that run blocks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "launch.h"

namespace musa_sim {

class WorkerPool {
public:
    static WorkerPool& instance();

    // Runs all blocks of the launch; returns when they have ended. One launch at a time, whoever
    // calls.
    void run(Launch& launch);

    // fork(): nothing runs while the process is copied, and the child starts with no helper
    // threads.
    void before_fork();
    void after_fork_in_parent();
    static void after_fork_in_child();

private:
    void start_helpers();
    void help();
    static bool worth_sharing(const Launch& launch);

    std::mutex launch_mutex_;  // held for the length of a launch
    std::mutex mutex_;         // guards what follows
    std::condition_variable work_changed_;
    std::condition_variable helper_left_;
    Launch* launch_ = nullptr;
    std::uint64_t launch_number_ = 0;
    int helpers_inside_ = 0;
    bool helpers_started_ = false;
};

}  // namespace musa_sim
