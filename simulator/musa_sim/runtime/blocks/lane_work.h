// Work that one thread does for the 32 lanes of a warp, when all have come: matrix instructions.
#pragma once

#include "base/device_abi.h"
#include "blocks/scheduler.h"
#include "blocks/warp_operations.h"

namespace musa_sim {

// Run it with what each lane left; nullptr: the lane has not come, which ends the block.
void run_lane_work(Scheduler& scheduler, LaneWork* const (&lanes)[mask_width]);

}  // namespace musa_sim
