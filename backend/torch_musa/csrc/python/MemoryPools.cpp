// torch_musa._MUSAC: memory of a program's own making, for MUSAPluggableAllocator and MemPool.

#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MemorySource.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <memory>
#include <optional>

namespace torch_musa {

namespace {

using c10::DeviceIndex;
using c10::musa::MemPool;
using c10::musa::MemorySource;
using c10::musa::MUSAAllocator;

std::shared_ptr<MemorySource> source_of(uintptr_t allocate, uintptr_t free) {
  return std::make_shared<MemorySource>(MemorySource{
      reinterpret_cast<MemorySource::Allocate*>(allocate), reinterpret_cast<MemorySource::Free*>(free)});
}

} // namespace

void add_memory_pools(py::module& module) {
  py::class_<MemorySource, std::shared_ptr<MemorySource>>(
      module, "MemorySource", "Where memory comes from: two C functions, by address, that allocate and free.")
      .def(py::init(&source_of));
  py::class_<MemPool, std::shared_ptr<MemPool>>(module, "_MemPool", "The base of torch.musa.MemPool.")
      .def(py::init([](std::shared_ptr<MemorySource> source) {
             return std::make_shared<MemPool>(std::move(source));
           }),
           py::arg("source").none(true))
      .def_property_readonly("id", &MemPool::id, "The two numbers that name it.")
      .def_property_readonly(
          "allocator",
          [](const MemPool& pool) { return std::const_pointer_cast<MemorySource>(pool.source()); },
          "Where its memory comes from, as it was given.")
      .def(
          "use_count",
          [](const std::shared_ptr<MemPool>& pool) {
            return pool.use_count() - 1; // without the argument
          },
          "How many hold it: Python, and each block that came from it.");
  module.def("begin_pool", [](DeviceIndex device, std::shared_ptr<MemPool> pool) {
    c10::musa::begin_pool(device, std::move(pool));
  });
  module.def("end_pool", &c10::musa::end_pool);
  module.def("change_memory_source", [](std::shared_ptr<MemorySource> source) {
    MUSAAllocator::get().change_source(std::move(source));
  });
}

} // namespace torch_musa
