// Work that one thread does for the 32 lanes of a warp, when all have come: matrix instructions.
#pragma once

#include "base/device_abi.h"
#include "blocks/scheduler.h"
#include "blocks/warp_operations.h"

namespace musa_sim {

// Run it with the part of each lane; nullptr: the lane has not come, which ends the block.
void run_lane_work(Scheduler& scheduler, LaneWork* const (&lanes)[mask_width]);

// End the block: only `count` lanes came.
[[noreturn]] void end_for_missing_lanes(Scheduler& scheduler, std::uint32_t count);

}  // namespace musa_sim
