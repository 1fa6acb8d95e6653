#pragma once

#include <c10/core/Device.h>
#include <musa_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace c10::musa {

/// Functions of a program that stand in for musaMalloc and musaFree (torch.musa.memory.MUSAPluggableAllocator).
struct MemorySource {
  using Allocate = void*(size_t nbytes, int device, musaStream_t stream);
  using Free = void(void* block, size_t nbytes, int device, musaStream_t stream);

  std::function<Allocate> allocate;
  std::function<Free> free;
};

/// As PyTorch's MempoolId_t, which newer releases have for all devices: the first number is of a graph's pool, the second
/// of a program's own.
using MemoryPoolId = std::pair<unsigned long long, unsigned long long>;

/// Where a program wants a part of its memory to come from, with a name of its own (torch.musa.MemPool).
class MemPool {
 public:
  /// Without a source the memory comes from where all other memory does.
  explicit MemPool(std::shared_ptr<const MemorySource> source);

  MemoryPoolId id() const {
    return id_;
  }
  const std::shared_ptr<const MemorySource>& source() const {
    return source_;
  }

 private:
  MemoryPoolId id_;
  std::shared_ptr<const MemorySource> source_;
};

/// The calling thread's allocations on `device` come from `pool`, until the matching call of end_pool.
void begin_pool(DeviceIndex device, std::shared_ptr<const MemPool> pool);
void end_pool(DeviceIndex device, const MemPool& pool);

/// Null if the calling thread's allocations come from no pool.
std::shared_ptr<const MemPool> pool_in_use(DeviceIndex device);

} // namespace c10::musa
