// torch_musa._MUSAC._MUSAGraph: the base of torch.musa.MUSAGraph.

#include "torch_musa/csrc/aten/musa/MUSAGraph.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <torch/csrc/Exceptions.h>

#include <cstdint>
#include <memory>
#include <string>

namespace torch_musa {

namespace {

using at::musa::MUSAGraph;

musaStreamCaptureMode mode_of(const std::string& name) {
  if (name == "global") {
    return musaStreamCaptureModeGlobal;
  }
  if (name == "thread_local") {
    return musaStreamCaptureModeThreadLocal;
  }
  TORCH_CHECK(
      name == "relaxed",
      "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got ", name);
  return musaStreamCaptureModeRelaxed;
}

/// It waits for its last launch before it goes, and host functions of the stream may need the interpreter.
std::shared_ptr<MUSAGraph> make_graph(bool keep_graph) {
  return {new MUSAGraph(keep_graph), [](MUSAGraph* graph) {
            if (PyGILState_Check() != 0) {
              py::gil_scoped_release unlocked;
              delete graph;
            } else {
              delete graph;
            }
          }};
}

} // namespace

void add_graphs(py::module& module) {
  module.def("graph_pool", &at::musa::graph_pool_handle);
  py::call_guard<py::gil_scoped_release> unlocked;
  py::class_<MUSAGraph, std::shared_ptr<MUSAGraph>>(module, "_MUSAGraph") // torch_musa 2.7.1, csrc/core/Graph.cpp
      .def(py::init(&make_graph), py::arg("keep_graph") = false)
      .def(
          "capture_begin",
          [](MUSAGraph& self, c10::musa::MempoolId_t pool, const std::string& mode) {
            self.capture_begin(pool, mode_of(mode));
          },
          py::arg("pool"), py::arg("capture_error_mode"), unlocked)
      .def("capture_end", torch::wrap_pybind_function_no_gil(&MUSAGraph::capture_end)) // it may warn
      .def("instantiate", &MUSAGraph::instantiate, unlocked)
      .def("replay", &MUSAGraph::replay, unlocked)
      .def("reset", &MUSAGraph::reset, unlocked)
      .def("pool", &MUSAGraph::pool)
      .def("enable_debug_mode", &MUSAGraph::enable_debug_mode)
      .def("debug_dump", torch::wrap_pybind_function_no_gil(&MUSAGraph::debug_dump))
      .def("raw_musa_graph", [](const MUSAGraph& self) { return reinterpret_cast<uintptr_t>(self.raw_graph()); })
      .def("raw_musa_graph_exec", [](const MUSAGraph& self) {
        return reinterpret_cast<uintptr_t>(self.raw_executable());
      });
}

} // namespace torch_musa
