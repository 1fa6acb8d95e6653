#include "checks/shared_races.h"

#include <algorithm>

namespace musa_sim {

void SharedRaces::begin_block(std::uint32_t threads, std::uint32_t warp_width, std::size_t bytes) {
    first_epoch_ = ++epoch_;
    if (cells_.size() < bytes) cells_.resize(bytes);
    if (warp_width_ == warp_width && clocks_.size() == std::size_t{threads} * warp_width) return;
    warp_width_ = warp_width;
    clocks_.assign(std::size_t{threads} * warp_width, 0);
    for (std::uint32_t rank = 0; rank < threads; ++rank) clock(rank, rank % warp_width) = 1;
}

// Vector clocks: after the barrier each thread has the latest clock of each lane, and increments its
// own.
void SharedRaces::warp_barrier(const std::vector<std::uint32_t>& ranks) {
    for (std::uint32_t lane = 0; lane < warp_width_; ++lane) {
        std::uint32_t latest = 0;
        for (std::uint32_t rank : ranks) latest = std::max(latest, clock(rank, lane));
        for (std::uint32_t rank : ranks) clock(rank, lane) = latest;
    }
    for (std::uint32_t rank : ranks) ++clock(rank, rank % warp_width_);
}

bool SharedRaces::conflicts(const Touch& earlier, const Touch& now) const {
    if (earlier.pending) return earlier.epoch >= first_epoch_;
    if (earlier.epoch != epoch_ || earlier.rank == now.rank) return false;
    if (earlier.atomic && now.atomic) return false;
    const bool same_warp = earlier.rank / warp_width_ == now.rank / warp_width_;
    return !same_warp || clock(now.rank, earlier.rank % warp_width_) < earlier.clock;
}

// Keep two threads, if possible of different warps: the next thread is then in conflict with at
// least one of them, unless it has met both at a barrier.
void SharedRaces::note(Pair& pair, const Touch& now) const {
    if (pair.latest.epoch == epoch_ && pair.latest.rank != now.rank) {
        const bool same_warp = pair.latest.rank / warp_width_ == now.rank / warp_width_;
        if (pair.other.epoch != epoch_ || !same_warp || pair.other.rank == now.rank) {
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
    const Touch now{epoch_, clock(rank, rank % warp_width_), rank, atomic, false, location};
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
            write = {epoch_, clock(rank, rank % warp_width_), rank, false, false, write.location};
    }
}

}  // namespace musa_sim
