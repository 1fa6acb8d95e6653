#include "torch_musa/csrc/core/MemoryHistory.h"

#include <torch/csrc/profiler/combined_traceback.h>

#include <utility>

namespace c10::musa {

// Both are leaked on purpose: tensors may be freed while static objects are destroyed.

MemoryHistory& MemoryHistory::get() {
  static auto& history = *new MemoryHistory();
  return history;
}

void MemoryHistory::start(const Settings& settings) {
  std::lock_guard<std::mutex> lock(mutex_);
  settings_ = settings;
  recording_ = true;
}

void MemoryHistory::stop() {
  clear();
  recording_ = false;
}

void MemoryHistory::clear() {
  std::vector<std::deque<MemoryEvent>> old; // their stacks take Python's lock when they go
  std::lock_guard<std::mutex> lock(mutex_);
  old.swap(events_);
}

bool MemoryHistory::keeps(Stacks stacks) const {
  if (!recording_) {
    return false;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  return settings_.stacks >= stacks;
}

StackTrace MemoryHistory::stack_for(Stacks event) const {
  if (!keeps(event)) {
    return nullptr;
  }
  bool in_cpp = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    in_cpp = settings_.in_cpp;
  }
  return torch::CapturedTraceback::gather(/*python=*/true, /*script=*/true, in_cpp);
}

void MemoryHistory::add(DeviceIndex device, MemoryEvent event) {
  if (!recording_) {
    return;
  }
  MemoryEvent dropped{};
  std::lock_guard<std::mutex> lock(mutex_);
  if (settings_.most_events == 0) {
    return;
  }
  if (events_.size() <= static_cast<size_t>(device)) {
    events_.resize(device + 1);
  }
  std::deque<MemoryEvent>& mine = events_[device];
  if (mine.size() >= settings_.most_events) {
    dropped = std::move(mine.front());
    mine.pop_front();
  }
  mine.push_back(std::move(event));
}

std::vector<MemoryEvent> MemoryHistory::events(DeviceIndex device) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (events_.size() <= static_cast<size_t>(device)) {
    return {};
  }
  return {events_[device].begin(), events_[device].end()};
}

OutOfMemoryObservers& OutOfMemoryObservers::get() {
  static auto& observers = *new OutOfMemoryObservers();
  return observers;
}

void OutOfMemoryObservers::attach(Observer observer) {
  std::lock_guard<std::mutex> lock(mutex_);
  observers_.push_back(std::move(observer));
}

void OutOfMemoryObservers::tell(DeviceIndex device, size_t requested, size_t total, size_t free) const {
  std::vector<Observer> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all = observers_;
  }
  for (const Observer& observer : all) {
    observer(device, requested, total, free);
  }
}

} // namespace c10::musa
