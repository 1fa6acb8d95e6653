#include "blocks/lane_work.h"

#include "blocks/device_errors.h"

namespace musa_sim {

void run_lane_work(Scheduler& scheduler, LaneWork* const (&lanes)[mask_width]) {
    void* given[mask_width];
    const LaneWork* first = nullptr;
    std::uint32_t count = 0;  // of the lanes at one instruction
    for (std::uint32_t i = 0; i < mask_width; ++i) {
        given[i] = lanes[i];
        if (!first) first = lanes[i];
        count += lanes[i] && lanes[i]->run_for_lanes == first->run_for_lanes;
    }
    if (count != mask_width) end_for_missing_lanes(scheduler, count);
    first->run_for_lanes(given);
}

void end_for_missing_lanes(Scheduler& scheduler, std::uint32_t count) {
    end_block_for_misuse(scheduler, "a matrix instruction",
                         "%s: %u lanes are at one, of %u that have to come to it", count, mask_width);
}

}  // namespace musa_sim
