// One launch of a kernel, as the worker pool and the schedulers see it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "api.h"
#include "device_abi.h"

namespace musa_sim {

// Simulated, not measured: see the occupancy model in kernel_api.cpp.
inline constexpr int max_blocks_per_multiprocessor = 32;
inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -1;

class GridBarrier;

struct Launch {
    const char* kernel_name;  // demangled, for reports
    KernelEntry entry;        // runs one thread
    KernelEntry loop;  // runs all threads of a block; nullptr if the kernel can suspend its threads
    void** arguments;
    dim3 grid;
    dim3 block;
    std::size_t dynamic_shared;
    bool cooperative = false;             // all blocks at the same time
    GridBarrier* grid_barrier = nullptr;  // while a cooperative launch runs

    std::uint64_t block_count() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
    std::uint32_t threads_per_block() const { return block.x * block.y * block.z; }

    // Shared by the workers: the first block that nobody took yet, and the first error.
    std::atomic<std::uint64_t> next_block{0};
    std::atomic<musaError_t> error{musaSuccess};

    bool failed() const { return error.load(std::memory_order_relaxed) != musaSuccess; }
    // True for the first failure, which is the one to report; the failures of other blocks are
    // usually the same.
    bool fail(musaError_t code) {
        musaError_t none = musaSuccess;
        return error.compare_exchange_strong(none, code);
    }
};

}  // namespace musa_sim
