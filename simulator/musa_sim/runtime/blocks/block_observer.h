// The interface through which checks of kernels (checks/) watch a block. The scheduler calls it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/device_abi.h"
#include "blocks/threads.h"

namespace musa_sim {

// The memory that a launch gives its kernel. Without `shared_variables`, the kernel is not instrumented.
struct LaunchMemory {
    SharedVariables shared_variables;
    std::size_t dynamic_shared;
    const long long* argument_sizes;
    void** arguments;
};

struct AccessRequest {
    const char* address;
    std::size_t size;
    std::size_t element;  // bytes of one scalar; at least 1
    std::size_t align;
    unsigned flags;  // AccessFlags of device_abi.h
    const char* location;
};

struct LocalVariable {
    const char* begin;
    std::size_t size;
    const char* name;  // nullptr if it has none
};

// Belongs to one operating system thread, as the scheduler does; nothing is locked.
class BlockObserver {
public:
    virtual ~BlockObserver() = default;

    virtual void begin_launch(const LaunchMemory& memory) = 0;
    virtual void begin_block() = 0;
    virtual void end_block(bool completed) = 0;

    // All threads that have not exited have met: at the block's barrier, or as a group of a warp.
    virtual void block_barrier() = 0;
    virtual void warp_group(const WarpGroup& group) = 0;
    // Only so many blocks, not all of the launch, have met at the barrier of the grid.
    virtual void grid_barrier(std::uint64_t arrived) = 0;

    // An access of instrumented code. Returns if it may be made; otherwise the block has ended.
    virtual void access(const AccessRequest& request) = 0;
    // The same for an access that should stay within a variable of the running function.
    virtual void local_access(const AccessRequest& request, const LocalVariable& variable) = 0;

    // The current thread's asynchronous copies: see device_abi.h.
    virtual void copy_started(const char* to, std::size_t bytes) = 0;
    virtual void copies_committed() = 0;
    virtual void copies_awaited(std::size_t left) = 0;
    // The thread releases or acquires an object: see device_abi.h.
    virtual void released(const void* object, std::uint32_t rank) = 0;
    virtual void acquired(const void* object, std::uint32_t rank) = 0;
    // A matrix instruction of the current thread reads these registers.
    virtual void operand(const char* registers, std::size_t bytes, bool is_floating) = 0;
};

}  // namespace musa_sim
