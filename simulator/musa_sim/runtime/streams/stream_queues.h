// The order of asynchronous work: one queue per stream, and threads that run the tasks.
//
// A task runs when all earlier tasks of its queue are complete, and all tickets that it comes
// after: events, and the order of the default stream. Background threads pick tasks
// up some time after they were submitted; a thread that waits for a task does not sit idle but runs
// the tasks before it, so that "launch, then synchronise" costs no switch of threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace musa_sim {

class Work {
public:
    virtual ~Work() = default;
    virtual void run() = 0;
};

// A callable, which may be movable only, as Work.
template <class Function>
std::unique_ptr<Work> as_work(Function function) {
    struct Callable final : Work {
        explicit Callable(Function&& f) : function(std::move(f)) {}
        void run() override { function(); }
        Function function;
    };
    return std::make_unique<Callable>(std::move(function));
}

struct StreamQueue;

// A point in a queue: complete when the first `number` tasks of the queue are. The default is complete.
struct Ticket {
    std::shared_ptr<StreamQueue> queue;
    std::uint64_t number = 0;
};

enum class StreamKind {
    legacy_default,  // each task waits for all blocking streams, and they for it
    blocking,
    non_blocking,
};

// When background threads pick up a task. Waking one costs both sides some microseconds, which pays
// for large tasks only; small ones wait for the next poll, some 0.5 ms away, or until
// the program asks how far they are. A task that its submitter waits for needs no other thread.
enum class Start { by_waiter, soon, now };

class StreamQueues {
public:
    static StreamQueues& instance();

    std::shared_ptr<StreamQueue> create(int device, StreamKind kind, int priority);
    // The legacy default stream of a device.
    std::shared_ptr<StreamQueue> default_queue(int device);
    // As it was created.
    static int device(const std::shared_ptr<StreamQueue>& queue);
    static StreamKind kind(const std::shared_ptr<StreamQueue>& queue);
    static int priority(const std::shared_ptr<StreamQueue>& queue);
    // 0: a default stream; others as they were created.
    static int number(const std::shared_ptr<StreamQueue>& queue);
    // The handle of the stream is gone; work it still has is done all the same.
    void close(const std::shared_ptr<StreamQueue>& queue);

    // A point that a thread outside the queues completes by open_gate(). Tasks come after it as after any ticket, and
    // no thread of the queues waits for it.
    static Ticket create_gate();
    void open_gate(const Ticket& gate);

    // Submit work; it also waits for the tickets in `after`. Without work the task is only a point
    // in the order of the queue.
    Ticket submit(const std::shared_ptr<StreamQueue>& queue, std::unique_ptr<Work> work,
                  Start start, std::vector<Ticket> after = {});

    // Run the work after all that was submitted to the device so far: now, if that is complete.
    void when_done(int device, std::unique_ptr<Work> work);

    // Whether everything submitted so far is complete; for the legacy default stream also that of
    // the streams it waits for.
    bool idle(const std::shared_ptr<StreamQueue>& queue);
    bool complete(const Ticket& ticket);
    // Return when the ticket is complete. Run the tasks before it that no other thread runs.
    void wait(const Ticket& ticket);
    // Wait until the queue is idle.
    void synchronize(const std::shared_ptr<StreamQueue>& queue);
    void synchronize_device(int device);
    // Also wait for other devices' queues, up to their first closed gate.
    void synchronize_users_of_memory(int device);

    // fork(): everything submitted is complete when the process is copied, and nothing runs
    // meanwhile. The child has the same queues, empty, and starts its own threads.
    void before_fork();
    void after_fork_in_parent();
    void after_fork_in_child();

private:
    using Lock = std::unique_lock<std::mutex>;

    static bool is_complete(const Ticket& ticket);
    std::vector<std::shared_ptr<StreamQueue>>& queues_of(int device);
    void add_default_stream_order(const StreamQueue& queue, std::vector<Ticket>& after);
    std::vector<Ticket> unfinished_work_before(StreamQueue& queue);
    StreamQueue* next_queue_towards(const Ticket& ticket);
    static bool is_held_by_gate(const Ticket& ticket);
    bool can_run(StreamQueue& queue);
    void run_front(Lock& lock, StreamQueue& queue);
    void mark_ready(StreamQueue& queue);
    void mark_unblocked_ready();
    void wake_worker(Start start);
    void drain();
    void sleep_until_woken(Lock& lock);
    bool are_ready_queues_served();
    void wait_until_complete(Lock& lock, const Ticket& ticket);
    void wait_up_to_gates(Lock& lock, const Ticket& ticket);
    void help_or_wait(Lock& lock, const Ticket& ticket);
    void hand_off();
    void expedite();
    void notify_completion();
    bool all_complete() const;
    std::vector<Ticket> unfinished_work_of(int device) const;

    std::mutex mutex_;  // guards everything, the queues included
    std::condition_variable completed_;
    int created_ = 0;
    int waiting_for_completion_ = 0;

    std::vector<std::vector<std::shared_ptr<StreamQueue>>>
        queues_;                                         // by device; [0]: the default stream's
    std::deque<std::shared_ptr<StreamQueue>> ready_;     // have tasks that may be able to run
    std::vector<std::shared_ptr<StreamQueue>> blocked_;  // whose first task waits for others

    std::condition_variable worker_woken_;  // idle threads wait here
    std::uint64_t activity_ = 0;            // submissions so far
    int starting_ = 0;                      // threads that were started and do not run yet
    int asleep_ = 0;                        // threads that wait until they are notified
    bool polling_ = false;                  // one idle thread wakes regularly
};

}  // namespace musa_sim
