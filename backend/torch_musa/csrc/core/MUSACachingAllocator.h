#pragma once

#include "Allocator.h"
#include "MUSAStream.h"

#include <functional>
#include <memory>
#include <unordered_set>
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

using AllocatorState = PoolState;
using CheckpointDelta = PoolChange;

/// The live memory of a pool, for setCheckpointPoolState().
inline std::shared_ptr<AllocatorState> getCheckpointState(DeviceIndex device, MempoolId_t pool) {
  return std::make_shared<AllocatorState>(MUSAAllocator::get().pool_state(device, pool));
}

inline CheckpointDelta setCheckpointPoolState(DeviceIndex /*device*/, std::shared_ptr<AllocatorState> state) {
  return MUSAAllocator::get().restore(*state);
}

/// Whether the live memory of the pool is exactly this.
inline bool checkPoolLiveAllocations(
    DeviceIndex device, MempoolId_t pool, const std::unordered_set<void*>& expected) {
  return MUSAAllocator::get().pool_state(device, pool).live == expected;
}

} // namespace c10::musa::MUSACachingAllocator
