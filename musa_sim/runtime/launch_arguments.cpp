#include "launch_arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "peer_access.h"

namespace musa_sim {
namespace {

// That of the strictest type a parameter usually has; larger ones are aligned like their size.
constexpr std::size_t least_alignment = 16;
constexpr std::size_t most_alignment = 128;

std::size_t alignment_of(std::size_t size) {
    const std::size_t power = size & ~(size - 1);  // an aligned type's size is a multiple of this
    return std::clamp(power, least_alignment, most_alignment);
}

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

bool LaunchArguments::can_copy(const KernelCode& code) {
    const long long* sizes = code.argument_sizes;
    return sizes &&
           std::all_of(sizes + 1, sizes + 1 + sizes[0], [](long long n) { return n >= 0; });
}

LaunchArguments::LaunchArguments(const long long* sizes, void** arguments) {
    const auto count = static_cast<std::size_t>(sizes[0]);
    std::size_t total = most_alignment;  // to align the first
    for (std::size_t i = 0; i < count; ++i) {
        const auto size = static_cast<std::size_t>(std::max(sizes[1 + i], 0LL));
        total = round_up(total, alignment_of(size)) + size;
    }
    bytes_.reset(new char[total + most_alignment]);
    pointers_.reserve(count);
    auto next = reinterpret_cast<std::uintptr_t>(bytes_.get());
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[1 + i] < 0) {
            pointers_.push_back(arguments[i]);
            continue;
        }
        const auto size = static_cast<std::size_t>(sizes[1 + i]);
        next = round_up(next, alignment_of(size));
        pointers_.push_back(reinterpret_cast<void*>(next));
        std::memcpy(pointers_.back(), arguments[i], size);
        next += size;
    }
}

void LaunchArguments::hide_foreign_memory(int device, const long long* sizes) {
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
        if (sizes[1 + i] < 0) continue;
        PeerAccess::instance().hide_foreign_memory(device, pointers_[i],
                                                   static_cast<std::size_t>(sizes[1 + i]));
    }
}

}  // namespace musa_sim
