#pragma once

#include "Device.h"
#include "MemoryHistory.h"
#include "MemorySource.h"
#include "TorchVersion.h"

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace c10::musa {

/// A capture of a stream, and a pool for the memory of graphs. PyTorch's types, which not all releases name.
using CaptureId_t = unsigned long long;
using MempoolId_t = MemoryPoolId;

/// Statistics of one device's memory.
struct MemoryStats {
  Stat bytes;
  Stat blocks;
  int64_t out_of_memory = 0; ///< requests refused
};

#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)
using AllocatorInterface = DeviceAllocator; // adds what torch.accelerator.memory asks
#else
using AllocatorInterface = Allocator;
#endif

/// The live blocks of a graphs' pool on one device, to come back to (MUSAAllocator::restore).
struct PoolState {
  DeviceIndex device;
  MempoolId_t pool;
  std::unordered_set<void*> live;
};

/// The blocks that a pool's return to a state freed and took back. The holder of `dataptrs_allocd` owns these blocks.
struct PoolChange {
  std::vector<void*> ptrs_freed;
  std::vector<DataPtr> dataptrs_allocd;
};

/// PyTorch's allocator of device memory: musaMalloc and musaFree, or what a program brought instead of them
/// (MemorySource), with book-keeping, and no cache.
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

  /// (free, total) bytes of the device, including the memory that other processes use.
  std::pair<size_t, size_t> memory_info(DeviceIndex device);

  /// Lets this process use at most `fraction` (0 to 1) of the device's memory.
  void set_memory_fraction(double fraction, DeviceIndex device);
  double memory_fraction(DeviceIndex device);

  /// Lets memory come from `source`, or from musaMalloc again if that is null. Throws once memory was allocated.
  void change_source(std::shared_ptr<const MemorySource> source);
  std::shared_ptr<const MemorySource> source();

  struct LiveBlock {
    void* address;
    size_t nbytes;
    DeviceIndex device;
    MemoryPoolId pool; ///< {0, 0} if it is from none
    StackTrace stack;
  };
  /// The allocated blocks, in the order of addresses.
  std::vector<LiveBlock> live_blocks();

  /// While a stream is captured into a graph, memory for its work comes from a pool: it is not given back while a graph
  /// has the pool, for the graph continues to use it. One graph more has `pool`, and captures with `capture`.
  void begin_capture(CaptureId_t capture, MempoolId_t pool);
  void end_capture(CaptureId_t capture);
  /// As a capture, for what is allocated on `device` while `concerns` is true of the current stream.
  void begin_use(DeviceIndex device, MempoolId_t pool, std::function<bool(musaStream_t)> concerns);
  void end_use(DeviceIndex device, MempoolId_t pool);
  /// One graph, or one use, less has the pool.
  void leave_pool(MempoolId_t pool);

  /// Throws if no graph has the pool.
  PoolState pool_state(DeviceIndex device, MempoolId_t pool);
  /// Frees the pool's blocks that were not live in `state`, though tensors may be in them, and takes back those that
  /// were. Throws if no graph has the pool any more.
  PoolChange restore(const PoolState& state);

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
    std::shared_ptr<const MemorySource> source;
    std::shared_ptr<const MemPool> pool;
    StackTrace stack;
    MempoolId_t graphs; ///< the pool of the capture that it was allocated in; (0, 0): none
  };
  struct GraphPool {
    size_t graphs = 0;
    std::vector<std::pair<void*, Block>> released; ///< what the program let go of and the graphs go on using
  };
  struct PoolUse {
    DeviceIndex device;
    MempoolId_t pool;
    std::function<bool(musaStream_t)> concerns;
  };
  struct Reserved {
    void* block; ///< null if there is not enough memory
    MemoryStats stats;
  };
  struct PerDevice {
    MemoryStats stats;
    size_t limit;
  };

  MUSAAllocator() = default;
  static void release(void* pointer);
  static void give_back(void* pointer, const Block& block);
  PerDevice& of(DeviceIndex device); // the caller holds mutex_
  Reserved reserve(size_t nbytes, DeviceIndex device, const StackTrace& stack);
  MempoolId_t current_graph_pool(DeviceIndex device); // of the current stream
  bool kept_for_graphs(void* pointer, const Block& block); // the caller holds mutex_
  GraphPool& graph_pool(MempoolId_t pool); // the caller holds mutex_
  void count_freed(const Block& block); // the caller holds mutex_
  [[noreturn]] void refuse(size_t nbytes, DeviceIndex device, const StackTrace& stack);

  std::mutex mutex_;
  std::shared_ptr<const MemorySource> source_;
  bool used_ = false;
  std::vector<PerDevice> devices_;
  std::unordered_map<void*, Block> blocks_;
  std::atomic<int> captures_{0}; // and uses
  std::map<CaptureId_t, MempoolId_t> pool_of_capture_;
  std::vector<PoolUse> pool_uses_;
  std::map<MempoolId_t, GraphPool> graph_pools_;
};

} // namespace c10::musa

namespace at::musa {

inline c10::Allocator* getMUSADeviceAllocator() {
  return &c10::musa::MUSAAllocator::get();
}

} // namespace at::musa
