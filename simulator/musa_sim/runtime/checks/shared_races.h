// Finds races: accesses of two threads of the running block to one byte of shared memory that no barrier
// orders.
//
// Two accesses are ordered if a barrier of the block, a __syncwarp that both threads took part in, or an object that one
// thread released and the other acquired (directly or through others) lies between them. If they are not, one of them writes and they
// are not both atomic, the result depends on the order in which the hardware happens to run them.
// Shuffles and votes order nothing: CUDA promises that of __syncwarp only. An asynchronous copy that its thread has not
// waited for is ordered with no access, not even of that thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace musa_sim {

// One thread's access to one byte.
struct Touch {
    std::uint32_t epoch = 0;  // barriers of the block so far
    std::uint32_t clock = 0;  // the thread's own count of warp barriers and releases
    std::uint32_t rank = 0;   // the thread
    bool atomic = false;
    bool pending = false;  // an asynchronous copy that its thread has not waited for
    const char* location = nullptr;
};

struct Race {
    Touch earlier;
    bool earlier_writes;
};

class SharedRaces {
public:
    // A new block of so many threads, with so many bytes of shared memory.
    void begin_block(std::uint32_t threads, std::uint32_t warp_width, std::size_t bytes);
    // All threads of the block have met.
    void block_barrier() { ++epoch_; }
    // These threads of one warp have met.
    void warp_barrier(const std::vector<std::uint32_t>& ranks);

    // Accesses before a release happen before those after a later acquisition.
    void release(std::uint32_t rank, const void* object);
    void acquire(std::uint32_t rank, const void* object);

    // Record an access to [offset, offset + size); return the first access that it is not ordered with.
    std::optional<Race> access(std::uint32_t rank, std::size_t offset, std::size_t size,
                               bool writes, bool atomic, const char* location);

    // The thread's last write of these bytes was an asynchronous copy: it may come at any time until the thread has waited.
    void begin_copy(std::uint32_t rank, std::size_t offset, std::size_t size);
    // The thread has waited for it: the copy is a write of this moment.
    void end_copy(std::uint32_t rank, std::size_t offset, std::size_t size);

private:
    // Two of the accesses that are not in conflict with one another: all atomic, or all reads.
    struct Pair {
        Touch latest;
        Touch other;  // by another thread
    };
    struct Cell {
        Touch write;  // the latest that is not atomic
        Pair atomics;
        Pair reads;
    };

    bool conflicts(const Touch& earlier, const Touch& now) const;
    std::optional<Race> race_with(const Pair& pair, const Touch& now, bool writes) const;
    void note(Pair& pair, const Touch& now) const;
    bool same_warp(std::uint32_t one, std::uint32_t other) const { return one / warp_width_ == other / warp_width_; }
    // The latest clock of `other` that thread `of` has met. Narrow: both are of one warp.
    std::size_t index(std::uint32_t of, std::uint32_t other) const {
        return wide_ ? std::size_t{of} * threads_ + other : std::size_t{of} * warp_width_ + other % warp_width_;
    }
    std::uint32_t& clock(std::uint32_t of, std::uint32_t other) { return clocks_[index(of, other)]; }
    std::uint32_t clock(std::uint32_t of, std::uint32_t other) const { return clocks_[index(of, other)]; }
    void reset_clocks(bool wide);
    void widen();

    std::uint32_t epoch_ = 0;  // never reset: touches of earlier blocks are touches of the past
    std::uint32_t first_epoch_ = 0;  // of the block
    std::uint32_t warp_width_ = 32;
    std::vector<Cell> cells_;
    std::uint32_t threads_ = 0;
    // A row per thread: the latest clock of each other that it has met, of those of its warp, or of all (wide). Most
    // kernels release nothing, and need not pay for a square.
    bool wide_ = false;
    std::vector<std::uint32_t> clocks_;
    std::unordered_map<const void*, std::vector<std::uint32_t>> released_;  // the clocks of the threads that released it
};

}  // namespace musa_sim
