#include "torch_musa/csrc/core/Allocator.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include <algorithm>
#include <chrono>
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

/// Tells PyTorch's profiler, if it runs with profile_memory, of memory given out (or, negative, taken back).
void tell_profiler(void* block, int64_t nbytes, const MemoryStats& stats, DeviceIndex device) {
  const auto in_use = static_cast<size_t>(stats.bytes.current);
  reportMemoryUsageToProfiler(block, nbytes, in_use, in_use, Device(kMUSA, device));
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Notes what happened to a block. Without a cache a segment, what CUDA's allocator takes from the driver, is a block.
void note(std::initializer_list<const char*> actions, const void* block, size_t nbytes, DeviceIndex device,
          const StackTrace& stack) {
  MemoryHistory& history = MemoryHistory::get();
  if (!history.is_recording()) { // asking for the time takes longer than all else here
    return;
  }
  for (const char* action : actions) {
    history.add(device, {action, block, nbytes, now(), stack});
  }
}

/// `nbytes` of the current device, or null if it has not as many.
void* take(size_t nbytes, DeviceIndex device, const MemorySource* source) {
  if (source != nullptr) {
    return source->allocate(nbytes, device, getCurrentMUSAStream(device));
  }
  void* block = nullptr;
  // Atomic operations of PyTorch on one or two bytes read and write the word that these lie in.
  constexpr size_t word = 4;
  const musaError_t error = C10_MUSA_ERROR_HANDLED(musaMalloc(&block, (nbytes + word - 1) / word * word));
  if (error == musaErrorMemoryAllocation) {
    C10_MUSA_CLEAR_ERROR();
    return nullptr;
  }
  C10_MUSA_CHECK(error);
  return block;
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

  mark_initialized();
  const StackTrace stack = MemoryHistory::get().stack_for(MemoryHistory::Stacks::Blocks);
  auto [block, stats] = reserve(nbytes, device, stack);
  if (block == nullptr) {
    refuse(nbytes, device, stack);
  }
  const bool with_stack = MemoryHistory::get().keeps(MemoryHistory::Stacks::Allocations);
  note({"segment_alloc", "alloc"}, block, nbytes, device, with_stack ? stack : nullptr);
  tell_profiler(block, static_cast<int64_t>(nbytes), stats, device);
  return {block, block, &release, torch_device};
}

MempoolId_t MUSAAllocator::current_graph_pool(DeviceIndex device) {
  if (C10_LIKELY(captures_.load() == 0)) {
    return {0, 0};
  }
  musaStreamCaptureStatus status = musaStreamCaptureStatusNone;
  CaptureId_t capture = 0;
  const musaStream_t stream = getCurrentMUSAStream(device);
  // An error means the default stream beside a capture, which is not captured.
  C10_MUSA_IGNORE_ERROR(musaStreamGetCaptureInfo(stream, &status, &capture));
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = pool_of_capture_.find(capture);
  if (status == musaStreamCaptureStatusActive && found != pool_of_capture_.end()) {
    return found->second;
  }
  auto use = std::find_if(pool_uses_.rbegin(), pool_uses_.rend(), [&](const PoolUse& begun) {
    return begun.device == device && begun.concerns(stream);
  });
  return use == pool_uses_.rend() ? MempoolId_t{0, 0} : use->pool;
}

MUSAAllocator::Reserved MUSAAllocator::reserve(size_t nbytes, DeviceIndex device, const StackTrace& stack) {
  const std::shared_ptr<const MemPool> pool = pool_in_use(device);
  const MempoolId_t graphs = current_graph_pool(device);
  const MUSAStreamCaptureModeGuard allowed(musaStreamCaptureModeRelaxed);
  std::unique_lock<std::mutex> lock(mutex_);
  used_ = true;
  PerDevice& mine = of(device);
  const auto in_use = static_cast<size_t>(mine.stats.bytes.current);
  if (nbytes > mine.limit - std::min(mine.limit, in_use)) {
    return {nullptr, mine.stats};
  }
  std::shared_ptr<const MemorySource> source = pool && pool->source() ? pool->source() : source_;
  if (source) {
    lock.unlock(); // a program's functions may take locks of its own, or Python's
  }
  void* block = take(nbytes, device, source.get());
  if (source) {
    lock.lock();
  }
  if (block != nullptr) {
    blocks_[block] = Block{nbytes, device, std::move(source), pool, stack, graphs};
    mine.stats.bytes.increase(nbytes);
    mine.stats.blocks.increase(1);
  }
  return {block, mine.stats};
}

void MUSAAllocator::release(void* pointer) {
  if (pointer == nullptr) {
    return;
  }
  MUSAAllocator& self = get();
  Block block{};
  MemoryStats left;
  bool kept = false;
  {
    std::lock_guard<std::mutex> lock(self.mutex_);
    auto found = self.blocks_.find(pointer);
    TORCH_INTERNAL_ASSERT_DEBUG_ONLY(found != self.blocks_.end());
    if (found != self.blocks_.end()) {
      block = std::move(found->second);
      self.blocks_.erase(found);
      self.count_freed(block);
      left = self.of(block.device).stats;
      kept = self.kept_for_graphs(pointer, block);
    }
  }
  const StackTrace stack = MemoryHistory::get().stack_for(MemoryHistory::Stacks::Frees);
  note({"free_requested", "free_completed", "segment_free"}, pointer, block.nbytes, block.device, stack);
  tell_profiler(pointer, -static_cast<int64_t>(block.nbytes), left, block.device);
  if (!kept) {
    give_back(pointer, block);
  }
}

void MUSAAllocator::count_freed(const Block& block) {
  MemoryStats& stats = of(block.device).stats;
  stats.bytes.decrease(block.nbytes);
  stats.blocks.decrease(1);
}

bool MUSAAllocator::kept_for_graphs(void* pointer, const Block& block) {
  auto pool = graph_pools_.find(block.graphs);
  if (pool == graph_pools_.end()) {
    return false;
  }
  pool->second.released.emplace_back(pointer, block);
  return true;
}

void MUSAAllocator::begin_capture(CaptureId_t capture, MempoolId_t pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++captures_;
  pool_of_capture_[capture] = pool;
  ++graph_pools_[pool].graphs;
}

void MUSAAllocator::end_capture(CaptureId_t capture) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pool_of_capture_.erase(capture) > 0) {
    --captures_;
  }
}

void MUSAAllocator::begin_use(
    DeviceIndex device,
    MempoolId_t pool,
    std::function<bool(musaStream_t)> concerns) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++captures_;
  pool_uses_.push_back({device, pool, std::move(concerns)});
  ++graph_pools_[pool].graphs;
}

void MUSAAllocator::end_use(DeviceIndex device, MempoolId_t pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = std::find_if(pool_uses_.rbegin(), pool_uses_.rend(), [&](const PoolUse& use) {
    return use.device == device && use.pool == pool;
  });
  TORCH_CHECK(found != pool_uses_.rend(), "The memory pool is not in use on musa:", static_cast<int>(device));
  pool_uses_.erase(std::next(found).base());
  --captures_;
}

void MUSAAllocator::leave_pool(MempoolId_t pool) {
  std::vector<std::pair<void*, Block>> released;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = graph_pools_.find(pool);
    if (found == graph_pools_.end() || --found->second.graphs > 0) {
      return;
    }
    released = std::move(found->second.released);
    graph_pools_.erase(found);
  }
  for (const auto& [pointer, block] : released) {
    give_back(pointer, block);
  }
}

MUSAAllocator::GraphPool& MUSAAllocator::graph_pool(MempoolId_t pool) {
  auto found = graph_pools_.find(pool);
  TORCH_CHECK(
      found != graph_pools_.end(), "Could not find pool of id: ", pool.first, ", ", pool.second, ": no graph has it");
  return found->second;
}

PoolState MUSAAllocator::pool_state(DeviceIndex device, MempoolId_t pool) {
  std::lock_guard<std::mutex> lock(mutex_);
  graph_pool(pool);
  PoolState state{device, pool, {}};
  for (const auto& [pointer, block] : blocks_) {
    if (block.device == device && block.graphs == pool) {
      state.live.insert(pointer);
    }
  }
  return state;
}

PoolChange MUSAAllocator::restore(const PoolState& state) {
  PoolChange change;
  std::lock_guard<std::mutex> lock(mutex_);
  auto& released = graph_pool(state.pool).released;
  std::vector<std::pair<void*, Block>> freed;
  for (auto each = blocks_.begin(); each != blocks_.end();) {
    const auto& [pointer, block] = *each;
    const bool stays = block.device != state.device || block.graphs != state.pool || state.live.count(pointer) > 0;
    if (!stays) {
      count_freed(block);
      change.ptrs_freed.push_back(pointer);
      freed.emplace_back(*each);
    }
    each = stays ? std::next(each) : blocks_.erase(each);
  }
  auto again = std::stable_partition(released.begin(), released.end(), [&](const std::pair<void*, Block>& each) {
    return each.second.device != state.device || state.live.count(each.first) == 0;
  });
  std::for_each(again, released.end(), [&](const std::pair<void*, Block>& each) {
    const auto& [pointer, block] = each;
    MemoryStats& stats = of(block.device).stats;
    stats.bytes.increase(block.nbytes);
    stats.blocks.increase(1);
    blocks_.insert(each);
    change.dataptrs_allocd.emplace_back(pointer, pointer, &release, Device(kMUSA, block.device));
  });
  released.erase(again, released.end());
  released.insert(released.end(), freed.begin(), freed.end());
  return change;
}

void MUSAAllocator::give_back(void* pointer, const Block& block) {
  // Other threads may free memory while a graph is captured.
  const MUSAStreamCaptureModeGuard allowed(musaStreamCaptureModeRelaxed);
  if (block.source) {
    block.source->free(pointer, block.nbytes, block.device, getCurrentMUSAStream(block.device));
    return;
  }
  // Outside the lock, because musaFree waits for running kernels. A deleter must not throw, and need not tell: the
  // fault of a kernel is an error of every later call, until the process ends.
  C10_MUSA_IGNORE_ERROR(musaFree(pointer));
}

void MUSAAllocator::refuse(size_t nbytes, DeviceIndex device, const StackTrace& stack) {
  size_t in_use = 0;
  size_t limit = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    PerDevice& mine = of(device);
    mine.stats.out_of_memory += 1;
    in_use = static_cast<size_t>(mine.stats.bytes.current);
    limit = mine.limit;
  }
  const bool with_stack = MemoryHistory::get().keeps(MemoryHistory::Stacks::Allocations);
  note({"oom"}, nullptr, nbytes, device, with_stack ? stack : nullptr);
  reportOutOfMemoryToProfiler(static_cast<int64_t>(nbytes), in_use, in_use, Device(kMUSA, device));
  auto [free_bytes, total_bytes] = memory_info(device);
  OutOfMemoryObservers::get().tell(device, nbytes, total_bytes, free_bytes);
  // CUDA's words, which programs look for. There is no cache to give back and to try again with.
  TORCH_CHECK_WITH(
      OutOfMemoryError,
      false,
      "MUSA out of memory. Tried to allocate ", readable(nbytes), ". GPU ", static_cast<int>(device),
      " has a total capacity of ", readable(total_bytes), " of which ", readable(free_bytes),
      " is free. Including non-PyTorch memory, this process has ", readable(total_bytes - free_bytes),
      " memory in use. ", limit < total_bytes ? readable(limit) + " allowed; " : std::string(),
      "Of the allocated memory ", readable(in_use),
      " is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. "
      "MUSA_SIM_MEMORY sets the capacity of a simulated device.");
}

void MUSAAllocator::change_source(std::shared_ptr<const MemorySource> source) {
  std::lock_guard<std::mutex> lock(mutex_);
  TORCH_CHECK(!used_, "Can't swap an already initialized allocator");
  source_ = std::move(source);
}

std::shared_ptr<const MemorySource> MUSAAllocator::source() {
  std::lock_guard<std::mutex> lock(mutex_);
  return source_;
}

std::optional<DeviceIndex> MUSAAllocator::device_of(const void* block) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = blocks_.find(const_cast<void*>(block));
  return found == blocks_.end() ? std::nullopt : std::make_optional(found->second.device);
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
  stats.bytes.reset_peak();
  stats.blocks.reset_peak();
}

void MUSAAllocator::reset_totals(DeviceIndex device) {
  std::lock_guard<std::mutex> lock(mutex_);
  MemoryStats& stats = of(device).stats;
  stats.bytes.reset_accumulated();
  stats.blocks.reset_accumulated();
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

double MUSAAllocator::memory_fraction(DeviceIndex device) {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<double>(of(device).limit) / static_cast<double>(total_memory(device));
}

std::vector<MUSAAllocator::LiveBlock> MUSAAllocator::live_blocks() {
  std::vector<LiveBlock> found;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [address, block] : blocks_) {
      found.push_back({address, block.nbytes, block.device, block.pool ? block.pool->id() : block.graphs, block.stack});
    }
  }
  std::sort(found.begin(), found.end(), [](const LiveBlock& a, const LiveBlock& b) { return a.address < b.address; });
  return found;
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 9)

bool MUSAAllocator::initialized() {
  return true; // it counts from the start, and PyTorch would show no figures
}

void MUSAAllocator::emptyCache(MempoolId_t /*pool*/) {}

void MUSAAllocator::recordStream(const DataPtr& /*data*/, Stream /*stream*/) {}

CachingDeviceAllocator::DeviceStats MUSAAllocator::getDeviceStats(DeviceIndex device) {
  const MemoryStats mine = stats(device);
  CachingDeviceAllocator::DeviceStats result;
  const auto aggregate = static_cast<size_t>(CachingAllocator::StatType::AGGREGATE);
  for (auto* bytes :
       {&result.allocated_bytes, &result.active_bytes, &result.requested_bytes, &result.reserved_bytes}) {
    (*bytes)[aggregate] = mine.bytes;
  }
  for (auto* blocks : {&result.allocation, &result.active, &result.segment}) {
    (*blocks)[aggregate] = mine.blocks;
  }
  result.num_device_alloc = mine.blocks.allocated;
  result.num_device_free = mine.blocks.freed;
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
