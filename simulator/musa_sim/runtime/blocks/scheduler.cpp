#include "blocks/scheduler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "base/active_checks.h"
#include "base/settings.h"
#include "blocks/exit_warnings.h"
#include "blocks/warp_operations.h"
#include "blocks/warp_results.h"
#include "blocks/wording.h"

namespace musa_sim {
namespace {

// Waking a thread costs about this much, summed over both threads.
constexpr auto helper_delay = std::chrono::microseconds(40);

void copy(std::uint32_t (&to)[4], const dim3& from) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

}  // namespace

Scheduler::Scheduler() = default;
Scheduler::~Scheduler() = default;

thread_local Scheduler* Scheduler::active_ MUSA_SIM_INITIAL_EXEC = nullptr;

void Scheduler::work(Launch& launch) {
    prepare(launch);
    takes_more_ = true;
    taken_blocks_ = 0;
    std::uint64_t block = 0;
    while (!launch.failed() && take_block(launch, &block)) run_block(block);
    takes_more_ = false;
    reserved_.store(0, std::memory_order_relaxed);
}

// Blocks are reserved in chunks, because each one costs an atomic operation on a shared counter. They
// become larger at the beginning, so that a worker of slow blocks soon calls helpers, and smaller
// towards the end, so that all workers finish at about the same time. Blocks that are
// reserved and not begun can be stolen.
bool Scheduler::take_block(Launch& launch, std::uint64_t* block) {
    if (steal_block(block)) return true;
    const std::uint64_t count = launch.block_count();
    const auto workers = static_cast<std::uint64_t>(settings().worker_count);
    const std::uint64_t taken = launch.next_block.load(std::memory_order_relaxed);
    if (taken >= count) return false;
    call_helpers_in_time();
    const std::uint64_t share = workers * 8;
    const std::uint64_t left = count - taken;
    const std::uint64_t most = std::clamp<std::uint64_t>(taken_blocks_, 1, 64);
    const std::uint64_t chunk = left < 2 * share ? 1 : std::min(left / share, most);
    const std::uint64_t begin = launch.next_block.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= count) return false;
    taken_blocks_ += chunk;
    *block = begin;
    const std::uint64_t rest = std::min(chunk, count - begin) - 1;
    reserved_.store((begin + 1) << 16 | rest, std::memory_order_relaxed);
    return true;
}

void Scheduler::call_helpers_in_time() {
    const bool may_call = launch_->call_helpers != nullptr;
    if (!may_call || launch_->has_called_helpers.load(std::memory_order_relaxed)) return;
    const auto now = std::chrono::steady_clock::now();
    if (taken_blocks_ == 0) begin_ = now;
    if (now - begin_ >= helper_delay) call_helpers();
}

void Scheduler::call_helpers() {
    std::atomic<bool>& has_called = launch_->has_called_helpers;
    if (!launch_->call_helpers || has_called.load(std::memory_order_relaxed)) return;
    if (!has_called.exchange(true)) launch_->call_helpers(*launch_);
}

bool Scheduler::steal_block(std::uint64_t* block) {
    std::uint64_t reserved = reserved_.load(std::memory_order_relaxed);
    while ((reserved & 0xffff) != 0) {
        *block = reserved >> 16;
        const std::uint64_t rest = (*block + 1) << 16 | ((reserved & 0xffff) - 1);
        if (reserved_.compare_exchange_weak(reserved, rest, std::memory_order_relaxed)) return true;
    }
    return false;
}

void Scheduler::work_on(Launch& launch, std::uint64_t block) {
    prepare(launch);
    run_block(block);
}

void Scheduler::prepare(Launch& launch) {
    launch_ = &launch;
    copy(__musa_sim_context.block_dim, launch.block);
    copy(__musa_sim_context.grid_dim, launch.grid);
    __musa_sim_context.warp_size = static_cast<std::uint32_t>(settings().warp_width);
    __musa_sim_context.dynamic_shared = dynamic_shared_.resize(launch.dynamic_shared);

    watches_sync_ = is_checking(check_sync);
    checking_ = launch.shared_variables != nullptr && is_checking(~0u);
    observes_ = watches_sync_ || checking_;
    shuffled_ = seed() != 0;
    if (observes_) {
        if (!observer_) observer_ = launch.make_observer();
        observer_->begin_launch({launch.shared_variables, launch.dynamic_shared,
                                 launch.argument_sizes, launch.arguments});
    }

    runs_loop_ = launch.loop != nullptr && !settings().fibers_only && !watches_sync_ && !shuffled_;
    if (!runs_loop_) lay_out_threads();
}

void Scheduler::lay_out_threads() {
    const dim3& block = launch_->block;
    const dim3& before = threads_laid_out_for_;
    if (block.x == before.x && block.y == before.y && block.z == before.z) return;

    threads_laid_out_for_ = block;
    thread_count_ = launch_->threads_per_block();
    threads_.resize(thread_count_);
    for (std::uint32_t rank = 0; rank < thread_count_; ++rank) {
        threads_[rank].rank = rank;
        threads_[rank].thread_idx[0] = rank % block.x;
        threads_[rank].thread_idx[1] = rank / block.x % block.y;
        threads_[rank].thread_idx[2] = rank / (block.x * block.y);
    }
    warp_shift_ =
        static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(settings().warp_width)));
    warps_.resize((thread_count_ + warp_width() - 1) / warp_width());
    for (std::uint32_t i = 0; i < warps_.size(); ++i) warps_[i].first_rank = i * warp_width();
}

void Scheduler::begin_block(std::uint64_t index) {
    const dim3& grid = launch_->grid;
    if (shuffled_) index = shuffled_block(launch_->number, index, launch_->block_count());
    std::uint32_t(&block)[4] = __musa_sim_context.block_idx;
    if (index < grid.x) {  // most grids are rows, and divisions take longer than small blocks
        block[0] = static_cast<std::uint32_t>(index);
        block[1] = block[2] = 0;
    } else {
        block[0] = static_cast<std::uint32_t>(index % grid.x);
        block[1] = static_cast<std::uint32_t>(index / grid.x % grid.y);
        block[2] = static_cast<std::uint32_t>(index / grid.x / grid.y);
    }
    block_.store(index, std::memory_order_relaxed);
}

void Scheduler::run_block(std::uint64_t index) {
    begin_block(index);
    active_ = this;
    if (runs_loop_) {
        run_loop();
        if (unlocated_fault_) find_faulting_thread();
    } else {
        run_threads();
    }
    active_ = nullptr;
    count(finished_blocks_);
}

// The loop, too, runs on a stack of its own: after a fault in it the worker's stack is resumed, and a
// stack overflow needs the guard page. Blocks follow one another there until one faults, or none is
// left.
void Scheduler::run_loop() {
    char* top = stacks_.top(0);
    if (!top) {
        report(*launch_, musaErrorLaunchOutOfResources, "no memory for the stack of a thread");
        return;
    }
    musa_sim_fiber_switch(&worker_context_, new_fiber(top, loop_body, this));
}

void Scheduler::loop_body(void* scheduler) {
    auto* self = static_cast<Scheduler*>(scheduler);
    Launch& launch = *self->launch_;
    for (;;) {
        __musa_sim_context.thread_idx[3] = loop_thread_unknown;
        launch.loop(launch.arguments);
        std::uint64_t block = 0;
        if (!self->takes_more_ || launch.failed() || !self->take_block(launch, &block)) break;
        count(self->finished_blocks_);
        self->begin_block(block);
    }
    self->leave_block();
}

void Scheduler::fault(const Fault& fault) {
    if (unlocated_fault_) {
        if (fault.signal != unlocated_fault_->signal) return;
        report_fault(*launch_, fault, where());
        unlocated_fault_.reset();
    } else if (launch_->fail(fault.code)) {
        const bool can_run_again =
            !knows_thread() && __musa_sim_context.thread_idx[3] != loop_thread_printed;
        if (can_run_again) {
            unlocated_fault_ = fault;
        } else {
            report_fault(*launch_, fault, where());
        }
    }
}

// Tracking the index in the loop would slow every kernel down, and faults are rare. Instead the
// block runs again, each thread on its own, and the first that faults in the same way is the one.
// Writing twice does not matter: the launch has failed, and its memory with it.
void Scheduler::find_faulting_thread() {
    runs_loop_ = false;
    lay_out_threads();
    run_threads();
    runs_loop_ = true;
    if (!unlocated_fault_) return;
    __musa_sim_context.thread_idx[3] = loop_thread_unknown;
    report_fault(*launch_, *unlocated_fault_, where());
    unlocated_fault_.reset();
}

void Scheduler::run_threads() {
    for (Thread& thread : threads_) {
        thread.finished = false;
        thread.stack_top = nullptr;
    }
    for (Warp& warp : warps_) {
        warp.live = std::min(warp_width(), thread_count_ - warp.first_rank);
        warp.groups.clear();
    }
    ready_ = shuffled_ready_ = ThreadQueue();
    in_order_count_ = shuffled_ ? 0 : thread_count_;
    block_barrier_ = BlockBarrier();
    named_barriers_ = {};
    stacks_in_use_ = 0;
    live_ = thread_count_;
    next_unstarted_ = 1;
    __musa_sim_context.location = nullptr;
    if (observes_) observer_->begin_block();
    if (shuffled_) begin_shuffle();

    Thread& first = threads_[shuffled_ ? start_order_[0] : 0];
    char* top = stacks_.top(stacks_in_use_++);
    if (!top) {
        report(*launch_, musaErrorLaunchOutOfResources, "no memory for the stack of a thread");
        return;
    }
    first.stack_top = top;
    first.stack_pointer = new_fiber(top, thread_body, this);
    make_current(first);
    musa_sim_fiber_switch(&worker_context_, first.stack_pointer);
    if (observes_) observer_->end_block(live_ == 0);
}

void Scheduler::start(Thread& thread) {
    char* top = stacks_.top(stacks_in_use_++);
    if (!top) {
        report(*launch_, musaErrorLaunchOutOfResources, "no memory for the stack of a thread");
        leave_block();
    }
    thread.stack_top = top;
    thread.stack_pointer = new_fiber(top, thread_body, this);
}

// Run the current thread and then, on the same stack, threads that have not started yet.
void Scheduler::thread_body(void* scheduler) {
    auto* self = static_cast<Scheduler*>(scheduler);
    for (;;) {
        self->launch_->entry(self->launch_->arguments);
        self->finish_current();
    }
}

// Return if another thread became current that is to start on this stack.
void Scheduler::finish_current() {
    Thread& thread = *current_;
    thread.finished = true;
    ++events_;
    --live_;
    --warp_of(thread).live;
    if (!block_barrier_.waiting.empty() && block_barrier_.waiting.size() == live_)
        complete_block_barrier();
    leave_groups(thread);
    if (next_unstarted_ < in_order_count_) {
        Thread& next = threads_[next_unstarted_++];
        next.stack_top = thread.stack_top;
        make_current(next);
        return;
    }
    if (live_ == 0) leave_block();
    Thread* next = next_thread();
    make_current(*next);
    musa_sim_fiber_jump(next->stack_pointer);
}

// Leave the thread's stack behind: the next thread that starts there starts at its top.
void Scheduler::exit_current() {
    finish_current();
    musa_sim_fiber_jump(new_fiber(current_->stack_top, thread_body, this));
}

void Scheduler::leave_block() { musa_sim_fiber_jump(worker_context_); }

void Scheduler::begin_shuffle() {
    const auto& index = __musa_sim_context.block_idx;
    const auto& grid = __musa_sim_context.grid_dim;
    const std::uint64_t block =
        index[0] + std::uint64_t{grid[0]} * (index[1] + std::uint64_t{grid[1]} * index[2]);
    order_ = ScheduleOrder(launch_->number, block);
    start_order_.resize(thread_count_);
    for (std::uint32_t i = 0; i < thread_count_; ++i) start_order_[i] = i;
    for (std::uint32_t i = thread_count_; i > 1; --i)
        std::swap(start_order_[i - 1], start_order_[order_.below(i)]);
}

bool Scheduler::chooses_unstarted() {
    const std::uint32_t unstarted = thread_count_ - next_unstarted_;
    return unstarted > 0 && order_.below(unstarted + shuffled_ready_.size()) < unstarted;
}

// Called when no thread is left to run in the ordinary order.
Thread* Scheduler::next_out_of_order() {
    if (!shuffled_) return wake_converged_or_report();
    if (!chooses_unstarted()) return next_ready_shuffled();
    Thread& thread = threads_[start_order_[next_unstarted_++]];
    start(thread);
    return &thread;
}

Thread* Scheduler::next_ready_shuffled() {
    if (shuffled_ready_.empty()) return wake_converged_or_report();
    return shuffled_ready_.take(order_.below(shuffled_ready_.size()));
}

std::uint32_t Scheduler::exited_warps() const {
    const auto has_exited = [](const Warp& warp) { return warp.live == 0; };
    return static_cast<std::uint32_t>(std::count_if(warps_.begin(), warps_.end(), has_exited));
}

void Scheduler::observe_block_barrier() {
    if (!watches_sync_) warn_of_exited_warps(*launch_, exited_warps(), warp_count());
    if (observes_) observer_->block_barrier();
}

void Scheduler::complete_named_barrier(NamedBarrier& barrier) {
    if (observes_)
        for (const Thread* thread = barrier.waiting.front(); thread; thread = thread->next)
            observer_->acquired(&barrier, thread->rank);
    count_step();
    ++events_;
    wake(barrier.waiting);
    barrier = NamedBarrier();
}

std::string Scheduler::stack_owner(const char* address) const {
    for (const Thread& thread : threads_) {
        const bool inside =
            !thread.finished && thread.stack_top && address < thread.stack_top &&
            thread.stack_top - address <= static_cast<std::ptrdiff_t>(settings().stack_size);
        if (!inside) continue;
        return "thread " + index_text(thread.thread_idx);
    }
    return "";
}

void Scheduler::complete_group(Warp& warp, WarpGroup& group) {
    if (__builtin_expect(observes_, 0)) observer_->warp_group(group);
    if (!is_barrier(group.operation)) set_results(group, warp_width());
    ++events_;
    wake(group.waiting);
    if (&group != &warp.groups.back()) group = warp.groups.back();
    warp.groups.pop_back();
}

// A thread has finished: groups of its warp that waited for it wait no longer.
void Scheduler::leave_groups(const Thread& thread) {
    Warp& warp = warp_of(thread);
    const std::uint32_t lane = lane_of(thread);
    // Backwards, because completing a group moves the last one to its index.
    for (std::size_t i = warp.groups.size(); i-- > 0;) {
        WarpGroup& group = warp.groups[i];
        if (!contains(group.mask, lane) || !group.spans(lane)) continue;
        if (group.waiting.size() == --group.expected) complete_group(warp, group);
    }
}

void Scheduler::yield() {
    Thread& self = *current_;
    if (self.event != events_) {
        self.event = events_;
        self.yields = 0;
    }
    if (++self.yields % 4 == 0 && only_spins()) wake_converged();
    ThreadQueue queue;
    queue.push(self);
    wake(queue);
    switch_to_next("__nanosleep");
}

// Whether threads wait at __activemask, and each runnable thread has polled its condition twice since
// the last event, without a change.
bool Scheduler::only_spins() const {
    const auto converges = [](const WarpGroup& group) { return group.operation == WarpOperation::converge; };
    const bool any = std::any_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
        return std::any_of(warp.groups.begin(), warp.groups.end(), converges);
    });
    if (!any || next_unstarted_ < thread_count_) return false;
    const ThreadQueue& ready = shuffled_ ? shuffled_ready_ : ready_;
    for (const Thread* thread = ready.front(); thread; thread = thread->next)
        if (thread->event != events_ || thread->yields < 2) return false;
    return true;
}

// The lanes at each __activemask resume together, without the lanes of their warp that are not there.
void Scheduler::wake_converged() {
    for (Warp& warp : warps_) {
        for (std::size_t i = warp.groups.size(); i-- > 0;) {
            if (warp.groups[i].operation != WarpOperation::converge) continue;
            complete_group(warp, warp.groups[i]);
        }
    }
}

// No thread can run. Threads at __activemask wait for the rest of their warp only as long as it
// can still arrive; now it cannot. If there are none, it is a deadlock.
Thread* Scheduler::wake_converged_or_report() {
    wake_converged();
    if (Thread* thread = (shuffled_ ? shuffled_ready_ : ready_).pop()) return thread;
    current_ = nullptr;  // it waits, too
    report_deadlock(waiting_threads());
    leave_block();
}

void Scheduler::report_deadlock(const std::string& states) {
    report(*launch_, musaErrorLaunchFailure, ("deadlock: " + states).c_str());
}

void Scheduler::report_timeout() {
    std::string text = "no progress for " + std::to_string(settings().watchdog_seconds) +
                       " s, the launch is ended (MUSA_SIM_WATCHDOG sets the time)";
    if (!runs_loop_) text += "; of this block " + waiting_threads();
    report(*launch_, musaErrorLaunchTimeout, text.c_str(), where());
}

std::string Scheduler::waiting_threads() const {
    std::set<const Thread*> running{current_};
    const ThreadQueue& ready = shuffled_ ? shuffled_ready_ : ready_;
    for (const Thread* thread = ready.front(); thread; thread = thread->next)
        running.insert(thread);
    std::map<std::string, int> states;
    for (const Thread& thread : threads_) {
        if (thread.finished || !thread.stack_top) continue;
        ++states[running.count(&thread) ? "run" : std::string("wait at ") + thread.waits_at];
    }
    const auto finished = std::count_if(threads_.begin(), threads_.end(),
                                        [](const Thread& thread) { return thread.finished; });
    return states_text(states, thread_count_ - next_unstarted_, finished);
}

}  // namespace musa_sim
