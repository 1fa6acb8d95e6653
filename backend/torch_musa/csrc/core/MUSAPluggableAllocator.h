#pragma once

#include "Allocator.h"
#include "MUSACachingAllocator.h"
#include "MUSAStream.h"

#include <functional>
#include <memory>
#include <utility>

// Functions of a program in place of musaMalloc and musaFree, as torch::cuda::CUDAPluggableAllocator has them.
namespace torch::musa::MUSAPluggableAllocator {

using MallocFuncType = c10::musa::MemorySource::Allocate;
using FreeFuncType = c10::musa::MemorySource::Free;
using MUSAPluggableAllocator = c10::musa::MemorySource;

inline std::shared_ptr<MUSAPluggableAllocator> createCustomAllocator(
    std::function<MallocFuncType> allocate,
    std::function<FreeFuncType> free) {
  return std::make_shared<MUSAPluggableAllocator>(
      MUSAPluggableAllocator{std::move(allocate), std::move(free)});
}

/// Null means musaMalloc.
inline std::shared_ptr<const MUSAPluggableAllocator> getCurrentAllocator() {
  return c10::musa::MUSAAllocator::get().source();
}

/// Throws once memory was allocated.
inline void changeCurrentAllocator(std::shared_ptr<const MUSAPluggableAllocator> allocator) {
  c10::musa::MUSAAllocator::get().change_source(std::move(allocator));
}

} // namespace torch::musa::MUSAPluggableAllocator
