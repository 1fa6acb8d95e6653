// Runs the threads of one block, each on a stack of its own, on one operating system thread.
//
// Threads are started lazily: thread n + 1 starts only when thread n has finished or waits. A
// kernel that never waits therefore runs on a single stack without a switch. Threads that have not
// started have precedence over ready threads, and ready threads run in the order in which they
// became ready, so that every thread makes progress however the others behave between two waits.
// Everything here belongs to one operating system thread; nothing is locked.
//
// The functions on the path of a barrier are defined in this header and inlined into the barrier,
// because returns on a freshly switched stack are mispredicted.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/device_abi.h"
#include "blocks/block_observer.h"
#include "blocks/dynamic_shared.h"
#include "blocks/fault_reports.h"
#include "blocks/fiber.h"
#include "blocks/launch.h"
#include "blocks/pausable_thread.h"
#include "blocks/schedule_order.h"
#include "blocks/stacks.h"
#include "blocks/threads.h"

namespace musa_sim {

class Scheduler {
public:
    Scheduler();
    ~Scheduler();

    // The scheduler whose device code this operating system thread is running; nullptr outside
    // kernels.
    static Scheduler* active() { return active_; }

    // Run blocks of the launch until none is left or one failed.
    void work(Launch& launch);
    // Run one block, for a launch whose blocks all run at the same time.
    void work_on(Launch& launch, std::uint64_t block);

    // --- for other threads, while the worker pool says that this one works on a launch ---

    // Take a block that this scheduler has reserved and not begun; false if there is none.
    bool steal_block(std::uint64_t* block);
    std::uint64_t reserved_blocks() const {
        return reserved_.load(std::memory_order_relaxed) & 0xffff;
    }
    // The block that runs, or ran last.
    std::uint64_t block() const { return block_.load(std::memory_order_relaxed); }
    // Blocks finished, and steps such as completed barriers, since the scheduler exists.
    std::uint64_t finished_blocks() const {
        return finished_blocks_.load(std::memory_order_relaxed);
    }
    std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }
    PausableThread& os_thread() { return os_thread_; }

    // --- for the synchronisation functions, which run on the stack of the current thread ---

    Thread& current() { return *current_; }
    std::uint32_t live_threads() const { return live_; }
    std::uint32_t exited_warps() const;
    std::uint32_t warp_count() const { return static_cast<std::uint32_t>(warps_.size()); }
    std::uint32_t warp_width() const { return 1u << warp_shift_; }
    Warp& warp_of(const Thread& thread) { return warps_[thread.rank >> warp_shift_]; }
    std::uint32_t lane_of(const Thread& thread) const { return thread.rank & (warp_width() - 1); }
    Thread* thread_at(std::uint32_t rank) {
        return rank < thread_count_ ? &threads_[rank] : nullptr;
    }

    // The threads that wait at __syncthreads and its variants, which share one barrier.
    struct BlockBarrier {
        ThreadQueue waiting;
        int count = 0;       // predicates that were true so far
        int last_count = 0;  // of the last completed barrier, and how many took part
        int last_threads = 0;
        int behind_grid = 0;  // threads that have yet to see that the grid's barrier is complete
    };
    BlockBarrier& block_barrier() { return block_barrier_; }
    void complete_block_barrier() {
        const bool all_came = block_barrier_.waiting.size() == thread_count_;
        if (__builtin_expect(observes_ || !all_came, 0)) observe_block_barrier();
        block_barrier_.last_count = block_barrier_.count;
        block_barrier_.last_threads = static_cast<int>(block_barrier_.waiting.size());
        block_barrier_.count = 0;
        count_step();
        ++events_;
        wake(block_barrier_.waiting);
    }
    // Threads that wait at a barrier by its number (bar.sync of PTX), which may be for a part of the block.
    struct NamedBarrier {
        ThreadQueue waiting;
        std::uint32_t arrived = 0;
        std::uint32_t expected = 0;  // 0 while no thread has arrived
    };
    static constexpr std::uint32_t named_barrier_count = 16;
    NamedBarrier& named_barrier(std::uint32_t number) { return named_barriers_[number]; }
    void complete_named_barrier(NamedBarrier& barrier);
    // Progress, for the watchdog.
    void count_step() { count(steps_); }

    // Give every waiting thread its result and wake it.
    void complete_group(Warp& warp, WarpGroup& group);

    void wake(ThreadQueue& threads) { (shuffled_ ? shuffled_ready_ : ready_).append(threads); }

    // Give the processor to the next thread. The caller must have put the current thread into a
    // queue.
    __attribute__((always_inline)) void suspend(const char* waits_at) {
        ++events_;
        switch_to_next(waits_at);
    }
    // Let the other threads that can run go first. Once all of them do nothing but this, threads at
    // __activemask stop waiting for the lanes of their warp that spin.
    void yield();

    // --- for checks ---

    // nullptr if no check looks at the launch.
    BlockObserver* observer() { return observes_ ? observer_.get() : nullptr; }
    bool watches_sync() const { return watches_sync_; }
    // The current thread is about to wait at the call that returns to `site`.
    __attribute__((always_inline)) void arrive(const void* site) {
        if (__builtin_expect(!observes_, 1)) return;
        current_->location = __musa_sim_context.location;
        current_->site = site_or_location(site);
    }
    // Identifies a call: in checked builds by its source line, because LLVM may merge calls that differ
    // in nothing else.
    const void* site_or_location(const void* site) const {
        const char* location = __musa_sim_context.location;
        return observes_ && location ? location : site;
    }
    bool is_on_current_stack(const char* address) const {
        return address >= static_cast<char*>(__builtin_frame_address(0)) &&
               address < current_->stack_top;
    }
    // "thread (1,0,0)" if the address is on the stack of a thread of the block, else "".
    std::string stack_owner(const char* address) const;

    // --- for faults: ends the block from within device code ---

    Launch& launch() { return *launch_; }
    const Launch& launch() const { return *launch_; }
    // Whether threadIdx in the context is that of the thread that runs.
    bool knows_thread() const {
        return !runs_loop_ || __musa_sim_context.thread_idx[3] == loop_thread_kept;
    }
    Where where() const { return knows_thread() ? Where::thread : Where::unknown_thread; }
    // Report the fault if it is the launch's first; if its thread is not known, only record it
    // (find_faulting_thread). Safe in a signal handler; the block ends afterwards.
    void fault(const Fault& fault);
    bool is_stack_overflow(const void* address) const { return stacks_.is_guard(address); }
    const DynamicShared& dynamic_shared() const { return dynamic_shared_; }
    void* worker_context() const { return worker_context_; }
    [[noreturn]] void leave_block();
    // `states`: of states_text (wording.h).
    void report_deadlock(const std::string& states);
    // End the current thread, wherever in its kernel it is.
    [[noreturn]] void exit_current();
    // Let other threads run blocks of the launch, too: this one waits for them, or has worked long enough.
    void call_helpers();
    // Report, for the first thread that the watchdog ends, where all threads of its block are.
    void report_timeout();

private:
    // Only this thread writes.
    static void count(std::atomic<std::uint64_t>& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void begin_block(std::uint64_t index);
    bool take_block(Launch& launch, std::uint64_t* block);
    void call_helpers_in_time();
    std::string waiting_threads() const;
    void prepare(Launch& launch);
    void run_block(std::uint64_t index);
    void run_threads();
    void run_loop();
    void find_faulting_thread();
    void lay_out_threads();
    static void thread_body(void* scheduler);
    static void loop_body(void* scheduler);
    void finish_current();
    void leave_groups(const Thread& thread);
    void start(Thread& thread);
    void observe_block_barrier();
    Thread* next_out_of_order();
    Thread* next_ready_shuffled();
    void begin_shuffle();
    bool chooses_unstarted();
    __attribute__((always_inline)) void switch_to_next(const char* waits_at) {
        Thread* self = current_;
        self->waits_at = waits_at;
        Thread* next = next_thread();
        if (next == self) return;
        make_current(*next);
        musa_sim_fiber_switch(&self->stack_pointer, next->stack_pointer);
    }
    bool only_spins() const;
    void wake_converged();
    Thread* wake_converged_or_report();

    __attribute__((always_inline)) void make_current(Thread& thread) {
        current_ = &thread;
        std::memcpy(__musa_sim_context.thread_idx, thread.thread_idx, sizeof thread.thread_idx);
    }

    __attribute__((always_inline)) Thread* next_thread() {
        if (next_unstarted_ < in_order_count_) {
            Thread& thread = threads_[next_unstarted_++];
            start(thread);
            return &thread;
        }
        Thread* thread = ready_.pop();
        return __builtin_expect(thread != nullptr, 1) ? thread : next_out_of_order();
    }

    static thread_local Scheduler* active_ MUSA_SIM_INITIAL_EXEC;

    PausableThread os_thread_;
    // Blocks reserved for this scheduler: the first one times 2^16, plus how many.
    std::atomic<std::uint64_t> reserved_{0};
    std::atomic<std::uint64_t> block_{0};
    std::atomic<std::uint64_t> finished_blocks_{0};
    std::atomic<std::uint64_t> steps_{0};

    Launch* launch_ = nullptr;
    void* worker_context_ = nullptr;  // where to go when the block has ended
    Thread* current_ = nullptr;
    std::uint32_t thread_count_ = 0;
    std::uint32_t next_unstarted_ = 0;
    std::uint32_t live_ = 0;
    std::uint64_t events_ = 0;  // waits that began or were over, and exits: anything but a yield
    unsigned warp_shift_ = 5;
    bool takes_more_ = false;  // blocks of the launch, after the one that it runs
    std::uint64_t taken_blocks_ = 0;  // of the launch
    std::chrono::steady_clock::time_point begin_{};  // of work on it, if it can be shared
    bool runs_loop_ = false;
    std::optional<Fault> unlocated_fault_;  // its thread is not known yet
    bool checking_ = false;      // the launch is instrumented, and some check is on
    bool watches_sync_ = false;  // MUSA_SIM_CHECK=sync
    bool observes_ = false;      // one of the two
    std::unique_ptr<BlockObserver> observer_;
    // MUSA_SIM_SEED. The queue and the count that the fast path reads are then empty, so that it
    // need not test for it.
    bool shuffled_ = false;
    std::uint32_t in_order_count_ = 0;  // thread_count_, or 0
    ThreadQueue shuffled_ready_;
    ScheduleOrder order_;
    std::vector<std::uint32_t> start_order_;  // ranks, in the order in which shuffled threads start
    ThreadQueue ready_;
    BlockBarrier block_barrier_;
    std::array<NamedBarrier, named_barrier_count> named_barriers_;
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    dim3 threads_laid_out_for_{0, 0, 0};
    std::size_t stacks_in_use_ = 0;
    Stacks stacks_;
    DynamicShared dynamic_shared_;
};

}  // namespace musa_sim
