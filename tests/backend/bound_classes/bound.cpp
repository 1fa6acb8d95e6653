// An extension whose functions take what torch.musa's classes are made of, as pybind11 casts them.

#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"
#include "torch_musa/csrc/aten/musa/MUSAGraph.h"
#include "torch_musa/csrc/aten/utils/Utils.h"
#include "torch_musa/csrc/core/MUSACachingAllocator.h"
#include "torch_musa/csrc/core/MUSAPluggableAllocator.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include <torch/extension.h>

#include <cstdint>
#include <memory>

namespace {

using at::musa::MUSAGraph;
using c10::musa::MemPool;
using torch::musa::MUSAPluggableAllocator::MUSAPluggableAllocator;

struct Executable : MUSAGraph {
  static musaGraphExec_t MUSAGraph::*member() {
    return &Executable::graph_exec_;
  }
};

uintptr_t executable_of(MUSAGraph& graph) {
  return reinterpret_cast<uintptr_t>(graph.*Executable::member());
}

std::shared_ptr<MUSAGraph> same_graph(std::shared_ptr<MUSAGraph> graph) {
  graph->replay();
  return graph;
}

uintptr_t handle_of(c10::Stream stream) {
  return reinterpret_cast<uintptr_t>(c10::musa::MUSAStream(stream).stream());
}

uint64_t seed_of(const at::Generator& generator) {
  return at::check_generator<at::MUSAGeneratorImpl>(generator)->current_seed();
}

size_t taken = 0;

std::shared_ptr<MUSAPluggableAllocator> counting_allocator() {
  return torch::musa::MUSAPluggableAllocator::createCustomAllocator(
      [](size_t size, int, musaStream_t) {
        void* memory = nullptr;
        taken += musaMalloc(&memory, size) == musaSuccess ? size : 0;
        return memory;
      },
      [](void* memory, size_t size, int, musaStream_t) { taken -= musaFree(memory) == musaSuccess ? size : 0; });
}

int64_t bytes_of(const at::Tensor& tensor) {
  int64_t bytes = 0;
  AT_DISPATCH_ALL_MTGPU_TYPES_AND_HALF(tensor.scalar_type(), "bytes_of", [&] { bytes = sizeof(scalar_t); });
  return bytes;
}

bool has_musas_key(const at::Tensor& tensor) {
  return tensor.key_set().has_backend(c10::toBackendComponent(at::musa::kMUSAKey)) &&
      c10::backendToDispatchKey(at::musa::kMUSABackend) == at::musa::kMUSAKey;
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("executable_of", &executable_of);
  m.def("same_graph", &same_graph);
  m.def("handle_of", &handle_of);
  m.def("seed_of", &seed_of);
  m.def("id_of", [](const MemPool& pool) { return pool.id(); });
  m.def("own_pool", [](std::shared_ptr<MUSAPluggableAllocator> allocator) {
    return std::make_shared<MemPool>(std::move(allocator));
  });
  m.def("counting_allocator", &counting_allocator);
  m.def("is_musa", &at::musa::is_musa);
  m.def("bytes_of", &bytes_of);
  m.def("has_musas_key", &has_musas_key);
  m.def("taken", [] { return taken; });
}
