// The queries of torch_musa.core.fallback: which operators have musa kernels, and what the CPU had to compute.

#include "torch_musa/csrc/aten/FallbackPolicy.h"
#include "torch_musa/csrc/core/TorchVersion.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace torch_musa {

namespace {

const char* word_of(at::musa::OperatorKind kind) {
  switch (kind) {
    case at::musa::OperatorKind::Native:
      return "native";
    case at::musa::OperatorKind::Composite:
      return "composite";
    case at::musa::OperatorKind::Declared:
      return "declared";
    case at::musa::OperatorKind::Fallback:
      return "fallback";
    case at::musa::OperatorKind::Missing:
      return "missing";
  }
  return "";
}

const char* word_of(at::musa::FallbackPolicy policy) {
  switch (policy) {
    case at::musa::FallbackPolicy::Allow:
      return "allow";
    case at::musa::FallbackPolicy::Report:
      return "report";
    case at::musa::FallbackPolicy::Warn:
      return "warn";
    case at::musa::FallbackPolicy::Error:
      return "error";
    case at::musa::FallbackPolicy::Prefer:
      return "prefer";
  }
  return "";
}

std::map<std::string, std::string> operator_kinds() {
  std::map<std::string, std::string> kinds;
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (op && c10::musa::library_of(name) == "aten") {
      kinds[c10::toString(name)] = word_of(at::musa::kind_of(*op));
    }
  }
  return kinds;
}

std::vector<std::tuple<std::string, uint64_t, uint64_t, bool>> fallback_counts() {
  std::vector<std::tuple<std::string, uint64_t, uint64_t, bool>> rows;
  for (const at::musa::FallbackCount& count : at::musa::fallback_counts()) {
    rows.emplace_back(count.name, count.calls, count.bytes, count.declared);
  }
  return rows;
}

} // namespace

void add_fallback(py::module& module) {
  module.def("fallback_policy", [] { return word_of(at::musa::fallback_policy()); });
  module.def("fallback_counts", &fallback_counts);
  module.def("reset_fallback_counts", &at::musa::reset_fallback_counts);
  module.def("operator_kinds", &operator_kinds);
}

} // namespace torch_musa
