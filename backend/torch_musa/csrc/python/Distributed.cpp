// torch_musa._MUSAC._mccl: the process group, and what is needed to make one.

#include "torch_musa/csrc/python/Distributed.h"

#include "torch_musa/csrc/distributed/ProcessGroupMCCL.h"

#include <pybind11/chrono.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include <chrono>
#include <functional>

namespace torch_musa {

namespace {

void without_the_interpreters_lock(const std::function<void()>& function) {
  if (PyGILState_Check() != 0) {
    py::gil_scoped_release unlocked;
    function();
  } else {
    function();
  }
}

c10::intrusive_ptr<c10d::ProcessGroupMCCL> process_group(
    const c10::intrusive_ptr<c10d::Store>& store,
    int rank,
    int size,
    std::chrono::milliseconds timeout) {
  return c10::make_intrusive<c10d::ProcessGroupMCCL>(store, rank, size, timeout, &without_the_interpreters_lock);
}

using Group = c10d::ProcessGroupMCCL;
using Options = Group::Options;

template <typename... Bases>
void add_options(py::module& mccl) {
  py::class_<Options, c10::intrusive_ptr<Options>, Bases...>(mccl, "Options")
      .def(py::init<>())
      .def_readwrite("is_high_priority_stream", &Options::is_high_priority_stream)
      .def("__copy__", [](const Options& self) { return c10::make_intrusive<Options>(self); })
      .def("__deepcopy__", [](const Options& self, const py::dict&) { return c10::make_intrusive<Options>(self); });
}

void add_process_group(py::module& mccl) {
  if (py::detail::get_type_info(typeid(c10d::Backend::Options)) != nullptr) {
    add_options<c10d::Backend::Options>(mccl);
  } else {
    add_options<>(mccl); // PyTorch 2.5 shows Python no such class
  }
  py::class_<Group, c10::intrusive_ptr<Group>, c10d::Backend>(mccl, "ProcessGroup")
      .def_property_readonly(
          "options", [](Group& self) { return c10::static_intrusive_pointer_cast<Options>(self.getBackendOptions()); })
      // Called in ranks that are in no part of a split: NCCL needs them there, this group does not.
      .def("perform_nocolor_split", [](const Group&, const py::object& /*device*/) {});
}

} // namespace

void add_distributed(py::module& module) {
  py::module mccl = module.def_submodule("_mccl", "The parts of torch.distributed's backend mccl");
  add_process_group(mccl);
  mccl.def("process_group", &process_group, py::call_guard<py::gil_scoped_release>());
}

} // namespace torch_musa
