// Known and assumed numbers of each generation of MUSA GPUs. libmusart has such numbers here only.
#pragma once

#include <cstddef>
#include <string>

namespace musa_sim {

// The most blocks of a grid and threads of a block in x, y and z.
struct LaunchLimits {
    int block[3];
    int grid[3];
};

struct Architecture {
    const char* name;
    int major;
    int minor;
    int warp_size;  // of the device properties; device code sees Settings::warp_width
    std::size_t shared_per_block;
    std::size_t shared_per_block_optin;
    std::size_t shared_per_multiprocessor;
    int registers_per_block;
    int threads_per_multiprocessor;
    int multiprocessors;
    int l2_cache;
    std::size_t constant_memory;
    LaunchLimits limits;
    std::size_t memory;  // the most that a device has
};

inline constexpr int max_threads_per_block = 1024;
// Simulated, not measured: see launch_limits.cpp.
inline constexpr int max_blocks_per_multiprocessor = 32;

// nullptr if there is no such architecture.
const Architecture* find_architecture(const std::string& name);
// "mp_10, mp_21, mp_22, mp_31"
std::string architecture_names();

}  // namespace musa_sim
