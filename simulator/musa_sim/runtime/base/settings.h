// The environment variables that steer the simulator, read once, at the first call that needs a
// device. Three are needed without one: active_checks.cpp reads MUSA_SIM_CHECK, findings.cpp
// MUSA_SIM_CHECK_LOG, programs/cpu_features.cpp MUSA_SIM_CPU_WITHOUT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace musa_sim {

struct Settings {
    // MUSA_SIM_DEVICES: a count ("2", each of MUSA_SIM_ARCH) or a list of architectures
    // ("mp_22,mp_31"), after MUSA_VISIBLE_DEVICES selected from it.
    std::vector<std::string> device_archs;
    // Their numbers among the machine's devices.
    std::vector<int> device_numbers;
    // MUSA_SIM_WARP: 32 (default) or 128, the width that device code sees. See README.md.
    int warp_width = 32;
    // MUSA_SIM_THREADS: operating system threads that run blocks, the launching one included.
    int worker_count = 1;
    // MUSA_SIM_STACK: bytes of stack of one thread of a kernel.
    std::size_t stack_size = 256 * 1024;
    // MUSA_SIM_MEMORY: bytes of memory of each device; 0: see host_memory.h.
    std::size_t memory_size = 0;
    // MUSA_SIM_FIBERS=1: never use the loop form of a kernel, so that reports can name the thread.
    bool fibers_only = false;
    // MUSA_SIM_ASYNC=0: work is done when the call that submits it returns.
    bool asynchronous = true;
    // MUSA_LAUNCH_BLOCKING=1: launches wait for their kernels and return their errors.
    bool launch_blocking = false;
    // MUSA_SIM_WATCHDOG: seconds without progress after which a kernel is ended; 0 means never.
    int watchdog_seconds = 60;
    // MUSA_SIM_SEED: shuffles the order of blocks and threads; 0: the ordinary order.
    std::uint64_t seed = 0;
    // MUSA_SIM_CHECK_EXITCODE: the exit status of a program that had findings and would have ended
    // with 0.
    int check_exit_status = 86;
    // The first error in the environment, in one line; empty if there is none.
    std::string problem;
};

const Settings& settings();

}  // namespace musa_sim
