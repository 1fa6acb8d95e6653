#pragma once

#include "TorchVersion.h"

#include <c10/core/Allocator.h>

namespace at::musa {

/// Page-locked host memory (musaMallocHost), for CPU tensors. From PyTorch 2.8 on it is an at::HostAllocator,
/// registered as the device's.
c10::Allocator* getPinnedMemoryAllocator();

struct PinnedMemoryStats {
  c10::musa::Stat blocks;
  c10::musa::Stat bytes;
};
PinnedMemoryStats pinned_memory_stats();
void reset_peak_pinned_memory_stats();
void reset_accumulated_pinned_memory_stats();

/// True if `pointer` lies in host memory that the runtime knows: musaMallocHost or musaHostRegister.
bool is_pinned(const void* pointer);

} // namespace at::musa
