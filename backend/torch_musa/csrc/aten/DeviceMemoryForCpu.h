#pragma once

namespace at::musa {

/// Makes the CPU kernels of this thread work in device memory.
///
/// While a guard lives, memory of 1 MiB and more that the thread asks PyTorch's CPU allocator for is memory of the
/// current musa device. So what an operator computes is counted and limited as on a GPU, too much of it is
/// OutOfMemoryError instead of the end of the process, and a result need not be copied to the device.
class DeviceMemoryGuard {
 public:
  /// `active` is false for allocations of the runtime's own, within another guard.
  explicit DeviceMemoryGuard(bool active = true);
  ~DeviceMemoryGuard();
  DeviceMemoryGuard(const DeviceMemoryGuard&) = delete;
  DeviceMemoryGuard& operator=(const DeviceMemoryGuard&) = delete;

 private:
  bool outer_;
};

} // namespace at::musa
