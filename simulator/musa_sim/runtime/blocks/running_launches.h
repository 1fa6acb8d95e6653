// The launches whose blocks run now, and their workers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "blocks/launch.h"
#include "blocks/scheduler.h"

namespace musa_sim {

struct RunningLaunch {
    explicit RunningLaunch(Launch& the_launch) : launch(the_launch) {}

    Launch& launch;
    std::vector<Scheduler*> workers;
    bool wants_helpers = false;
    std::uint64_t workers_to_come = 0;  // extra ones, which leave when they find no more blocks
    // The state that the watchdog keeps for it.
    struct Watch {
        std::uint64_t former_blocks = 0;  // finished by workers that have left
        std::uint64_t former_steps = 0;
        std::uint64_t blocks = 0;  // finished by all when the watchdog last looked
        std::uint64_t steps = 0;
        std::chrono::steady_clock::time_point block_time{};  // when that last changed
        std::chrono::steady_clock::time_point step_time{};
        std::uint64_t extra_workers = 0;
        std::uint64_t last_block = 0;  // of those whose turn it is
        bool backwards = false;
        bool turn_has_begun = false;
    } watch;
};

class RunningLaunches {
public:
    using Lock = std::unique_lock<std::mutex>;

    std::mutex& mutex() { return mutex_; }  // guards everything, the launches included

    // All of these with the mutex held.
    const std::vector<RunningLaunch*>& all() const { return all_; }
    std::uint64_t begun() const { return begun_; }  // so far
    void begin(RunningLaunch& running);
    // Return when all workers have left.
    void end(Lock& lock, RunningLaunch& running);
    // Run the body without the lock, while the launch knows the scheduler as one of its workers.
    void work(Lock& lock, RunningLaunch& running, Scheduler& scheduler,
              const std::function<void()>& body);
    // An extra worker has found no more blocks.
    void extra_worker_left(RunningLaunch& running);

private:
    std::mutex mutex_;
    std::condition_variable worker_left_;
    std::vector<RunningLaunch*> all_;
    std::uint64_t begun_ = 0;
};

}  // namespace musa_sim
