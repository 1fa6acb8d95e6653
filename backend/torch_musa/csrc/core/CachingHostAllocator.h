#pragma once

#include "MUSAStream.h"
#include "PinnedMemoryAllocator.h"

#include <cstddef>
#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
#include <ATen/core/CachingHostAllocator.h>
#endif

// The names that code written for torch's pinned memory uses. The allocator behind them does not cache.
namespace at::musa {

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
inline at::HostAllocator* getCachingHostAllocator() {
  return at::getHostAllocator(kMUSA);
}

/// False for memory that is not the allocator's.
inline bool CachingHostAllocator_recordEvent(void* pointer, void* context, c10::musa::MUSAStream stream) {
  return getCachingHostAllocator()->record_event(pointer, context, stream.unwrap());
}
#else
inline c10::Allocator* getCachingHostAllocator() {
  return getPinnedMemoryAllocator();
}

inline bool CachingHostAllocator_recordEvent(void* pointer, void* /*context*/, c10::musa::MUSAStream /*stream*/) {
  return is_pinned(pointer);
}
#endif

inline void CachingHostAllocator_emptyCache() {}

inline at::DataPtr HostAlloc(size_t size) {
  return getCachingHostAllocator()->allocate(size);
}

} // namespace at::musa
