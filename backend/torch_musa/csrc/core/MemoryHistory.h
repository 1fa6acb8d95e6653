#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace c10::musa {

using StackTrace = std::shared_ptr<GatheredContext>;

/// Events of memory, under the names that PyTorch's snapshots have for it.
struct MemoryEvent {
  const char* action;
  const void* address;
  size_t nbytes;
  int64_t time; ///< microseconds since 1970
  StackTrace stack;
};

/// The record for torch.musa.memory._snapshot: the stacks that allocated the blocks in use, and earlier events.
class MemoryHistory {
 public:
  /// For what stacks are kept. Each includes those before it.
  enum class Stacks { None, Blocks, Allocations, Frees };

  struct Settings {
    Stacks stacks;
    bool in_cpp; ///< whether stacks have frames of C++
    size_t most_events;
  };

  static MemoryHistory& get();

  void start(const Settings& settings);
  void stop();
  void clear();
  bool is_recording() const {
    return recording_;
  }

  /// The calling thread's stack, if it is kept for such an event. Takes Python's lock: hold no other.
  StackTrace stack_for(Stacks event) const;
  void add(DeviceIndex device, MemoryEvent event);
  std::vector<MemoryEvent> events(DeviceIndex device) const;

  /// Whether stacks of allocations are kept with the event, not only with the memory.
  bool keeps(Stacks stacks) const;

 private:
  std::atomic<bool> recording_{false};
  mutable std::mutex mutex_;
  Settings settings_{};
  std::vector<std::deque<MemoryEvent>> events_; // by device
};

/// Calls them when a device has not enough memory, before that becomes an error.
class OutOfMemoryObservers {
 public:
  /// (device, requested bytes, the device's total bytes, its free bytes)
  using Observer = std::function<void(DeviceIndex, size_t, size_t, size_t)>;

  static OutOfMemoryObservers& get();
  void attach(Observer observer);
  void tell(DeviceIndex device, size_t requested, size_t total, size_t free) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Observer> observers_;
};

} // namespace c10::musa
