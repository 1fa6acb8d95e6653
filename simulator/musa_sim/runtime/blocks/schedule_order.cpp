#include "blocks/schedule_order.h"

#include <atomic>
#include <numeric>

#include "base/settings.h"

namespace musa_sim {
namespace {

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

}  // namespace

std::uint64_t seed() { return settings().seed; }

std::uint64_t next_launch_number() {
    static std::atomic<std::uint64_t> number{0};
    return number.fetch_add(1, std::memory_order_relaxed);
}

ScheduleOrder::ScheduleOrder(std::uint64_t launch, std::uint64_t block)
    : state_(mixed(seed() + golden * launch) ^ mixed(block + golden)) {}

std::uint64_t ScheduleOrder::next() { return mixed(state_ += golden); }

// i -> (factor * i + offset) mod count, with a factor that shares no divisor with count: random
// enough, and without a table of all blocks.
std::uint64_t shuffled_block(std::uint64_t launch, std::uint64_t index, std::uint64_t count) {
    const std::uint64_t random = mixed(seed() + golden * launch);
    std::uint64_t factor = random % count;
    while (std::gcd(factor, count) != 1) factor = (factor + 1) % count;
    const auto product = static_cast<unsigned __int128>(factor) * index;
    return static_cast<std::uint64_t>((product + mixed(random) % count) % count);
}

}  // namespace musa_sim
