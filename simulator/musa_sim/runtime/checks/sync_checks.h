// Checks for synchronisation that threads disagree on. Such code works in the simulator, and on hardware only
// by luck.
#pragma once

#include "blocks/scheduler.h"

namespace musa_sim {

// The threads that have met at a barrier of the block; called when it is complete.
void check_block_barrier(Scheduler& scheduler);
// Blocks that have met at the barrier of the grid: not all of the launch.
void check_grid_barrier(Scheduler& scheduler, std::uint64_t arrived);
// The lanes that have met at an operation of their warp; called when it is complete.
void check_warp_group(Scheduler& scheduler, const WarpGroup& group);
// Lanes that read, in a shuffle, from a lane that takes no part in it.
void check_shuffle_sources(Scheduler& scheduler, const WarpGroup& group);

}  // namespace musa_sim
