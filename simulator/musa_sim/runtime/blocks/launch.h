// One launch of a kernel, as the worker pool and the schedulers see it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/api.h"
#include "base/device_abi.h"
#include "blocks/block_observer.h"
#include "blocks/grid_barrier.h"
#include "blocks/schedule_order.h"

namespace musa_sim {

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
    // Makes the observer of its blocks; the scheduler calls it if a check is on.
    std::unique_ptr<BlockObserver> (*make_observer)() = nullptr;
    std::uint64_t number = next_launch_number();

    std::uint64_t block_count() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
    std::uint32_t threads_per_block() const { return block.x * block.y * block.z; }

    // Shared by the workers: the first block that no worker has taken, and the first error.
    std::atomic<std::uint64_t> next_block{0};
    std::atomic<musaError_t> error{musaSuccess};
    // exit_warnings.h has warned.
    std::atomic<bool> warned_of_exits{false};
    // device_errors.h has.
    std::atomic<bool> warned_of_width{false};
    std::atomic<bool> warned_of_mask{false};
    // The watchdog ends it.
    std::atomic<bool> timed_out{false};

    // Makes more threads run its blocks; nullptr if only one may.
    void (*call_helpers)(Launch&) = nullptr;
    std::atomic<bool> has_called_helpers{false};

    bool failed() const { return error.load(std::memory_order_relaxed) != musaSuccess; }
    // True for the first failure, which is the one to report; the failures of other blocks are
    // usually the same.
    bool fail(musaError_t code) {
        musaError_t none = musaSuccess;
        return error.compare_exchange_strong(none, code);
    }
};

}  // namespace musa_sim
