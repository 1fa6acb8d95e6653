#include "torch_musa/csrc/core/Allocator.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace c10::musa {

namespace {

std::string readable(size_t nbytes) {
  constexpr double kilo = 1024.0;
  std::ostringstream text;
  text << std::fixed << std::setprecision(2);
  if (nbytes < kilo) {
    text << nbytes << " bytes";
  } else if (nbytes < kilo * kilo) {
    text << nbytes / kilo << " KiB";
  } else if (nbytes < kilo * kilo * kilo) {
    text << nbytes / (kilo * kilo) << " MiB";
  } else {
    text << nbytes / (kilo * kilo * kilo) << " GiB";
  }
  return text.str();
}

size_t total_memory(DeviceIndex device) {
  musaDeviceProp properties;
  C10_MUSA_CHECK(musaGetDeviceProperties(&properties, device));
  return properties.totalGlobalMem;
}

} // namespace

MUSAAllocator& MUSAAllocator::get() {
  // Leaked on purpose: tensors may be freed while static objects are destroyed.
  static auto& allocator = *new MUSAAllocator();
  return allocator;
}

DataPtr MUSAAllocator::allocate(size_t nbytes) {
  DeviceIndex device = current_device();
  Device torch_device(kMUSA, device);
  if (nbytes == 0) {
    return {nullptr, nullptr, &release, torch_device};
  }

  std::lock_guard<std::mutex> lock(mutex_);
  PerDevice& mine = of(device);
  void* pointer = nullptr;
  if (nbytes > mine.limit - std::min(mine.limit, mine.stats.allocated)) {
    refuse(nbytes, device);
  }
  musaError_t error = C10_MUSA_ERROR_HANDLED(musaMalloc(&pointer, nbytes));
  if (error == musaErrorMemoryAllocation) {
    C10_MUSA_CLEAR_ERROR();
    refuse(nbytes, device);
  }
  C10_MUSA_CHECK(error);

  blocks_.emplace(pointer, Block{nbytes, device});
  MemoryStats& stats = mine.stats;
  stats.allocated += nbytes;
  stats.total_allocated += nbytes;
  stats.allocations += 1;
  stats.peak_allocated = std::max(stats.peak_allocated, stats.allocated);
  return {pointer, pointer, &release, torch_device};
}

void MUSAAllocator::release(void* pointer) {
  if (pointer == nullptr) {
    return;
  }
  MUSAAllocator& self = get();
  {
    std::lock_guard<std::mutex> lock(self.mutex_);
    auto found = self.blocks_.find(pointer);
    TORCH_INTERNAL_ASSERT_DEBUG_ONLY(found != self.blocks_.end());
    if (found != self.blocks_.end()) {
      Block block = found->second;
      self.blocks_.erase(found);
      MemoryStats& stats = self.of(block.device).stats;
      stats.allocated -= block.nbytes;
      stats.total_freed += block.nbytes;
      stats.allocations -= 1;
    }
  }
  // Outside the lock, because musaFree waits for running kernels. A deleter must not throw, and need not tell: the
  // fault of a kernel is an error of every later call, until the process ends.
  C10_MUSA_IGNORE_ERROR(musaFree(pointer));
}

void MUSAAllocator::refuse(size_t nbytes, DeviceIndex device) {
  PerDevice& mine = of(device);
  mine.stats.out_of_memory += 1;
  TORCH_CHECK_WITH(
      OutOfMemoryError,
      false,
      "MUSA out of memory. Tried to allocate ", readable(nbytes), ". MUSA device ",
      static_cast<int>(device), " has a total capacity of ", readable(total_memory(device)), ", of which ",
      readable(mine.stats.allocated), " is in use by tensors",
      mine.limit < total_memory(device)
          ? c10::str(" and this process may use ", readable(mine.limit)) : std::string(),
      ".");
}

MUSAAllocator::PerDevice& MUSAAllocator::of(DeviceIndex device) {
  if (devices_.empty()) {
    for (DeviceIndex i = 0; i < device_count(); ++i) {
      devices_.push_back({MemoryStats{}, total_memory(i)});
    }
  }
  TORCH_CHECK(
      device >= 0 && static_cast<size_t>(device) < devices_.size(),
      "Invalid MUSA device index ", static_cast<int>(device), ": there are ", devices_.size(), " device(s)");
  return devices_[device];
}

DeleterFnPtr MUSAAllocator::raw_deleter() const {
  return &release;
}

void MUSAAllocator::copy_data(void* dst, const void* src, size_t nbytes) const {
  C10_MUSA_CHECK(musaMemcpy(dst, src, nbytes, musaMemcpyDeviceToDevice));
}

MemoryStats MUSAAllocator::stats(DeviceIndex device) {
  std::lock_guard<std::mutex> lock(mutex_);
  return of(device).stats;
}

void MUSAAllocator::reset_peak(DeviceIndex device) {
  std::lock_guard<std::mutex> lock(mutex_);
  MemoryStats& stats = of(device).stats;
  stats.peak_allocated = stats.allocated;
}

void MUSAAllocator::reset_totals(DeviceIndex device) {
  std::lock_guard<std::mutex> lock(mutex_);
  MemoryStats& stats = of(device).stats;
  stats.total_allocated = 0;
  stats.total_freed = 0;
  stats.out_of_memory = 0;
}

std::pair<size_t, size_t> MUSAAllocator::memory_info(DeviceIndex device) {
  MUSAGuard guard(device);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  C10_MUSA_CHECK(musaMemGetInfo(&free_bytes, &total_bytes));
  return {free_bytes, total_bytes};
}

void MUSAAllocator::set_memory_fraction(double fraction, DeviceIndex device) {
  TORCH_CHECK(0 <= fraction && fraction <= 1, "The memory fraction must be from 0 to 1, not ", fraction);
  std::lock_guard<std::mutex> lock(mutex_);
  of(device).limit = static_cast<size_t>(fraction * static_cast<double>(total_memory(device)));
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)

bool MUSAAllocator::initialized() {
  return true;
}

void MUSAAllocator::emptyCache(MempoolId_t /*pool*/) {}

void MUSAAllocator::recordStream(const DataPtr& /*data*/, Stream /*stream*/) {}

CachingDeviceAllocator::DeviceStats MUSAAllocator::getDeviceStats(DeviceIndex device) {
  MemoryStats mine = stats(device);
  CachingAllocator::Stat bytes;
  bytes.current = static_cast<int64_t>(mine.allocated);
  bytes.peak = static_cast<int64_t>(mine.peak_allocated);
  bytes.allocated = static_cast<int64_t>(mine.total_allocated);
  bytes.freed = static_cast<int64_t>(mine.total_freed);

  CachingDeviceAllocator::DeviceStats result;
  const auto aggregate = static_cast<size_t>(CachingAllocator::StatType::AGGREGATE);
  result.allocated_bytes[aggregate] = bytes;
  result.active_bytes[aggregate] = bytes;
  result.requested_bytes[aggregate] = bytes;
  result.reserved_bytes[aggregate] = bytes;
  result.allocation[aggregate].current = mine.allocations;
  result.num_ooms = mine.out_of_memory;
  return result;
}

void MUSAAllocator::resetAccumulatedStats(DeviceIndex device) {
  reset_totals(device);
}

void MUSAAllocator::resetPeakStats(DeviceIndex device) {
  reset_peak(device);
}

#endif

#if TORCH_MUSA_TORCH_AT_LEAST(2, 10)

std::pair<size_t, size_t> MUSAAllocator::getMemoryInfo(DeviceIndex device) {
  return memory_info(device);
}

#endif

} // namespace c10::musa

namespace {

c10::AllocatorRegisterer<c10::musa::kMUSA> register_allocator(&c10::musa::MUSAAllocator::get());

} // namespace
