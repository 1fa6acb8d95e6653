// Synchronisation that not all threads agree on: it works in the simulator, and on hardware only by
// luck.
#pragma once

#include "blocks/scheduler.h"

namespace musa_sim {

// The threads that have met at a barrier of the block; called when it is complete.
void check_block_barrier(Scheduler& scheduler);
// Blocks that have met at the barrier of the grid: not all of the launch.
void check_grid_barrier(Scheduler& scheduler, std::uint64_t came);
// Whole warps had exited when the others met at a barrier: told once per kernel without the check,
// because such a barrier can hang on a card (docs/unverified.md, barrier-after-exit).
void warn_of_exited_warps(Launch& launch, std::uint32_t exited, std::uint32_t all);
// The lanes that have met at an operation of their warp; called when it is complete.
void check_warp_group(Scheduler& scheduler, const WarpGroup& group);
// A lane reads, in a shuffle, from a lane that takes no part in it.
void note_foreign_source(Scheduler& scheduler, const Thread& reader, std::uint32_t source);

}  // namespace musa_sim
