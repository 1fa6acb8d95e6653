// Cooperative launches: all blocks of the grid run at the same time and can wait for each other.
#pragma once

#include <cstdint>
#include <functional>

#include "blocks/launch.h"

namespace musa_sim {

// Call run_block() for all blocks of the launch, each on an operating system thread of its own, and return when they
// have ended. If the system has not that many threads, the launch fails.
void run_cooperative(Launch& launch, const std::function<void(std::uint64_t block)>& run_block);

}  // namespace musa_sim
