#pragma once

#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAStream.h"

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

} // namespace c10::musa::MUSACachingAllocator
