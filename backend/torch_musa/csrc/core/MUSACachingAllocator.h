#pragma once

#include "Allocator.h"
#include "MUSAStream.h"

#include <functional>
#include <utility>

// The names that code written for torch's CUDACachingAllocator uses. The allocator behind them does not cache.
namespace c10::musa::MUSACachingAllocator {

inline c10::Allocator* get() {
  return &MUSAAllocator::get();
}

inline void* raw_alloc(size_t nbytes) {
  return get()->raw_allocate(nbytes);
}

inline void* raw_alloc_with_stream(size_t nbytes, musaStream_t /*stream*/) {
  return raw_alloc(nbytes);
}

inline void raw_delete(void* pointer) {
  get()->raw_deallocate(pointer);
}

inline void emptyCache() {}

inline void recordStream(const DataPtr& /*data*/, MUSAStream /*stream*/) {}

/// Memory allocated on `device` while `filter` is true of the current stream comes from a pool, and stays there until
/// releasePool().
inline void beginAllocateToPool(DeviceIndex device, MempoolId_t pool, std::function<bool(musaStream_t)> filter) {
  MUSAAllocator::get().begin_use(device, pool, std::move(filter));
}

inline void endAllocateToPool(DeviceIndex device, MempoolId_t pool) {
  MUSAAllocator::get().end_use(device, pool);
}

inline void releasePool(DeviceIndex /*device*/, MempoolId_t pool) {
  MUSAAllocator::get().leave_pool(pool);
}

} // namespace c10::musa::MUSACachingAllocator
