// The threads of a running block, in the groups in which they wait for each other.
#pragma once

#include <cstdint>
#include <vector>

namespace musa_sim {

// A thread of the running block.
struct Thread {
    void* stack_pointer = nullptr;  // while it does not run
    Thread* next = nullptr;         // in the queue it is in
    std::uint32_t thread_idx[4] = {0, 0, 0, 0};
    std::uint32_t rank = 0;  // x + y * blockDim.x + z * blockDim.x * blockDim.y
    bool finished = false;
    const char* waits_at = nullptr;
    char* stack_top = nullptr;
    // How often it has yielded since the scheduler's last event, and which that was.
    std::uint32_t yields = 0;
    std::uint64_t event = 0;

    // With MUSA_SIM_CHECK=sync: the call at which it waits, and its source line if known.
    const void* site = nullptr;
    const char* location = nullptr;

    // Operands and result of the warp operation at which it waits.
    std::uint64_t value = 0;
    int kind = 0;
    int argument = 0;
    std::uint32_t segment = 0;  // warp_operations.h
    std::uint64_t result = 0;
};

class ThreadQueue {
public:
    bool empty() const { return head_ == nullptr; }
    std::uint32_t size() const { return size_; }
    Thread* front() const { return head_; }

    void push(Thread& thread) {
        thread.next = nullptr;
        *(head_ ? &tail_->next : &head_) = &thread;
        tail_ = &thread;
        ++size_;
    }
    Thread* pop() {
        Thread* thread = head_;
        if (thread) {
            head_ = thread->next;
            --size_;
        }
        return thread;
    }
    // Take the thread at a position out of the queue.
    Thread* take(std::uint32_t position) {
        if (position == 0) return pop();
        Thread* before = head_;
        while (--position > 0) before = before->next;
        Thread* thread = before->next;
        before->next = thread->next;
        if (thread == tail_) tail_ = before;
        --size_;
        return thread;
    }
    // Move all threads of `other` to the end of this queue.
    void append(ThreadQueue& other) {
        if (other.empty()) return;
        *(head_ ? &tail_->next : &head_) = other.head_;
        tail_ = other.tail_;
        size_ += other.size_;
        other = ThreadQueue();
    }

private:
    Thread* head_ = nullptr;
    Thread* tail_ = nullptr;
    std::uint32_t size_ = 0;
};

enum class WarpOperation : std::uint8_t {
    sync,
    group_sync,
    shuffle,
    ballot,
    vote_all,
    vote_any,
    match_any,
    match_all,
    converge,
    together
};

// Threads of one warp that wait for each other at one operation with one mask.
struct WarpGroup {
    WarpOperation operation;
    std::uint32_t mask;
    const void* site;          // converge: the calling instruction; else nullptr
    std::uint32_t first_lane;  // the mask is that of the lanes from here,
    std::uint32_t lane_count;  // so many
    std::uint32_t expected;
    ThreadQueue waiting;

    bool spans(std::uint32_t lane) const { return lane - first_lane < lane_count; }
};

// Barriers have no results.
inline bool is_barrier(WarpOperation operation) {
    return operation == WarpOperation::sync || operation == WarpOperation::group_sync;
}

struct Warp {
    std::uint32_t first_rank = 0;
    std::uint32_t live = 0;
    std::vector<WarpGroup> groups;  // the groups with waiting threads
};

}  // namespace musa_sim
