// Whole warps or blocks that have exited before the others met at a barrier: told once per kernel without any check,
// because such a barrier can hang on a card (docs/unverified.md, barrier-after-exit).
#pragma once

#include <cstdint>

#include "blocks/launch.h"

namespace musa_sim {

// At a barrier of the block; nothing if no warp has exited.
void warn_of_exited_warps(Launch& launch, std::uint32_t exited, std::uint32_t all);
// At the barrier of the grid, to which so many blocks came.
void warn_of_exited_blocks(Launch& launch, std::uint64_t came);

}  // namespace musa_sim
