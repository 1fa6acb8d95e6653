// The memory of the host: its pages, and what this process may still take.
#pragma once

#include <cstddef>
#include <string>

namespace musa_sim {

constexpr std::size_t page_size = 4096;  // on x86-64

inline std::size_t rounded(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

// The least of the machine's available memory, the rest under the limits of the process's control groups
// (version 1 and 2, enclosing groups included) and the rest under its resource limits. Files are read
// below `root`: "" or, in tests, a directory.
std::size_t available_memory(const std::string& root = "");

// The memory of each of several devices, which share half of the available memory. The other half is left to
// the program itself, whose CPU code often works on as much data as its kernels do.
std::size_t default_device_memory(std::size_t available, std::size_t devices, std::size_t most);

}  // namespace musa_sim
