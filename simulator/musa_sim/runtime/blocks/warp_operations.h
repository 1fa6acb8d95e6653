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

// The lanes that __syncwarp waits for. CUDA does not define what a mask does that lacks the calling lane; muAlg gives one
// where a logical warp is no power of two (warp_scan_smem.cuh:116: each has the mask of the first). Such
// lanes wait for each other (docs/unverified.md, mask-without-lane).
inline std::uint32_t lanes_to_sync(std::uint32_t mask, std::uint32_t lane) {
    return contains(mask, lane) ? mask : ~mask;
}

inline bool is_shuffle_width(std::uint32_t width, std::uint32_t warp_width) {
    return width - 1 < warp_width && (width & (width - 1)) == 0;
}

// The bits of a lane's number that tell the lanes of its segment apart. For a power of two up to the warp these are
// width - 1. CUDA defines no other width; muAlg uses 33 where a warp has no item (cub/util_ptx.cuh, SHFL_DOWN_SYNC).
// Such a shuffle follows PTX's shfl, with the mask that CUDA's headers make of the width (docs/unverified.md,
// shuffle-width).
inline std::uint32_t segment_bits(std::uint32_t width, std::uint32_t warp_width) {
    return (width - 1) & (warp_width - 1);
}

// The lane that lane `lane` reads.
inline std::uint32_t shuffle_source(ShuffleKind kind, std::uint32_t argument, std::uint32_t segment,
                                    std::uint32_t lane) {
    const std::uint32_t first = lane & ~segment;
    const std::uint32_t last = lane | segment;
    switch (kind) {
        case ShuffleKind::index: return first | (argument & segment);
        case ShuffleKind::up: return argument > lane - first ? lane : lane - argument;
        case ShuffleKind::down: return argument > last - lane ? lane : lane + argument;
        // A lane of an earlier segment may be read, one of a later segment not; so CUDA defines it.
        case ShuffleKind::exclusive_or: return (lane ^ argument) <= last ? lane ^ argument : lane;
    }
    return lane;
}

}  // namespace musa_sim
