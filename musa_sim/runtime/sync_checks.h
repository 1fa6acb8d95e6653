// Synchronisation that not all threads agree on: it works in the simulator, and on hardware only by
// luck.
#pragma once

#include "scheduler.h"

namespace musa_sim {

// The threads that have met at a barrier of the block; called when it is complete.
void check_block_barrier(Scheduler& scheduler);
// The lanes that have met at an operation of their warp; called when it is complete.
void check_warp_group(Scheduler& scheduler, const WarpGroup& group);
// A lane reads, in a shuffle, from a lane that takes no part in it.
void note_foreign_source(Scheduler& scheduler, const Thread& reader, std::uint32_t source);

}  // namespace musa_sim
