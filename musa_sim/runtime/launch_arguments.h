// The arguments of a launch that waits in a stream: a copy, because the caller's are on its stack.
#pragma once

#include <cstddef>
#include <memory>

#include "launch.h"

namespace musa_sim {

class LaunchArguments {
public:
    // Copies those with a size (device_abi.h); the others stay the caller's.
    LaunchArguments(const long long* sizes, void** arguments);
    void** pointers() { return reinterpret_cast<void**>(memory_.get()); }
    // Of the copies, pointers to memory that the device cannot reach.
    void hide_foreign_memory(int device, const long long* sizes);

private:
    std::size_t count_;
    std::unique_ptr<char[]> memory_;  // the pointers, then the copies
};

}  // namespace musa_sim
