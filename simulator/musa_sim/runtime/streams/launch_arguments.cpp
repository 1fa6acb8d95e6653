#include "streams/launch_arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "memory/peer_access.h"

namespace musa_sim {
namespace {

// The strictest alignment that parameters usually need; larger ones are aligned like their size.
constexpr std::size_t least_alignment = 16;
constexpr std::size_t most_alignment = 128;

std::size_t alignment_of(std::size_t size) {
    const std::size_t power = size & ~(size - 1);  // an aligned type's size is a multiple of this
    return std::clamp(power, least_alignment, most_alignment);
}

}  // namespace

LaunchArguments::LaunchArguments(const long long* sizes, void** arguments)
    : count_(static_cast<std::size_t>(sizes[0])) {
    const std::size_t pointer_bytes = count_ * sizeof(void*);
    std::size_t total = pointer_bytes + most_alignment;  // to align them
    for (std::size_t i = 0; i < count_; ++i) {
        const auto size = static_cast<std::size_t>(std::max(sizes[1 + i], 0LL));
        total = round_up(total, alignment_of(size)) + size;
    }
    if (total > sizeof few_) many_.reset(new char[total]);
    memory_ = many_ ? many_.get() : few_;
    auto next = reinterpret_cast<std::uintptr_t>(memory_) + pointer_bytes;
    for (std::size_t i = 0; i < count_; ++i) {
        if (sizes[1 + i] < 0) {
            pointers()[i] = arguments[i];
            continue;
        }
        const auto size = static_cast<std::size_t>(sizes[1 + i]);
        next = round_up(next, alignment_of(size));
        pointers()[i] = reinterpret_cast<void*>(next);
        std::memcpy(pointers()[i], arguments[i], size);
        next += size;
    }
}

void LaunchArguments::hide_foreign_memory(int device, const long long* sizes) {
    for (std::size_t i = 0; i < count_; ++i) {
        if (sizes[1 + i] < 0) continue;
        PeerAccess::instance().hide_foreign_memory(device, pointers()[i],
                                                   static_cast<std::size_t>(sizes[1 + i]));
    }
}

}  // namespace musa_sim
