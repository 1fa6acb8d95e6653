// The arguments of a launch that waits in a stream: a copy, because the caller's are on its stack.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "launch.h"
#include "registry.h"

namespace musa_sim {

class LaunchArguments {
public:
    // False if mcc does not tell the sizes of the kernel's parameters, or if there is one that
    // cannot be copied as bytes.
    static bool can_copy(const KernelCode& code);

    // Copies those with a size (device_abi.h); the others stay the caller's.
    LaunchArguments(const long long* sizes, void** arguments);
    void** pointers() { return pointers_.data(); }
    // Of the copies, pointers to memory that the device cannot reach.
    void hide_foreign_memory(int device, const long long* sizes);

private:
    std::vector<void*> pointers_;
    std::unique_ptr<char[]> bytes_;
};

}  // namespace musa_sim
