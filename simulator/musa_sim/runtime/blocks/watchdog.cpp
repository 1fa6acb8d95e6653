#include "blocks/watchdog.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/background_thread.h"
#include "base/settings.h"
#include "blocks/fault_handlers.h"

namespace musa_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto poll_interval = 20ms;
constexpr int polls_before_sleep = 50;
// Without a finished block; long enough for ordinary ones, short enough not to be noticed.
constexpr auto patience = 60ms;
constexpr std::uint64_t most_extra_workers = 256;
// Of the threads of a crowded launch; changing over costs about a tenth of it.
constexpr auto turn = 100us;

bool is_crowded(const RunningLaunch* running) {
    return running->watch.extra_workers > 0 &&
           running->workers.size() > static_cast<std::size_t>(settings().worker_count);
}

// As many threads run as there are workers, the others pause. Turns pass through the blocks in ascending and then in
// descending order: in any order of waiting blocks, many waits end in one pass.
void rotate_turns(RunningLaunch* running) {
    if (!is_crowded(running) || running->launch.timed_out || running->launch.failed()) {
        for (Scheduler* worker : running->workers) worker->os_thread().resume();
        return;
    }
    // A turn begins when all threads whose turn it is run.
    RunningLaunch::Watch& watch = running->watch;
    const bool waking = std::any_of(running->workers.begin(), running->workers.end(),
                                    [](Scheduler* worker) { return worker->os_thread().is_waking(); });
    watch.turn_has_begun = !watch.turn_has_begun && !waking;
    if (waking || watch.turn_has_begun) return;

    // Read the blocks once: the workers continue meanwhile, and an order that changes would make
    // std::sort overrun the vector.
    struct Worker {
        std::uint64_t block;
        Scheduler* worker;
    };
    std::vector<Worker> workers;
    workers.reserve(running->workers.size());
    for (Scheduler* worker : running->workers) workers.push_back({worker->block(), worker});
    std::sort(workers.begin(), workers.end(), [&](const Worker& a, const Worker& b) {
        return watch.backwards ? a.block > b.block : a.block < b.block;
    });
    auto next = std::find_if(workers.begin(), workers.end(), [&](const Worker& worker) {
        return watch.backwards ? worker.block < watch.last_block : worker.block > watch.last_block;
    });
    if (next == workers.end()) {
        watch.backwards = !watch.backwards;
        std::reverse(workers.begin(), workers.end());
        next = workers.begin();
    }
    const auto end = next + std::min<std::ptrdiff_t>(settings().worker_count, workers.end() - next);
    watch.last_block = (end - 1)->block;
    for (auto worker = workers.begin(); worker != workers.end(); ++worker) {
        const bool runs = worker >= next && worker < end;
        runs ? worker->worker->os_thread().resume() : worker->worker->os_thread().pause();
    }
}

void interrupt(const RunningLaunch& running) {
    for (Scheduler* worker : running.workers) worker->os_thread().interrupt();
}

// Blocks that no worker has begun.
std::uint64_t waiting_blocks(const RunningLaunch& running) {
    const Launch& launch = running.launch;
    const std::uint64_t taken = launch.next_block.load(std::memory_order_relaxed);
    std::uint64_t waiting = taken < launch.block_count() ? launch.block_count() - taken : 0;
    for (const Scheduler* worker : running.workers) waiting += worker->reserved_blocks();
    return waiting;
}

bool block_for_extra(RunningLaunch& running, std::uint64_t* block) {
    Launch& launch = running.launch;
    if (launch.failed()) return false;
    *block = launch.next_block.fetch_add(1, std::memory_order_relaxed);
    if (*block < launch.block_count()) return true;
    return std::any_of(running.workers.begin(), running.workers.end(),
                       [&](Scheduler* worker) { return worker->steal_block(block); });
}

}  // namespace

void Watchdog::wake() {
    if (!started_) started_ = start_background_thread([this] { watch(); });
    if (asleep_) launch_begun_.notify_one();
}

void Watchdog::watch() {
    prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds: turns are shorter than the usual slack allows
    Lock lock(launches_.mutex());
    const std::vector<RunningLaunch*>& running = launches_.all();
    std::uint64_t seen = 0;
    int idle_polls = 0;
    Clock::time_point next_poll{};
    for (;;) {
        const bool crowded = std::any_of(running.begin(), running.end(), is_crowded);
        if (idle_polls < polls_before_sleep) {
            launch_begun_.wait_for(lock, crowded ? turn : poll_interval);
        } else {
            asleep_ = true;
            launch_begun_.wait(lock, [&] { return !running.empty(); });
            asleep_ = false;
        }
        if (crowded) std::for_each(running.begin(), running.end(), rotate_turns);
        if (Clock::now() < next_poll) continue;
        next_poll = Clock::now() + poll_interval;
        idle_polls = running.empty() && launches_.begun() == seen ? idle_polls + 1 : 0;
        seen = launches_.begun();
        for (RunningLaunch* launch : running) check_progress(*launch);
    }
}

void Watchdog::check_progress(RunningLaunch& running) {
    Launch& launch = running.launch;
    RunningLaunch::Watch& watch = running.watch;
    std::uint64_t blocks = watch.former_blocks;
    std::uint64_t steps = watch.former_steps;
    for (const Scheduler* worker : running.workers) {
        blocks += worker->finished_blocks();
        steps += worker->steps();
    }
    const Clock::time_point now = Clock::now();
    const bool first_poll = watch.block_time == Clock::time_point{};
    if (first_poll || blocks != watch.blocks) watch.block_time = watch.step_time = now;
    if (steps != watch.steps) watch.step_time = now;
    watch.blocks = blocks;
    watch.steps = steps;

    const auto limit = std::chrono::seconds(settings().watchdog_seconds);
    if (limit > 0s && now - watch.step_time >= limit) launch.timed_out = true;
    // A block that has failed may have left others that wait for it.
    const bool failed = launch.failed() && now - watch.step_time >= patience;
    if (launch.timed_out || failed) {
        interrupt(running);
    } else if (now - watch.block_time >= patience) {
        start_extra_workers(running);
    }
}

void Watchdog::start_extra_workers(RunningLaunch& running) {
    if (running.launch.cooperative) return;
    std::uint64_t& extra = running.watch.extra_workers;
    const std::uint64_t more = std::min(
        {std::max<std::uint64_t>(extra, 1), waiting_blocks(running), most_extra_workers - extra});
    for (std::uint64_t i = 0; i < more; ++i) {
        if (!start_background_thread([this, &running] { work_as_extra(running); })) return;
        ++extra;
        ++running.workers_to_come;
    }
}

void Watchdog::work_as_extra(RunningLaunch& running) {
    ensure_signal_stack();
    Scheduler scheduler;
    Lock lock(launches_.mutex());
    std::uint64_t block = 0;
    while (block_for_extra(running, &block))
        launches_.work(lock, running, scheduler,
                       [&] { scheduler.work_on(running.launch, block); });
    launches_.extra_worker_left(running);
}

}  // namespace musa_sim
