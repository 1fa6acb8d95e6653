#include "checks/shared_races.h"

#include <algorithm>
#include <utility>

namespace musa_sim {

void SharedRaces::begin_block(std::uint32_t threads, std::uint32_t warp_width, std::size_t bytes) {
    first_epoch_ = ++epoch_;
    if (cells_.size() < bytes) cells_.resize(bytes);
    if (warp_width_ == warp_width && threads_ == threads && !wide_) return;
    warp_width_ = warp_width;
    threads_ = threads;
    released_.clear();
    reset_clocks(false);
}

void SharedRaces::reset_clocks(bool wide) {
    wide_ = wide;
    clocks_.assign(std::size_t{threads_} * (wide ? threads_ : warp_width_), 0);
    for (std::uint32_t rank = 0; rank < threads_; ++rank) clock(rank, rank) = 1;
}

void SharedRaces::widen() {
    const std::vector<std::uint32_t> of_warps = std::move(clocks_);
    reset_clocks(true);
    for (std::uint32_t rank = 0; rank < threads_; ++rank) {
        const std::uint32_t first = rank - rank % warp_width_;
        const std::uint32_t lanes = std::min(warp_width_, threads_ - first);
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            clock(rank, first + lane) = of_warps[std::size_t{rank} * warp_width_ + lane];
    }
}

// Vector clocks: after the barrier each thread has the latest clock of each thread, and increments its own.
void SharedRaces::warp_barrier(const std::vector<std::uint32_t>& ranks) {
    const std::uint32_t others = wide_ ? threads_ : warp_width_;
    for (std::uint32_t other = 0; other < others; ++other) {
        std::uint32_t latest = 0;
        for (std::uint32_t rank : ranks) latest = std::max(latest, clock(rank, other));
        for (std::uint32_t rank : ranks) clock(rank, other) = latest;
    }
    for (std::uint32_t rank : ranks) ++clock(rank, rank);
}

void SharedRaces::release(std::uint32_t rank, const void* object) {
    if (!wide_) widen();
    std::vector<std::uint32_t>& released = released_[object];
    released.resize(threads_);
    for (std::uint32_t other = 0; other < threads_; ++other)
        released[other] = std::max(released[other], clock(rank, other));
    ++clock(rank, rank);
}

void SharedRaces::acquire(std::uint32_t rank, const void* object) {
    const auto found = released_.find(object);
    if (found == released_.end()) return;
    for (std::uint32_t other = 0; other < threads_; ++other)
        clock(rank, other) = std::max(clock(rank, other), found->second[other]);
}

bool SharedRaces::conflicts(const Touch& earlier, const Touch& now) const {
    if (earlier.pending) return earlier.epoch >= first_epoch_;
    if (earlier.epoch != epoch_ || earlier.rank == now.rank) return false;
    if (earlier.atomic && now.atomic) return false;
    if (!wide_ && !same_warp(earlier.rank, now.rank)) return true;
    return clock(now.rank, earlier.rank) < earlier.clock;
}

// Keep two threads, if possible of different warps: the next thread is then in conflict with at
// least one of them, unless it has met both at a barrier.
void SharedRaces::note(Pair& pair, const Touch& now) const {
    if (pair.latest.epoch == epoch_ && pair.latest.rank != now.rank) {
        const bool is_neighbour = same_warp(pair.latest.rank, now.rank);
        if (pair.other.epoch != epoch_ || !is_neighbour || pair.other.rank == now.rank) {
            pair.other = pair.latest;
        }
    }
    pair.latest = now;
}

std::optional<Race> SharedRaces::race_with(const Pair& pair, const Touch& now, bool writes) const {
    if (conflicts(pair.latest, now)) return Race{pair.latest, writes};
    if (conflicts(pair.other, now)) return Race{pair.other, writes};
    return std::nullopt;
}

// An atomic operation does not replace a plain write: other threads' atomic operations are still in
// conflict with that.
std::optional<Race> SharedRaces::access(std::uint32_t rank, std::size_t offset, std::size_t size,
                                        bool writes, bool atomic, const char* location) {
    const Touch now{epoch_, clock(rank, rank), rank, atomic, false, location};
    std::optional<Race> race;
    for (std::size_t at = offset; at < offset + size; ++at) {
        Cell& cell = cells_[at];
        if (!race && conflicts(cell.write, now)) race = Race{cell.write, true};
        if (!race) race = race_with(cell.atomics, now, true);
        if (!race && writes) race = race_with(cell.reads, now, false);
        if (!writes) {
            note(cell.reads, now);
        } else if (atomic) {
            note(cell.atomics, now);
        } else {
            cell.write = now;
        }
    }
    return race;
}

void SharedRaces::begin_copy(std::uint32_t rank, std::size_t offset, std::size_t size) {
    for (std::size_t at = offset; at < offset + size; ++at) {
        if (cells_[at].write.rank == rank) cells_[at].write.pending = true;
    }
}

void SharedRaces::end_copy(std::uint32_t rank, std::size_t offset, std::size_t size) {
    for (std::size_t at = offset; at < offset + size; ++at) {
        Touch& write = cells_[at].write;
        if (write.pending && write.rank == rank)
            write = {epoch_, clock(rank, rank), rank, false, false, write.location};
    }
}

}  // namespace musa_sim
