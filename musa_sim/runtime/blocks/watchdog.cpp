// Launches that do not go on.
//
// Blocks may wait for other blocks: for a lock, or for all of the grid. The threads that run blocks
// are fewer than the blocks of a grid, so those that wait may keep out those they wait for. A
// launch of which no block has finished for a while therefore gets more threads, twice as many each
// time, until all of its blocks run at the same time; the operating system's scheduler does the
// rest. If even then nothing happens for as long as MUSA_SIM_WATCHDOG says, the launch is ended.
#include <sys/prctl.h>

#include <algorithm>

#include "base/background_thread.h"
#include "base/settings.h"
#include "blocks/fault_handlers.h"
#include "blocks/scheduler.h"
#include "blocks/worker_pool.h"

namespace musa_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto look_interval = 20ms;
constexpr int looks_before_sleep = 50;
// Without a finished block; long enough for ordinary ones, short enough not to be noticed.
constexpr auto patience = 60ms;
constexpr std::uint64_t most_extra_workers = 256;
// Of the threads of a crowded launch; changing over costs about a tenth of it.
constexpr auto turn = 100us;

}  // namespace

void WorkerPool::watch() {
    prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds: turns are shorter than the usual slack allows
    Lock lock(mutex_);
    std::uint64_t seen = 0;
    int quiet_looks = 0;
    Clock::time_point next_look{};
    for (;;) {
        const bool crowded = std::any_of(running_.begin(), running_.end(), is_crowded);
        if (quiet_looks < looks_before_sleep) {
            watched_work_changed_.wait_for(lock, crowded ? turn : look_interval);
        } else {
            watchdog_asleep_ = true;
            watched_work_changed_.wait(lock, [this] { return !running_.empty(); });
            watchdog_asleep_ = false;
        }
        if (crowded) std::for_each(running_.begin(), running_.end(), change_turns);
        if (Clock::now() < next_look) continue;
        next_look = Clock::now() + look_interval;
        quiet_looks = running_.empty() && launches_ == seen ? quiet_looks + 1 : 0;
        seen = launches_;
        for (Launch* launch : running_) look_after(*launch);
    }
}

bool WorkerPool::is_crowded(const Launch* launch) {
    return launch->watch.extra_workers > 0 &&
           launch->workers.size() > static_cast<std::size_t>(settings().worker_count);
}

// As many threads run as there are workers, the others pause. Through the blocks and back again:
// whichever way they wait for each other, many waits end in one passage.
void WorkerPool::change_turns(Launch* launch) {
    if (!is_crowded(launch) || launch->timed_out || launch->failed()) {
        for (Scheduler* worker : launch->workers) worker->resume();
        return;
    }
    // A turn begins when all those whose turn it is do run.
    Launch::Watch& watch = launch->watch;
    const bool waking = std::any_of(launch->workers.begin(), launch->workers.end(),
                                    [](const Scheduler* worker) { return worker->is_waking(); });
    watch.turn_has_begun = !watch.turn_has_begun && !waking;
    if (waking || watch.turn_has_begun) return;

    // The blocks are read once: the workers go on meanwhile, and an order that changes under
    // std::sort has it run out of the vector.
    struct Place {
        std::uint64_t block;
        Scheduler* worker;
    };
    std::vector<Place> places;
    places.reserve(launch->workers.size());
    for (Scheduler* worker : launch->workers) places.push_back({worker->block(), worker});
    std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
        return watch.backwards ? a.block > b.block : a.block < b.block;
    });
    auto next = std::find_if(places.begin(), places.end(), [&](const Place& place) {
        return watch.backwards ? place.block < watch.last_block : place.block > watch.last_block;
    });
    if (next == places.end()) {
        watch.backwards = !watch.backwards;
        std::reverse(places.begin(), places.end());
        next = places.begin();
    }
    const auto end = next + std::min<std::ptrdiff_t>(settings().worker_count, places.end() - next);
    watch.last_block = (end - 1)->block;
    for (auto place = places.begin(); place != places.end(); ++place) {
        const bool runs = place >= next && place < end;
        runs ? place->worker->resume() : place->worker->pause();
    }
}

void WorkerPool::look_after(Launch& launch) {
    Launch::Watch& watch = launch.watch;
    std::uint64_t blocks = watch.former_blocks;
    std::uint64_t steps = watch.former_steps;
    for (const Scheduler* worker : launch.workers) {
        blocks += worker->finished_blocks();
        steps += worker->steps();
    }
    const Clock::time_point now = Clock::now();
    const bool first_look = watch.block_time == Clock::time_point{};
    if (first_look || blocks != watch.blocks) watch.block_time = watch.step_time = now;
    if (steps != watch.steps) watch.step_time = now;
    watch.blocks = blocks;
    watch.steps = steps;

    const auto limit = std::chrono::seconds(settings().watchdog_seconds);
    if (limit > 0s && now - watch.step_time >= limit) launch.timed_out = true;
    // A block that has failed may have left others that wait for it.
    const bool failed = launch.failed() && now - watch.step_time >= patience;
    if (launch.timed_out || failed) {
        interrupt(launch);
    } else if (now - watch.block_time >= patience) {
        start_extra_workers(launch);
    }
}

void WorkerPool::interrupt(const Launch& launch) {
    for (const Scheduler* worker : launch.workers) worker->interrupt();
}

// Blocks that no worker has begun.
std::uint64_t WorkerPool::waiting_blocks(const Launch& launch) {
    const std::uint64_t taken = launch.next_block.load(std::memory_order_relaxed);
    std::uint64_t waiting = taken < launch.block_count() ? launch.block_count() - taken : 0;
    for (const Scheduler* worker : launch.workers) waiting += worker->reserved_blocks();
    return waiting;
}

void WorkerPool::start_extra_workers(Launch& launch) {
    if (launch.cooperative) return;
    std::uint64_t& extra = launch.watch.extra_workers;
    const std::uint64_t more = std::min(
        {std::max<std::uint64_t>(extra, 1), waiting_blocks(launch), most_extra_workers - extra});
    for (std::uint64_t i = 0; i < more; ++i) {
        if (!start_background_thread([this, &launch] { work_as_extra(launch); })) return;
        ++extra;
        ++launch.workers_to_come;
    }
}

bool WorkerPool::block_for_extra(Launch& launch, std::uint64_t* block) {
    if (launch.failed()) return false;
    *block = launch.next_block.fetch_add(1, std::memory_order_relaxed);
    if (*block < launch.block_count()) return true;
    return std::any_of(launch.workers.begin(), launch.workers.end(),
                       [&](Scheduler* worker) { return worker->give_away(block); });
}

void WorkerPool::work_as_extra(Launch& launch) {
    ensure_signal_stack();
    Scheduler scheduler;
    Lock lock(mutex_);
    std::uint64_t block = 0;
    while (block_for_extra(launch, &block))
        work(lock, launch, scheduler, [&] { scheduler.work_on(launch, block); });
    --launch.workers_to_come;
    --launch.watch.extra_workers;
    worker_left_.notify_all();
}

}  // namespace musa_sim
