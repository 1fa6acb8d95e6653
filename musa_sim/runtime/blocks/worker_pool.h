// The operating system threads that run blocks, and the watchdog over the launches they work on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "blocks/launch.h"

namespace musa_sim {

class WorkerPool {
public:
    static WorkerPool& instance();

    // Runs all blocks of the launch; returns when they have ended. Launches of several threads run
    // at the same time, because their kernels may wait for each other.
    void run(Launch& launch);
    // Runs one block of a launch whose blocks have a thread each.
    void run_block(Launch& launch, std::uint64_t block);

    // fork(): the child starts with no helper threads.
    void before_fork();
    void after_fork_in_parent();
    static void after_fork_in_child();

private:
    using Lock = std::unique_lock<std::mutex>;

    // worker_pool.cpp
    void begin(Launch& launch);
    void end(Lock& lock, Launch& launch);
    void work(Lock& lock, Launch& launch, Scheduler& scheduler, const std::function<void()>& body);
    void call_helpers(Launch& launch);
    void start_helpers();
    void help();
    Launch* launch_to_help() const;
    static bool can_be_shared(const Launch& launch);

    // watchdog.cpp
    void watch();
    static bool is_crowded(const Launch* launch);
    static void change_turns(Launch* launch);
    void look_after(Launch& launch);
    void start_extra_workers(Launch& launch);
    void work_as_extra(Launch& launch);
    bool block_for_extra(Launch& launch, std::uint64_t* block);
    static std::uint64_t waiting_blocks(const Launch& launch);
    static void interrupt(const Launch& launch);

    std::mutex mutex_;  // guards what follows
    std::vector<Launch*> running_;
    std::condition_variable work_changed_;
    std::condition_variable worker_left_;
    bool helpers_started_ = false;

    std::condition_variable watched_work_changed_;
    std::uint64_t launches_ = 0;
    bool watchdog_started_ = false;
    bool watchdog_asleep_ = false;
};

}  // namespace musa_sim
