// How much memory of the host this process may still take.
#pragma once

#include <cstddef>
#include <string>

namespace musa_sim {

// The least of what the machine has available, what the limits of the process's control groups leave
// (version 1 and 2, with those around them), and what its resource limits leave. Files are looked
// for below `root`: "" or, in tests, a directory.
std::size_t available_memory(const std::string& root = "");

// The memory of each of several devices that share what is available. The other half is left to
// the program itself, whose CPU code often works on as much data as its kernels do.
std::size_t default_device_memory(std::size_t available, std::size_t devices, std::size_t most);

}  // namespace musa_sim
