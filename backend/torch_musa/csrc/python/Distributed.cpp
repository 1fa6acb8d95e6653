// torch_musa._MUSAC._mccl: the process group, and what is needed to make one.

#include "torch_musa/csrc/python/Distributed.h"

#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/distributed/Peers.h"
#include "torch_musa/csrc/distributed/ProcessGroupMCCL.h"

#include <pybind11/chrono.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace torch_musa {

namespace {

using c10d::mccl::Peers;
using Timeout = std::chrono::milliseconds;

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (c10::DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    ids.push_back(c10d::mccl::device_id(device));
  }
  return ids;
}

std::shared_ptr<Peers> meet(
    const c10::intrusive_ptr<c10d::Store>& store,
    int rank,
    int size,
    Timeout timeout,
    bool share_devices) {
  return std::make_shared<Peers>(store, rank, size, timeout, device_ids(), share_devices);
}

void without_the_interpreters_lock(const std::function<void()>& function) {
  if (PyGILState_Check() != 0) {
    py::gil_scoped_release unlocked;
    function();
  } else {
    function();
  }
}

c10::intrusive_ptr<c10d::ProcessGroupMCCL> process_group(
    const c10::intrusive_ptr<c10d::Backend>& gloo,
    const std::shared_ptr<Peers>& peers,
    Timeout timeout) {
  return c10::make_intrusive<c10d::ProcessGroupMCCL>(
      gloo, peers, timeout, &without_the_interpreters_lock);
}

void add_process_group(py::module& mccl) {
  using Group = c10d::ProcessGroupMCCL;
  using Options = Group::Options;
  py::class_<Options, c10::intrusive_ptr<Options>, c10d::Backend::Options>(mccl, "Options")
      .def(py::init<>())
      .def_readwrite("is_high_priority_stream", &Options::is_high_priority_stream)
      .def("__copy__", [](const Options& self) { return c10::make_intrusive<Options>(self); })
      .def("__deepcopy__", [](const Options& self, const py::dict&) { return c10::make_intrusive<Options>(self); });
  py::class_<Group, c10::intrusive_ptr<Group>, c10d::Backend>(mccl, "ProcessGroup")
      .def_property_readonly(
          "options", [](Group& self) { return c10::static_intrusive_pointer_cast<Options>(self.getBackendOptions()); })
      // Called in ranks that are in no part of a split: NCCL needs them, gloo does not.
      .def("perform_nocolor_split", [](const Group&, const py::object& /*device*/) {});
}

} // namespace

void add_distributed(py::module& module) {
  py::module mccl = module.def_submodule("_mccl", "The parts of torch.distributed's backend mccl");
  py::class_<Peers, std::shared_ptr<Peers>>(mccl, "Peers").def("on_one_machine", &Peers::on_one_machine);
  add_process_group(mccl);
  mccl.def("meet", &meet, py::call_guard<py::gil_scoped_release>());
  mccl.def("process_group", &process_group, py::call_guard<py::gil_scoped_release>());
}

} // namespace torch_musa
