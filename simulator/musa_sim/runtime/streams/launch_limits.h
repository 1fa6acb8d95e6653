// Limits of launches, of the device and of the kernel, and the occupancy model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/architectures.h"
#include "blocks/launch.h"
#include "programs/registry.h"

namespace musa_sim {

// The parameters of a launch besides its arguments.
struct LaunchShape {
    dim3 grid{};
    dim3 block{};
    std::size_t dynamic_shared = 0;
    bool cooperative = false;
};

// Why a launch fails: which number exceeds which limit. musaSuccess and no text if it does not.
struct LaunchProblem {
    musaError_t error = musaSuccess;
    std::string text{};
};

LaunchProblem launch_problem(const Architecture& arch, const KernelCode& code,
                             const LaunchShape& shape);
LaunchProblem shared_memory_problem(const Architecture& arch, const KernelCode& code,
                                    std::size_t dynamic);
// Return the error of a launch on the current device, after a line on stderr that says why.
musaError_t check_launch(const Kernel& kernel, const KernelCode& code, const LaunchShape& shape);
// Report a problem that was found elsewhere, and return its error.
musaError_t refuse_launch(const Kernel& kernel, const LaunchProblem& problem);

// How many blocks fit on a multiprocessor by threads, shared memory (static and dynamic) and a fixed
// maximum. Registers are not modelled: the simulator has none to count.
int blocks_per_multiprocessor(const Architecture& arch, int block_size, std::size_t shared);

}  // namespace musa_sim
