#pragma once

#include <torch/csrc/utils/pybind.h>

namespace torch_musa {

/// Adds what torch_musa.distributed needs to `module`.
void add_distributed(py::module& module);

} // namespace torch_musa
