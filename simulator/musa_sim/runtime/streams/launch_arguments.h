// The arguments of a launch that waits in a stream: a copy, because the caller's are on its stack.
//
// mcc's host.py packs the arguments; the kernel's entry, which passes/context.py makes, unpacks them (runtime/README.md, "One launch").
#pragma once

#include <cstddef>
#include <memory>

#include "blocks/launch.h"

namespace musa_sim {

// `to`: a power of two
constexpr std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) & ~(to - 1); }

class LaunchArguments {
public:
    // Copy those with a size (device_abi.h); the others stay the caller's.
    LaunchArguments(const long long* sizes, void** arguments);
    LaunchArguments(const LaunchArguments&) = delete;
    LaunchArguments& operator=(const LaunchArguments&) = delete;
    void** pointers() { return reinterpret_cast<void**>(memory_); }
    // Of the copies, pointers to memory that the device cannot reach.
    void hide_foreign_memory(int device, const long long* sizes);

private:
    std::size_t count_;
    char* memory_;  // the pointers, then the copies
    alignas(void*) char few_[384];  // most kernels' arguments fit
    std::unique_ptr<char[]> many_;
};

}  // namespace musa_sim
