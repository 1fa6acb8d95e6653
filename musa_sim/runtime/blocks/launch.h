// One launch of a kernel, as the worker pool and the schedulers see it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/api.h"
#include "base/device_abi.h"
#include "blocks/schedule_order.h"

namespace musa_sim {

// Simulated, not measured: see launch_limits.cpp.
inline constexpr int max_blocks_per_multiprocessor = 32;
inline constexpr int least_stream_priority = 0;
inline constexpr int greatest_stream_priority = -1;

class GridBarrier;
class Scheduler;

struct Launch {
    int device = 0;
    const char* kernel_name = nullptr;  // demangled, for reports
    KernelEntry entry = nullptr;        // runs one thread
    // Runs all threads of a block; nullptr if the kernel can suspend its threads.
    KernelEntry loop = nullptr;
    void** arguments = nullptr;
    dim3 grid{};
    dim3 block{};
    std::size_t dynamic_shared = 0;
    bool cooperative = false;             // all blocks at the same time
    GridBarrier* grid_barrier = nullptr;  // while a cooperative launch runs
    // Checked builds: the kernel's static shared variables, and how large its arguments are.
    SharedVariables shared_variables = nullptr;
    const long long* argument_sizes = nullptr;
    std::uint64_t number = next_launch_number();

    std::uint64_t block_count() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
    std::uint32_t threads_per_block() const { return block.x * block.y * block.z; }

    // Shared by the workers: the first block that nobody took yet, and the first error.
    std::atomic<std::uint64_t> next_block{0};
    std::atomic<musaError_t> error{musaSuccess};
    // A barrier was passed that whole warps or blocks had left before, and that was told.
    std::atomic<bool> told_of_exits{false};
    // Its threads are to end where they are: the watchdog has lost its patience.
    std::atomic<bool> timed_out{false};

    // Makes more threads run its blocks; nullptr if only one may.
    void (*call_helpers)(Launch&) = nullptr;
    std::atomic<bool> has_called_helpers{false};

    // Guarded by the worker pool: who works on the launch, and what the watchdog knows about it.
    std::vector<Scheduler*> workers;
    bool wants_helpers = false;
    std::uint64_t workers_to_come = 0;  // extra ones, which leave when they find no more blocks
    struct Watch {
        std::uint64_t former_blocks = 0;  // finished by workers that have left
        std::uint64_t former_steps = 0;
        std::uint64_t blocks = 0;  // finished by all when the watchdog last looked
        std::uint64_t steps = 0;
        std::chrono::steady_clock::time_point block_time{};  // when that last changed
        std::chrono::steady_clock::time_point step_time{};
        std::uint64_t extra_workers = 0;
        std::uint64_t last_block = 0;  // of those whose turn it is
        bool backwards = false;
        bool turn_has_begun = false;
    } watch;

    bool failed() const { return error.load(std::memory_order_relaxed) != musaSuccess; }
    // True for the first failure, which is the one to report; the failures of other blocks are
    // usually the same.
    bool fail(musaError_t code) {
        musaError_t none = musaSuccess;
        return error.compare_exchange_strong(none, code);
    }
};

}  // namespace musa_sim
