// MUSA_SIM_SEED: blocks and threads run in an order that the seed decides. A kernel whose result depends
// on the order shows it, and the same seed shows it again.
#pragma once

#include <cstdint>

namespace musa_sim {

// 0: the ordinary order.
std::uint64_t seed();

// The number of this launch in the process, in the order in which the host made them.
std::uint64_t next_launch_number();

// Pseudo-random choices for one block of one launch (SplitMix64).
class ScheduleOrder {
public:
    ScheduleOrder() = default;
    ScheduleOrder(std::uint64_t launch, std::uint64_t block);

    // 0 to bound - 1.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
    }

private:
    std::uint64_t next();

    std::uint64_t state_ = 0;
};

// The block that runs as number `index`: a permutation of 0 to count - 1.
std::uint64_t shuffled_block(std::uint64_t launch, std::uint64_t index, std::uint64_t count);

}  // namespace musa_sim
