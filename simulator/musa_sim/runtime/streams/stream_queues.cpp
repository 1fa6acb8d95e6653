#include "streams/stream_queues.h"

#include <algorithm>
#include <chrono>

#include "base/background_thread.h"
#include "base/devices.h"
#include "base/lifetime.h"

namespace musa_sim {

struct StreamQueue : std::enable_shared_from_this<StreamQueue> {
    struct Task {
        std::unique_ptr<Work> work;
        std::vector<Ticket> after;
    };

    StreamQueue(int of_device, StreamKind of_kind, int with_priority, int with_number)
        : device(of_device), kind(of_kind), priority(with_priority), number(with_number) {}

    bool idle() const { return completed == submitted; }

    const int device;
    const StreamKind kind;
    const int priority;  // less is more urgent
    const int number;    // for people
    std::deque<Task> tasks;
    std::uint64_t submitted = 0;
    std::uint64_t completed = 0;
    std::uint64_t completed_at_poll = 0;  // at the last poll of an idle thread
    bool running = false;  // its first task was taken and is not complete
    bool ready = false;
    bool blocked = false;
    bool closed = false;
    bool gate = false;  // belongs to no stream; open_gate() completes its one task
};

namespace {

using namespace std::chrono_literals;

// How often an idle thread polls for tasks that were not worth waking it for, and how many
// times in vain before it sleeps until it is woken. A poll costs 7 us: polling every 0.1 ms takes
// 7 % of a core.
constexpr auto poll_interval = 500us;
constexpr int polls_before_sleep = 6;
// While other threads complete the ready tasks.
constexpr auto long_interval = 2ms;

}  // namespace

StreamQueues& StreamQueues::instance() {
    static StreamQueues& queues = leaked<StreamQueues>();
    return queues;
}

std::vector<std::shared_ptr<StreamQueue>>& StreamQueues::queues_of(int device) {
    const auto index = static_cast<std::size_t>(device);
    if (queues_.size() <= index) queues_.resize(index + 1);
    if (queues_[index].empty()) {
        queues_[index].push_back(
            std::make_shared<StreamQueue>(device, StreamKind::legacy_default, 0, 0));
    }
    return queues_[index];
}

std::shared_ptr<StreamQueue> StreamQueues::create(int device, StreamKind kind, int priority) {
    Lock lock(mutex_);
    auto queue = std::make_shared<StreamQueue>(device, kind, priority, ++created_);
    auto& queues = queues_of(device);
    queues.erase(std::remove_if(queues.begin(), queues.end(),
                                [](const auto& q) { return q->closed && q->idle(); }),
                 queues.end());
    queues.push_back(queue);
    return queue;
}

std::shared_ptr<StreamQueue> StreamQueues::default_queue(int device) {
    Lock lock(mutex_);
    return queues_of(device).front();
}

int StreamQueues::device(const std::shared_ptr<StreamQueue>& queue) { return queue->device; }
StreamKind StreamQueues::kind(const std::shared_ptr<StreamQueue>& queue) { return queue->kind; }
int StreamQueues::priority(const std::shared_ptr<StreamQueue>& queue) { return queue->priority; }

int StreamQueues::number(const std::shared_ptr<StreamQueue>& queue) { return queue->number; }

void StreamQueues::close(const std::shared_ptr<StreamQueue>& queue) {
    Lock lock(mutex_);
    queue->closed = true;
}

bool StreamQueues::is_complete(const Ticket& ticket) {
    return !ticket.queue || ticket.queue->completed >= ticket.number;
}

Ticket StreamQueues::create_gate() {
    auto queue = std::make_shared<StreamQueue>(0, StreamKind::non_blocking, 0, 0);
    queue->submitted = 1;
    queue->running = true;
    queue->gate = true;
    return {queue, 1};
}

void StreamQueues::open_gate(const Ticket& gate) {
    Lock lock(mutex_);
    gate.queue->running = false;
    gate.queue->completed = gate.number;
    mark_unblocked_ready();
    notify_completion();
}

// Add the tickets that a task of the queue comes after because of the legacy default stream.
void StreamQueues::add_default_stream_order(const StreamQueue& queue, std::vector<Ticket>& after) {
    if (queue.kind == StreamKind::non_blocking) return;
    auto& queues = queues_of(queue.device);
    if (queue.kind == StreamKind::blocking) {
        const auto& default_queue = queues.front();
        if (!default_queue->idle()) after.push_back({default_queue, default_queue->submitted});
        return;
    }
    for (const auto& other : queues) {
        if (other->kind == StreamKind::blocking && !other->idle())
            after.push_back({other, other->submitted});
    }
}

Ticket StreamQueues::submit(const std::shared_ptr<StreamQueue>& queue, std::unique_ptr<Work> work,
                            Start start, std::vector<Ticket> after) {
    Lock lock(mutex_);
    after.erase(std::remove_if(after.begin(), after.end(), is_complete), after.end());
    add_default_stream_order(*queue, after);
    ++queue->submitted;
    if (!work && after.empty() && queue->completed + 1 == queue->submitted) {
        ++queue->completed;  // nothing to do and nothing to wait for
        return {};
    }
    queue->tasks.push_back({std::move(work), std::move(after)});
    ++activity_;
    if (!queue->running && !queue->blocked) {
        mark_ready(*queue);
        if (start != Start::by_waiter) wake_worker(start);
    }
    return {queue, queue->submitted};
}

void StreamQueues::when_done(int device, std::unique_ptr<Work> work) {
    std::vector<Ticket> before;
    {
        Lock lock(mutex_);
        before = unfinished_work_of(device);
    }
    if (before.empty()) return work->run();
    const auto queue = create(device, StreamKind::non_blocking, 0);
    submit(queue, std::move(work), Start::soon, std::move(before));
    close(queue);
}

bool StreamQueues::idle(const std::shared_ptr<StreamQueue>& queue) {
    Lock lock(mutex_);
    const bool is_idle = unfinished_work_before(*queue).empty();
    if (!is_idle) expedite();
    return is_idle;
}

std::vector<Ticket> StreamQueues::unfinished_work_before(StreamQueue& queue) {
    std::vector<Ticket> tickets;
    if (!queue.idle()) tickets.push_back({queue.shared_from_this(), queue.submitted});
    if (queue.kind == StreamKind::legacy_default) add_default_stream_order(queue, tickets);
    return tickets;
}

bool StreamQueues::complete(const Ticket& ticket) {
    Lock lock(mutex_);
    if (is_complete(ticket)) return true;
    expedite();
    return false;
}

// The program asks whether work is done, and probably will ask until it is.
void StreamQueues::expedite() {
    const bool can_begin = std::any_of(ready_.begin(), ready_.end(),
                                       [this](const auto& queue) { return can_run(*queue); });
    if (can_begin) wake_worker(Start::now);
}

void StreamQueues::wait(const Ticket& ticket) {
    Lock lock(mutex_);
    wait_until_complete(lock, ticket);
}

void StreamQueues::synchronize(const std::shared_ptr<StreamQueue>& queue) {
    Lock lock(mutex_);
    for (const Ticket& ticket : unfinished_work_before(*queue)) wait_until_complete(lock, ticket);
}

void StreamQueues::synchronize_device(int device) {
    Lock lock(mutex_);
    for (const Ticket& ticket : unfinished_work_of(device)) wait_until_complete(lock, ticket);
}

void StreamQueues::synchronize_users_of_memory(int device) {
    Lock lock(mutex_);
    for (const Ticket& ticket : unfinished_work_of(device)) wait_until_complete(lock, ticket);
    for (int other = 0; static_cast<std::size_t>(other) < queues_.size(); ++other) {
        if (other == device) continue;
        for (const Ticket& ticket : unfinished_work_of(other)) wait_up_to_gates(lock, ticket);
    }
}

std::vector<Ticket> StreamQueues::unfinished_work_of(int device) const {
    std::vector<Ticket> tickets;
    if (static_cast<std::size_t>(device) >= queues_.size()) return tickets;
    for (const auto& queue : queues_[static_cast<std::size_t>(device)]) {
        if (!queue->idle()) tickets.push_back({queue, queue->submitted});
    }
    return tickets;
}

void StreamQueues::wait_until_complete(Lock& lock, const Ticket& ticket) {
    while (!is_complete(ticket)) help_or_wait(lock, ticket);
    hand_off();
}

void StreamQueues::wait_up_to_gates(Lock& lock, const Ticket& ticket) {
    while (!is_complete(ticket) && !is_held_by_gate(ticket)) help_or_wait(lock, ticket);
    hand_off();
}

void StreamQueues::help_or_wait(Lock& lock, const Ticket& ticket) {
    if (StreamQueue* queue = next_queue_towards(ticket)) {
        run_front(lock, *queue);
        return;
    }
    ++waiting_for_completion_;
    completed_.wait(lock);
    --waiting_for_completion_;
}

// Leave tasks that were submitted meanwhile to other threads.
void StreamQueues::hand_off() {
    const bool left = std::any_of(ready_.begin(), ready_.end(),
                                  [](const auto& queue) { return !queue->tasks.empty(); });
    if (left) wake_worker(Start::soon);
}

// Return a queue whose first task can run and must run before the ticket is complete; nullptr if another
// thread runs it. Tasks wait for tasks that were submitted before them, so this ends.
StreamQueue* StreamQueues::next_queue_towards(const Ticket& ticket) {
    StreamQueue* queue = ticket.queue.get();
    for (;;) {
        if (queue->running) return nullptr;
        if (can_run(*queue)) return queue;
        queue = queue->tasks.front().after.front().queue.get();
    }
}

// Whether only a gate keeps the next task towards the ticket from running.
bool StreamQueues::is_held_by_gate(const Ticket& ticket) {
    const StreamQueue* queue = ticket.queue.get();
    while (!queue->running) {
        const std::vector<Ticket>& after = queue->tasks.front().after;
        const auto missing = std::find_if_not(after.begin(), after.end(), is_complete);
        if (missing == after.end()) return false;
        queue = missing->queue.get();
    }
    return queue->gate;
}

bool StreamQueues::can_run(StreamQueue& queue) {
    if (queue.running || queue.tasks.empty()) return false;
    std::vector<Ticket>& after = queue.tasks.front().after;
    after.erase(std::remove_if(after.begin(), after.end(), is_complete), after.end());
    return after.empty();
}

// Mark the task complete also if the thread is ended while it runs, as Python ends threads that
// take its lock while it shuts down.
void StreamQueues::run_front(Lock& lock, StreamQueue& queue) {
    struct Completion {
        StreamQueues& all;
        Lock& lock;
        std::shared_ptr<StreamQueue> queue;
        ~Completion() {
            if (!lock.owns_lock()) lock.lock();
            queue->running = false;
            ++queue->completed;
            if (!queue->tasks.empty()) all.mark_ready(*queue);
            all.mark_unblocked_ready();
            all.notify_completion();
        }
    };
    StreamQueue::Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    queue.running = true;
    Completion completion{*this, lock, queue.shared_from_this()};
    if (!task.work) return;
    lock.unlock();
    task.work->run();
    task.work.reset();
    lock.lock();
}

void StreamQueues::notify_completion() {
    if (waiting_for_completion_ > 0) completed_.notify_all();
}

void StreamQueues::mark_ready(StreamQueue& queue) {
    if (queue.ready) return;
    queue.ready = true;
    const auto before = std::upper_bound(
        ready_.begin(), ready_.end(), queue.priority,
        [](int priority, const std::shared_ptr<StreamQueue>& q) { return priority < q->priority; });
    ready_.insert(before, queue.shared_from_this());
}

void StreamQueues::mark_unblocked_ready() {
    if (blocked_.empty()) return;
    auto still_blocked = std::partition(blocked_.begin(), blocked_.end(),
                                        [this](const auto& q) { return !can_run(*q); });
    if (still_blocked == blocked_.end()) return;
    for (auto queue = still_blocked; queue != blocked_.end(); ++queue) {
        (*queue)->blocked = false;
        mark_ready(**queue);
    }
    blocked_.erase(still_blocked, blocked_.end());
    wake_worker(Start::now);
}

// Wake or start a thread for the ready queues; if there are several, it wakes the next thread.
void StreamQueues::wake_worker(Start start) {
    if (starting_ > 0 || (polling_ && start == Start::soon)) return;
    if (polling_ || asleep_ > 0) {
        worker_woken_.notify_one();
    } else {
        // If there are no more threads, those that wait for the work do it.
        if (start_background_thread([this] { drain(); })) ++starting_;
    }
}

void StreamQueues::drain() {
    Lock lock(mutex_);
    --starting_;
    for (;;) {
        sleep_until_woken(lock);
        std::shared_ptr<StreamQueue> queue = std::move(ready_.front());
        ready_.pop_front();
        queue->ready = false;
        // Streams are concurrent: one thread each, as long as they have something to do.
        if (!ready_.empty()) wake_worker(Start::now);
        while (can_run(*queue)) run_front(lock, *queue);
        if (queue->running || queue->tasks.empty() || queue->blocked) continue;
        queue->blocked = true;
        blocked_.push_back(queue);
    }
}

void StreamQueues::sleep_until_woken(Lock& lock) {
    std::uint64_t seen = activity_;
    int polls = 0;
    bool served = false;
    while (ready_.empty() || served) {
        if (!polling_ && (polls < polls_before_sleep || !ready_.empty())) {
            polling_ = true;
            const auto interval = served ? long_interval : poll_interval;
            const bool called = worker_woken_.wait_for(lock, interval) == std::cv_status::no_timeout;
            polling_ = false;
            served = !called && are_ready_queues_served();
            polls = seen == activity_ ? polls + 1 : 0;
            seen = activity_;
        } else {
            ++asleep_;
            worker_woken_.wait(lock);
            --asleep_;
            served = false;
            polls = 0;
        }
    }
}

// A program that waits for each of its kernels runs them itself. A thread that polled at that moment
// and took one would only make the program wait for two switches of threads. So it skips
// queues whose tasks others completed since its last poll, and takes one of the rest.
bool StreamQueues::are_ready_queues_served() {
    auto neglected = ready_.end();
    for (auto queue = ready_.begin(); queue != ready_.end(); ++queue) {
        if ((*queue)->completed == (*queue)->completed_at_poll && neglected == ready_.end())
            neglected = queue;
        (*queue)->completed_at_poll = (*queue)->completed;
    }
    if (neglected == ready_.end()) return true;
    std::rotate(ready_.begin(), neglected, neglected + 1);
    return false;
}

bool StreamQueues::all_complete() const {
    for (const auto& queues : queues_) {
        for (const auto& queue : queues) {
            if (!queue->idle()) return false;
        }
    }
    return true;
}

void StreamQueues::before_fork() {
    Lock lock(mutex_);
    // A host function that forks is work in flight itself; then the child starts from a snapshot.
    while (!in_host_function() && !all_complete()) {
        for (std::size_t device = 0; device < queues_.size(); ++device) {
            for (const Ticket& ticket : unfinished_work_of(static_cast<int>(device)))
                wait_until_complete(lock, ticket);
        }
    }
    lock.release();  // held until the process is copied
}

void StreamQueues::after_fork_in_parent() { mutex_.unlock(); }

void StreamQueues::after_fork_in_child() {
    for (auto& queues : queues_) {
        for (auto& queue : queues) {
            queue->tasks.clear();
            queue->completed = queue->submitted;
            queue->running = queue->ready = queue->blocked = false;
        }
    }
    ready_.clear();
    blocked_.clear();
    waiting_for_completion_ = asleep_ = starting_ = 0;
    polling_ = false;
    // The waiting threads do not exist here, so the condition variables must forget them.
    new (&completed_) std::condition_variable();
    new (&worker_woken_) std::condition_variable();
    mutex_.unlock();
}

}  // namespace musa_sim
