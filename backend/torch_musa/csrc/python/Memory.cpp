#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/PinnedMemoryAllocator.h"
#include "torch_musa/csrc/python/Bindings.h"

namespace torch_musa {

namespace {

using c10::DeviceIndex;
using c10::musa::MUSAAllocator;

intptr_t allocate(size_t nbytes, DeviceIndex device) {
  c10::musa::MUSAGuard guard(device);
  return reinterpret_cast<intptr_t>(MUSAAllocator::get().raw_allocate(nbytes));
}

void release(intptr_t address) {
  auto* block = reinterpret_cast<void*>(address);
  TORCH_CHECK_VALUE(
      block == nullptr || MUSAAllocator::get().device_of(block),
      "The address ", block, " is not that of memory which was allocated on a MUSA device, or it was freed already");
  MUSAAllocator::get().raw_deallocate(block);
}

py::dict as_dict(const c10::musa::Stat& stat) {
  py::dict result;
  result["current"] = stat.current;
  result["peak"] = stat.peak;
  result["allocated"] = stat.allocated;
  result["freed"] = stat.freed;
  return result;
}

py::dict pinned_memory_stats() {
  const at::musa::PinnedMemoryStats stats = at::musa::pinned_memory_stats();
  py::dict result;
  result["blocks"] = as_dict(stats.blocks);
  result["bytes"] = as_dict(stats.bytes);
  return result;
}

} // namespace

void add_memory(py::module& module) {
  module.def("allocate", &allocate);
  module.def("release", &release, py::call_guard<py::gil_scoped_release>());
  module.def("set_memory_fraction", [](double fraction, DeviceIndex device) {
    MUSAAllocator::get().set_memory_fraction(fraction, device);
  });
  module.def("memory_fraction", [](DeviceIndex device) { return MUSAAllocator::get().memory_fraction(device); });
  module.def("pinned_memory_stats", &pinned_memory_stats);
  module.def("reset_peak_pinned_memory_stats", &at::musa::reset_peak_pinned_memory_stats);
  module.def("reset_accumulated_pinned_memory_stats", &at::musa::reset_accumulated_pinned_memory_stats);
}

} // namespace torch_musa
