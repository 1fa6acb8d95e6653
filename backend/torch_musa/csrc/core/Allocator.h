#pragma once

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/core/TorchVersion.h"

#include <c10/core/Allocator.h>
#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace c10::musa {

/// What one device's memory was used for.
struct MemoryStats {
  CachingAllocator::Stat bytes;
  CachingAllocator::Stat blocks;
  int64_t out_of_memory = 0; ///< requests refused
};

#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)
using AllocatorInterface = DeviceAllocator; // adds what torch.accelerator.memory asks
#else
using AllocatorInterface = Allocator;
#endif

/// PyTorch's allocator of device memory: musaMalloc and musaFree with book-keeping, and no cache.
///
/// Without a cache "reserved" equals "allocated", and every tensor is an allocation of its own, so that the
/// simulator's memory checks (MUSA_SIM_CHECK=memory) see the bounds of each tensor. There is no
/// cache to empty, and no stream to remember: musaFree waits for the device, so memory is never reused early.
class MUSAAllocator final : public AllocatorInterface {
 public:
  static MUSAAllocator& get();

  /// On the current device. Throws c10::OutOfMemoryError.
  DataPtr allocate(size_t nbytes) override;
  DeleterFnPtr raw_deleter() const override;
  void copy_data(void* dst, const void* src, size_t nbytes) const override;

  /// The device of a block that this allocator gave out and has not taken back.
  std::optional<DeviceIndex> device_of(const void* block);

  MemoryStats stats(DeviceIndex device);
  void reset_peak(DeviceIndex device);
  void reset_totals(DeviceIndex device);

  /// (free, total) bytes of the device, whoever uses the rest.
  std::pair<size_t, size_t> memory_info(DeviceIndex device);

  /// Lets this process use at most `fraction` (0 to 1) of the device's memory.
  void set_memory_fraction(double fraction, DeviceIndex device);
  double memory_fraction(DeviceIndex device);

  struct LiveBlock {
    void* address;
    size_t nbytes;
    DeviceIndex device;
  };
  /// What is given out now, in the order of addresses.
  std::vector<LiveBlock> live_blocks();

#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)
  bool initialized() override;
  void emptyCache(MempoolId_t pool = {0, 0}) override;
  void recordStream(const DataPtr& data, Stream stream) override;
  CachingDeviceAllocator::DeviceStats getDeviceStats(DeviceIndex device) override;
  void resetAccumulatedStats(DeviceIndex device) override;
  void resetPeakStats(DeviceIndex device) override;
#endif
#if TORCH_MUSA_TORCH_AT_LEAST(2, 10)
  std::pair<size_t, size_t> getMemoryInfo(DeviceIndex device) override;
#endif

 private:
  struct Block {
    size_t nbytes;
    DeviceIndex device;
  };
  struct Reserved {
    void* block;
    MemoryStats stats;
  };
  struct PerDevice {
    MemoryStats stats;
    size_t limit;
  };

  MUSAAllocator() = default;
  static void release(void* pointer);
  PerDevice& of(DeviceIndex device); // the caller holds mutex_
  Reserved reserve(size_t nbytes, DeviceIndex device);
  [[noreturn]] void refuse(size_t nbytes, DeviceIndex device);

  std::mutex mutex_;
  std::vector<PerDevice> devices_;
  std::unordered_map<void*, Block> blocks_;
};

} // namespace c10::musa

namespace at::musa {

inline c10::Allocator* getMUSADeviceAllocator() {
  return &c10::musa::MUSAAllocator::get();
}

} // namespace at::musa
