// Barriers, shuffles, votes and matches.
//
// Threads that reach a collective operation wait in a group; the thread that completes the group
// computes the results of all of them (warp_results.h). So no thread can overwrite a value that another
// has yet to read.
//
// Masks have 32 bits. With MUSA_SIM_WARP=128 the full mask means all 128 lanes, any other mask lanes
// of the caller's own 32, and a result that is a mask describes those as well: how real 128-lane
// hardware reads a mask is not known.
#include <cstring>

#include "blocks/device_errors.h"
#include "blocks/lane_work.h"
#include "blocks/scheduler.h"
#include "blocks/warp_operations.h"

namespace musa_sim {
namespace {

// The lanes that a mask covers.
struct LaneRange {
    std::uint32_t first;
    std::uint32_t count;
};

std::uint32_t live_lanes(Scheduler& scheduler, const Warp& warp, std::uint32_t mask,
                         LaneRange lanes) {
    if (mask == full_mask && lanes.count == scheduler.warp_width()) return warp.live;
    std::uint32_t count = 0;
    for (std::uint32_t lane = lanes.first; lane < lanes.first + lanes.count; ++lane) {
        const Thread* thread = scheduler.thread_at(warp.first_rank + lane);
        if (thread && !thread->finished && contains(mask, lane)) ++count;
    }
    return count;
}

WarpGroup& join_group(Scheduler& scheduler, Warp& warp, WarpOperation operation, std::uint32_t mask,
                      LaneRange lanes, const void* site) {
    for (WarpGroup& group : warp.groups) {
        if (group.operation == operation && group.mask == mask && group.site == site &&
            group.first_lane == lanes.first && group.lane_count == lanes.count) {
            return group;
        }
    }
    const std::uint32_t expected = live_lanes(scheduler, warp, mask, lanes);
    warp.groups.push_back(
        {operation, mask, site, lanes.first, lanes.count, expected, ThreadQueue()});
    return warp.groups.back();
}

void work_together(Scheduler& scheduler, const WarpGroup& group) {
    LaneWork* lanes[mask_width] = {};
    for (const Thread* thread = group.waiting.front(); thread; thread = thread->next)
        lanes[scheduler.lane_of(*thread) % mask_width] = reinterpret_cast<LaneWork*>(thread->value);
    run_lane_work(scheduler, lanes);
}

__attribute__((always_inline)) inline std::uint64_t collective(
    Scheduler& scheduler, WarpOperation operation, std::uint32_t mask, std::uint64_t value,
    const char* where, const void* site = nullptr, bool own_lanes_only = false) {
    Thread& self = scheduler.current();
    Warp& warp = scheduler.warp_of(self);
    const std::uint32_t lane = scheduler.lane_of(self);
    if (__builtin_expect(!contains(mask, lane), 0)) {
        if (operation != WarpOperation::sync || own_lanes_only)
            end_block_for_misuse(scheduler, where, mask_lacks_lane, mask, lane);
        note_mask_without_lane(scheduler, mask, lane);
        mask = lanes_to_sync(mask, lane);
    }
    self.value = value;
    const LaneRange lanes = own_lanes_only || mask != full_mask
                                ? LaneRange{lane & ~(mask_width - 1), mask_width}
                                : LaneRange{0, scheduler.warp_width()};
    WarpGroup& group = join_group(scheduler, warp, operation, mask, lanes, site);
    group.waiting.push(self);
    if (group.waiting.size() == group.expected) {
        if (operation == WarpOperation::together) work_together(scheduler, group);
        scheduler.complete_group(warp, group);
    }
    scheduler.suspend(where);
    // Lanes that exit complete a group as well, but not its work.
    if (operation == WarpOperation::together && self.result != full_mask)
        end_for_missing_lanes(scheduler, static_cast<std::uint32_t>(__builtin_popcountll(self.result)));
    return self.result;
}

void sync_block(Scheduler& scheduler, bool predicate, const char* where) {
    Scheduler::BlockBarrier& barrier = scheduler.block_barrier();
    barrier.count += predicate;
    barrier.waiting.push(scheduler.current());
    if (barrier.waiting.size() == scheduler.live_threads()) scheduler.complete_block_barrier();
    scheduler.suspend(where);
}

// The hardware counts warps: the lanes that the block's last warp lacks arrive with its last thread.
std::uint32_t arrivals_of(Scheduler& scheduler) {
    const std::uint32_t last = scheduler.launch().threads_per_block() - 1;
    if (scheduler.current().rank != last) return 1;
    return mask_width - last % mask_width;
}

void sync_named(Scheduler& scheduler, std::uint32_t number, std::uint32_t threads, bool waits) {
    const char* const where = waits ? "bar.sync" : "bar.arrive";
    if (number >= Scheduler::named_barrier_count)
        end_block_for_misuse(scheduler, where, "%s: barrier %u; they are numbered below %u", number,
                             Scheduler::named_barrier_count);
    Scheduler::NamedBarrier& barrier = scheduler.named_barrier(number);
    if (threads == 0 || threads % mask_width != 0)
        end_block_for_misuse(scheduler, where, "%s: %u threads, which are no whole warps of %u", threads, mask_width);
    if (barrier.expected != 0 && barrier.expected != threads)
        end_block_for_misuse(scheduler, where, "%s: for %u threads, at a barrier where others wait for %u", threads,
                             barrier.expected);
    barrier.expected = threads;
    barrier.arrived += arrivals_of(scheduler);
    if (BlockObserver* observer = scheduler.observer()) observer->released(&barrier, scheduler.current().rank);
    if (waits) barrier.waiting.push(scheduler.current());
    if (barrier.arrived >= threads) scheduler.complete_named_barrier(barrier);
    if (waits) scheduler.suspend(where);
}

}  // namespace
}  // namespace musa_sim

using musa_sim::collective;
using musa_sim::Scheduler;
using musa_sim::WarpOperation;

void __musa_sim_sync_threads() {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    musa_sim::sync_block(scheduler, false, "__syncthreads");
}

int __musa_sim_sync_threads_reduce(int operation, int predicate) {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    musa_sim::sync_block(scheduler, predicate != 0, "__syncthreads");
    // The next barrier completes only when this thread has reached it, so the result stays until it
    // is read.
    const Scheduler::BlockBarrier& barrier = scheduler.block_barrier();
    switch (static_cast<musa_sim::ThreadsReduction>(operation)) {
        case musa_sim::ThreadsReduction::count: return barrier.last_count;
        case musa_sim::ThreadsReduction::all: return barrier.last_count == barrier.last_threads;
        case musa_sim::ThreadsReduction::any: return barrier.last_count != 0;
    }
    return 0;
}

void __musa_sim_sync_warp(unsigned mask) {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    collective(scheduler, WarpOperation::sync, mask, 0, "__syncwarp");
}

unsigned long long __musa_sim_sync_shuffle(unsigned mask, unsigned long long value, int kind,
                                           int argument, int width) {
    Scheduler& scheduler = *Scheduler::active();
    const auto lanes = static_cast<unsigned>(width);
    if (__builtin_expect(!musa_sim::is_shuffle_width(lanes, scheduler.warp_width()), 0))
        musa_sim::note_shuffle_width(scheduler, "__shfl_sync", lanes, scheduler.warp_width());
    scheduler.arrive(__builtin_return_address(0));
    musa_sim::Thread& self = scheduler.current();
    self.kind = kind;
    self.argument = argument;
    self.segment = musa_sim::segment_bits(lanes, scheduler.warp_width());
    return collective(scheduler, WarpOperation::shuffle, mask, value, "__shfl_sync");
}

unsigned __musa_sim_sync_ballot(unsigned mask, int predicate) {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    return static_cast<unsigned>(
        collective(scheduler, WarpOperation::ballot, mask, predicate != 0, "__ballot_sync"));
}

int __musa_sim_sync_vote(unsigned mask, int operation, int predicate) {
    const bool all =
        static_cast<musa_sim::VoteOperation>(operation) == musa_sim::VoteOperation::all;
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    return static_cast<int>(collective(scheduler,
                                       all ? WarpOperation::vote_all : WarpOperation::vote_any,
                                       mask, predicate != 0, all ? "__all_sync" : "__any_sync"));
}

unsigned __musa_sim_sync_match(unsigned mask, unsigned long long value, int all) {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    return static_cast<unsigned>(
        collective(scheduler, all ? WarpOperation::match_all : WarpOperation::match_any, mask,
                   value, all ? "__match_all_sync" : "__match_any_sync"));
}

unsigned __musa_sim_sync_converge() {
    Scheduler& scheduler = *Scheduler::active();
    const void* site = scheduler.site_or_location(__builtin_return_address(0));
    return static_cast<unsigned>(collective(scheduler, WarpOperation::converge, musa_sim::full_mask,
                                            0, "__activemask", site));
}

void __musa_sim_sync_named(unsigned barrier, unsigned threads, int waits) {
    Scheduler& scheduler = *Scheduler::active();
    scheduler.arrive(__builtin_return_address(0));
    musa_sim::sync_named(scheduler, barrier, threads, waits != 0);
}

void __musa_sim_sync_exit() { Scheduler::active()->exit_current(); }

void __musa_sim_sync_yield() {
    Scheduler& scheduler = *Scheduler::active();
    // The thread may be waiting for another block, which needs the processor, has failed, or never
    // arrives.
    scheduler.call_helpers();
    scheduler.os_thread().pause_if_asked();
    if (scheduler.launch().timed_out) scheduler.report_timeout();
    if (scheduler.launch().failed()) scheduler.leave_block();
    scheduler.yield();
}

unsigned long long __musa_sim_sync_lanes(unsigned mask, int operation, unsigned long long value,
                                         int source) {
    Scheduler& scheduler = *Scheduler::active();
    constexpr WarpOperation operations[] = {WarpOperation::sync, WarpOperation::shuffle,
                                            WarpOperation::ballot, WarpOperation::match_any,
                                            WarpOperation::match_all, WarpOperation::group_sync,
                                            WarpOperation::together};
    scheduler.arrive(__builtin_return_address(0));
    musa_sim::Thread& self = scheduler.current();
    self.kind = static_cast<int>(musa_sim::ShuffleKind::index);
    self.argument = source;
    self.segment = musa_sim::mask_width - 1;
    return collective(scheduler, operations[operation], mask, value,
                      "a collective of a group of lanes", nullptr, true);
}

void __musa_sim_lane_copy(void* to, const void* from, unsigned long long bytes) { std::memcpy(to, from, bytes); }
