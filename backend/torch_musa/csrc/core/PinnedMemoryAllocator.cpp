#include "torch_musa/csrc/core/PinnedMemoryAllocator.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"

#include <ATen/core/CachingHostAllocator.h>

#include <mutex>
#include <unordered_map>

namespace at::musa {

namespace {

using c10::musa::Stat;

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
// PyTorch renamed the counters; without a cache, what is held is what is used.
template <typename Stats>
auto fill(Stats& stats, const Stat& blocks, const Stat& bytes, int /*newer*/)
    -> decltype(stats.active_requests, void()) {
  stats.active_requests = stats.allocations = blocks;
  stats.active_bytes = stats.allocated_bytes = bytes;
}

template <typename Stats>
auto fill(Stats& stats, const Stat& blocks, const Stat& bytes, long /*older*/)
    -> decltype(stats.reserved_bytes, void()) {
  stats.allocation = stats.segment = blocks;
  stats.allocated_bytes = stats.reserved_bytes = bytes;
}
#endif

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
using HostAllocator = at::HostAllocator; // adds what torch.accelerator asks
#else
using HostAllocator = c10::Allocator;
#endif

class PinnedMemoryAllocator final : public HostAllocator {
 public:
  static PinnedMemoryAllocator& get() {
    static auto& allocator = *new PinnedMemoryAllocator(); // leaked: tensors may outlive static objects
    return allocator;
  }

  c10::DataPtr allocate(size_t nbytes) override {
    void* pointer = nullptr;
    if (nbytes > 0) {
      C10_MUSA_CHECK(musaMallocHost(&pointer, nbytes));
      std::lock_guard<std::mutex> lock(mutex_);
      sizes_.emplace(pointer, nbytes);
      blocks_.increase(1);
      bytes_.increase(nbytes);
    }
    return {pointer, pointer, &release, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  void copy_data(void* dst, const void* src, size_t nbytes) const override {
    default_copy_data(dst, src, nbytes);
  }

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
  /// Nothing to remember: musaFreeHost waits for the devices, and the memory goes into no cache.
  bool record_event(void* pointer, void* /*context*/, c10::Stream /*stream*/) override {
    std::lock_guard<std::mutex> lock(mutex_);
    return sizes_.count(pointer) != 0;
  }

  void empty_cache() override {}

  at::HostStats get_stats() override {
    std::lock_guard<std::mutex> lock(mutex_);
    at::HostStats stats;
    fill(stats, blocks_, bytes_, 0);
    stats.num_host_alloc = blocks_.allocated;
    stats.num_host_free = blocks_.freed;
    return stats;
  }
#endif

  PinnedMemoryStats stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    return {blocks_, bytes_};
  }

  void reset_accumulated_stats() TORCH_MUSA_OVERRIDE_SINCE_2_8 {
    std::lock_guard<std::mutex> lock(mutex_);
    blocks_.reset_accumulated();
    bytes_.reset_accumulated();
  }

  void reset_peak_stats() TORCH_MUSA_OVERRIDE_SINCE_2_8 {
    std::lock_guard<std::mutex> lock(mutex_);
    blocks_.reset_peak();
    bytes_.reset_peak();
  }
 private:
  static void release(void* pointer) {
    if (pointer == nullptr) {
      return;
    }
    get().forget(pointer);
    C10_MUSA_CHECK_WARN(musaFreeHost(pointer));
  }

  void forget(void* pointer) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = sizes_.find(pointer);
    if (found != sizes_.end()) {
      blocks_.decrease(1);
      bytes_.decrease(found->second);
      sizes_.erase(found);
    }
  }

  std::mutex mutex_;
  std::unordered_map<void*, size_t> sizes_;
  Stat blocks_;
  Stat bytes_;
};

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
const bool registered = [] {
  at::setHostAllocator(kMUSA, &PinnedMemoryAllocator::get());
  return true;
}();
#endif
} // namespace

c10::Allocator* getPinnedMemoryAllocator() {
  return &PinnedMemoryAllocator::get();
}

PinnedMemoryStats pinned_memory_stats() {
  return PinnedMemoryAllocator::get().stats();
}

void reset_peak_pinned_memory_stats() {
  PinnedMemoryAllocator::get().reset_peak_stats();
}

void reset_accumulated_pinned_memory_stats() {
  PinnedMemoryAllocator::get().reset_accumulated_stats();
}

bool is_pinned(const void* pointer) {
  musaPointerAttributes attributes{};
  if (musaPointerGetAttributes(&attributes, pointer) != musaSuccess) {
    C10_MUSA_CLEAR_ERROR();
    return false;
  }
  return attributes.type == musaMemoryTypeHost;
}

} // namespace at::musa
