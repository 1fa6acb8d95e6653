// Warnings of whole warps or blocks that exited before the others met at a barrier. They come once per
// kernel, also without checks: such a barrier can hang on a card (docs/unverified.md, barrier-after-exit).
#pragma once

#include <cstdint>

#include "blocks/launch.h"

namespace musa_sim {

// At a barrier of the block; nothing if no warp has exited.
void warn_of_exited_warps(Launch& launch, std::uint32_t exited, std::uint32_t all);
// At the barrier of the grid, where so many blocks arrived.
void warn_of_exited_blocks(Launch& launch, std::uint64_t arrived);

}  // namespace musa_sim
