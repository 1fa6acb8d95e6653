// Masks, and the source lanes of shuffles: shared by both ways of running warps.
#pragma once

#include <cstdint>

#include "base/device_abi.h"

namespace musa_sim {

constexpr std::uint32_t full_mask = 0xffffffffu;
constexpr std::uint32_t max_warp_width = 128;
constexpr std::uint32_t mask_width = 32;

inline bool contains(std::uint32_t mask, std::uint32_t lane) {
    return mask >> (lane % mask_width) & 1;
}

// The lane that lane `lane` reads, `width` a power of two.
inline std::uint32_t shuffle_source(ShuffleKind kind, std::uint32_t argument, std::uint32_t width,
                                    std::uint32_t lane) {
    const std::uint32_t first = lane & ~(width - 1);
    const std::uint32_t last = first + width - 1;
    switch (kind) {
        case ShuffleKind::index: return first + (argument & (width - 1));
        case ShuffleKind::up: return argument > lane - first ? lane : lane - argument;
        case ShuffleKind::down: return argument > last - lane ? lane : lane + argument;
        // A lane of an earlier segment may be read, one of a later segment not; so CUDA defines it.
        case ShuffleKind::exclusive_or: return (lane ^ argument) <= last ? lane ^ argument : lane;
    }
    return lane;
}

}  // namespace musa_sim
