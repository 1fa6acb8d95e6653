// torch_musa._MUSAC: who allocated what, and what to do when memory runs out.

#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MemoryHistory.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <torch/csrc/profiler/combined_traceback.h>

#include <string>
#include <utility>
#include <vector>

namespace torch {
// Declared in a header that needs one more library's headers.
std::vector<pybind11::object> py_symbolize(std::vector<CapturedTraceback*>& to_symbolize);
} // namespace torch

namespace torch_musa {

namespace {

using c10::DeviceIndex;
using c10::musa::MemoryHistory;
using c10::musa::MUSAAllocator;
using c10::musa::OutOfMemoryObservers;
using c10::musa::StackTrace;

/// Stacks whose frames are looked up all at once: looking up one takes as long.
class Frames {
 public:
  /// Lets `entry["frames"]` be those of the stack.
  void add(py::dict entry, const StackTrace& stack) {
    if (stack) {
      // All stacks are of this type; MemoryHistory takes them.
      stacks_.push_back(static_cast<torch::CapturedTraceback*>(stack.get()));
      entries_.push_back(std::move(entry));
    } else {
      entry["frames"] = py::list();
    }
  }

  void look_up() {
    std::vector<py::object> frames = torch::py_symbolize(stacks_);
    for (size_t i = 0; i < entries_.size(); ++i) {
      entries_[i]["frames"] = frames[i];
    }
  }

 private:
  std::vector<torch::CapturedTraceback*> stacks_;
  std::vector<py::dict> entries_;
};

void start_history(int stacks, bool in_cpp, size_t most_events) {
  MemoryHistory::get().start({static_cast<MemoryHistory::Stacks>(stacks), in_cpp, most_events});
}

/// All memory that is given out, and the events of each device.
std::pair<py::list, py::list> snapshot() {
  Frames frames;
  py::list blocks;
  const auto live = MUSAAllocator::get().live_blocks();
  for (const auto& block : live) {
    py::dict entry;
    entry["address"] = reinterpret_cast<intptr_t>(block.address);
    entry["size"] = block.nbytes;
    entry["device"] = static_cast<int>(block.device);
    entry["pool"] = block.pool;
    frames.add(entry, block.stack);
    blocks.append(entry);
  }
  py::list traces;
  std::vector<std::vector<c10::musa::MemoryEvent>> events; // outlives the look-up
  for (DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    events.push_back(MemoryHistory::get().events(device));
    py::list trace;
    for (const auto& event : events.back()) {
      py::dict entry;
      entry["action"] = event.action;
      entry["addr"] = reinterpret_cast<intptr_t>(event.address);
      entry["size"] = event.nbytes;
      entry["stream"] = 0;
      entry["time_us"] = event.time;
      frames.add(entry, event.stack);
      trace.append(entry);
    }
    traces.append(trace);
  }
  frames.look_up();
  return {blocks, traces};
}

void attach_out_of_memory_observer(py::function observer) {
  // Leaked, as the list of observers is: the interpreter may be gone when static objects are destroyed.
  auto* called = new py::function(std::move(observer));
  OutOfMemoryObservers::get().attach([called](DeviceIndex device, size_t requested, size_t total, size_t free) {
    py::gil_scoped_acquire lock;
    (*called)(static_cast<int>(device), requested, total, free);
  });
}

} // namespace

void add_memory_history(py::module& module) {
  module.def("start_memory_history", &start_history);
  module.def("stop_memory_history", [] { MemoryHistory::get().stop(); });
  module.def("clear_memory_history", [] { MemoryHistory::get().clear(); });
  module.def("memory_snapshot", &snapshot);
  module.def("_musa_attach_out_of_memory_observer", &attach_out_of_memory_observer); // torch_musa's own name
}

} // namespace torch_musa
