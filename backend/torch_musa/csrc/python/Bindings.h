#pragma once

#include <torch/csrc/utils/pybind.h>

namespace torch_musa {

/// Adds what torch_musa.core.fallback asks.
void add_fallback(py::module& module);

/// Adds what torch_musa.core.memory asks beside the counters: blocks, fractions, page-locked memory.
void add_memory(py::module& module);

/// Adds `_MUSAGraph`, a stream's work recorded to be launched again, and `graph_pool`.
void add_graphs(py::module& module);

/// Adds what torch_musa.core.memory_history asks: blocks and events with their stacks, observers.
void add_memory_history(py::module& module);

/// Adds what torch_musa.core.memory_pools asks.
void add_memory_pools(py::module& module);

/// Adds what graph trees (torch._inductor.cudagraph_trees) ask: a pool's states, and the storages in it.
void add_pool_states(py::module& module);

/// Adds what torch_musa.core.sharing asks.
void add_sharing(py::module& module);

/// Adds `_musart`, the runtime's functions under their own names.
void add_runtime(py::module& module);

} // namespace torch_musa
