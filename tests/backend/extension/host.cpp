// The same headers in a file that g++ compiles, and the rest of the host-side interface.
#include <ATen/Dispatch.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "torch_musa/csrc/aten/musa/Exceptions.h"
#include "torch_musa/csrc/aten/musa/MUSABlas.h"
#include "torch_musa/csrc/aten/musa/MUSAContext.h"
#include "torch_musa/csrc/aten/musa/MUSAGraph.h"
#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/core/MUSACachingAllocator.h"
#include "torch_musa/csrc/core/MUSAEvent.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAPluggableAllocator.h"
#include "torch_musa/csrc/core/MUSAStream.h"

#include <string>
#include <vector>

namespace {

/// By the names of c10::cuda's functions that return a status; returns the device that was current.
int64_t exchange_and_wait(int64_t device) {
  c10::DeviceIndex current = -1;
  int count = 0;
  C10_MUSA_CHECK(c10::musa::GetDeviceCount(&count));
  C10_MUSA_CHECK(c10::musa::GetDevice(&current));
  TORCH_CHECK(c10::musa::SetDevice(static_cast<c10::DeviceIndex>(count)) == musaErrorInvalidDevice);
  musaGetLastError();
  TORCH_CHECK(c10::musa::ExchangeDevice(static_cast<c10::DeviceIndex>(device)) == current);
  c10::musa::stream_synchronize(c10::musa::getCurrentMUSAStream());
  TORCH_CHECK(c10::musa::MaybeExchangeDevice(-1) == device);
  C10_MUSA_CHECK(c10::musa::MaybeSetDevice(current));
  c10::musa::SetTargetDevice();
  using namespace at::musa::blas; // packages name it after including MUSAContext.h
  TORCH_CHECK(_mublasGetErrorEnum(MUBLAS_STATUS_INVALID_VALUE) != std::string(_mublasGetErrorEnum(MUBLAS_STATUS_SUCCESS)));
  const std::string message = at::musa::solver::musolverGetErrorMessage(MUSOLVER_STATUS_INVALID_VALUE);
  TORCH_CHECK(message == "MUSOLVER_STATUS_INVALID_VALUE");
  return current;
}

int64_t device_guarded(int64_t device) {
  c10::musa::MUSAGuard guard(static_cast<c10::DeviceIndex>(device));
  TORCH_CHECK(guard.current_device().index() == device);
  return c10::musa::current_device();
}

/// Exercises streams, their guard, events and the allocator; returns what went wrong, or nothing.
std::string check_streams() {
  c10::musa::MUSAStream side = c10::musa::getStreamFromPool(/*high_priority=*/true);
  const c10::musa::MUSAStream original = at::musa::getCurrentMUSAStream();
  {
    c10::musa::MUSAStreamGuard guard(side);
    if (at::musa::getCurrentMUSAStream() != side) {
      return "the guard did not make its stream current";
    }
    if (guard.original_stream() != original) {
      return "the guard lost the original stream";
    }
    musaStream_t handle = side;
    if (c10::musa::getStreamFromExternal(handle, side.device_index()).stream() != handle) {
      return "an external stream lost its handle";
    }
  }
  if (at::musa::getCurrentMUSAStream() != original) {
    return "the guard did not restore the stream";
  }
  at::musa::MUSAEvent start(musaEventDefault);
  at::musa::MUSAEvent end(musaEventDefault);
  start.record(side);
  void* memory = c10::musa::MUSACachingAllocator::raw_alloc(1024);
  C10_MUSA_CHECK(musaMemsetAsync(memory, 0, 1024, side));
  end.record(side);
  end.block(original);
  end.synchronize();
  c10::musa::MUSACachingAllocator::raw_delete(memory);
  if (!end.query() || start.elapsed_time(end) < 0 || !side.query()) {
    return "an event is not done";
  }
  return "";
}

size_t free_memory() {
  size_t free = 0;
  size_t total = 0;
  C10_MUSA_CHECK(musaMemGetInfo(&free, &total));
  return free;
}

/// Memory of a pool stays until the pool is released, by PyTorch's names; returns what went wrong, or nothing.
std::string check_pools() {
  namespace allocator = c10::musa::MUSACachingAllocator;
  constexpr size_t kSize = 1 << 20;
  const c10::musa::MempoolId_t pool{0, 1000000};
  const c10::musa::MUSAStream side = c10::musa::getStreamFromPool();
  const size_t before = free_memory();
  allocator::beginAllocateToPool(0, pool, [&](musaStream_t stream) { return stream == side.stream(); });
  allocator::raw_delete(allocator::raw_alloc(kSize));
  if (free_memory() != before) {
    return "memory of another stream stayed";
  }
  {
    c10::musa::MUSAStreamGuard guard(side);
    allocator::raw_delete(allocator::raw_alloc(kSize));
  }
  if (free_memory() > before - kSize) {
    return "memory of the pool did not stay";
  }
  allocator::endAllocateToPool(0, pool);
  {
    c10::musa::MUSAStreamGuard guard(side);
    allocator::raw_delete(allocator::raw_alloc(kSize));
  }
  if (free_memory() > before - kSize || free_memory() < before - 2 * kSize + 1) {
    return "memory went to the pool after its use";
  }
  allocator::releasePool(0, pool);
  if (free_memory() != before) {
    return "the pool kept its memory";
  }
  namespace pluggable = torch::musa::MUSAPluggableAllocator;
  size_t asked = 0;
  auto own = pluggable::createCustomAllocator(
      [&](size_t nbytes, int, musaStream_t) -> void* {
        asked = nbytes;
        return nullptr;
      },
      [](void*, size_t, int, musaStream_t) {});
  if (own->allocate(5, 0, nullptr) != nullptr || asked != 5 || pluggable::getCurrentAllocator() != nullptr) {
    return "an allocator of one's own is not what it was made of";
  }
  return "";
}

static_assert(at::kMUSA == at::musa::kMUSA, "MT-DeepEP says at::kMUSA and torch::kMUSA");

std::vector<int64_t> facts() {
  const musaDeviceProp* properties = at::musa::getCurrentDeviceProperties();
  return {
      c10::musa::device_count(), at::musa::warp_size(), at::musa::getMUSAArch(), properties->major,
      at::musa::is_available(), static_cast<int64_t>(at::musa::kMUSA)};
}

#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
/// The counts of the allocator of pinned memory, and whether it knows `pinned`. `reset` starts the counts anew.
std::vector<int64_t> host_memory(const at::Tensor& pinned, bool reset) {
  at::HostAllocator& allocator = *at::getHostAllocator(at::musa::kMUSA);
  if (reset) {
    allocator.empty_cache();
    allocator.reset_accumulated_stats();
    allocator.reset_peak_stats();
  }
  const at::HostStats stats = allocator.get_stats();
  const bool known = allocator.record_event(
      pinned.mutable_data_ptr(), pinned.storage().data_ptr().get_context(), c10::musa::getCurrentMUSAStream());
  return {
      stats.allocated_bytes.current, stats.allocated_bytes.peak, stats.num_host_alloc, stats.num_host_free, known};
}
#endif

void fail() {
  C10_MUSA_CHECK(musaSetDevice(1000));
}

void fail_in_library(const std::string& library) {
  if (library == "mublas") {
    TORCH_MUSABLAS_CHECK(MUBLAS_STATUS_SUCCESS);
    TORCH_MUSABLAS_CHECK(MUBLAS_STATUS_INVALID_VALUE);
  } else if (library == "musparse") {
    TORCH_MUSASPARSE_CHECK(MUSPARSE_STATUS_SUCCESS);
    TORCH_MUSASPARSE_CHECK(MUSPARSE_STATUS_INVALID_VALUE);
  } else if (library == "musolver") {
    TORCH_MUSOLVER_CHECK(MUSOLVER_STATUS_SUCCESS);
    TORCH_MUSOLVER_CHECK(MUSOLVER_STATUS_INVALID_VALUE);
  } else {
    AT_MUSA_DRIVER_CHECK(MUSA_SUCCESS);
    AT_MUSA_DRIVER_CHECK(MUSA_ERROR_INVALID_VALUE);
  }
}

/// c = 2 op(a) op(b) + 3 c, for matrices that are stored by columns: [columns, rows], or a stack of such.
void multiply(const std::string& transposed, const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
  const int64_t m = c.size(-1);
  const int64_t n = c.size(-2);
  const int64_t k = a.size(transposed[0] == 'n' ? -2 : -1);
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "multiply", [&] {
    const scalar_t* left = a.const_data_ptr<scalar_t>();
    const scalar_t* right = b.const_data_ptr<scalar_t>();
    scalar_t* result = c.mutable_data_ptr<scalar_t>();
    if (c.dim() == 2) {
      at::musa::blas::gemm<scalar_t>(
          transposed[0], transposed[1], m, n, k, 2, left, a.stride(-2), right, b.stride(-2), 3, result, c.stride(-2));
    } else {
      at::musa::blas::bgemm<scalar_t>(
          transposed[0], transposed[1], m, n, k, 2, left, a.stride(-2), a.stride(0), right, b.stride(-2),
          b.stride(0), 3, result, c.stride(-2), c.stride(0), c.size(0));
    }
  });
}

/// Whether the handle of this thread works on the current stream, and is the same one when asked again.
bool blas_handle_is_current() {
  c10::musa::MUSAStreamGuard guard(c10::musa::getStreamFromPool());
  mublasHandle_t handle = at::musa::getCurrentMUSABlasHandle();
  musaStream_t stream = nullptr;
  TORCH_MUSABLAS_CHECK(mublasGetStream(handle, &stream));
  return stream == guard.current_stream().stream() && handle == at::musa::getCurrentMUSABlasHandle();
}

/// A graph of a program that inherits from MUSAGraph, as torchada's tests do.
struct OpenGraph : at::musa::MUSAGraph {
  using at::musa::MUSAGraph::MUSAGraph;
  std::string state() const {
    const bool agree = has_graph_ == (graph_ != nullptr) && has_graph_exec_ == (graph_exec_ != nullptr);
    return agree ? std::string(has_graph_ ? "graph " : "") + (has_graph_exec_ ? "executable " : "") : "differ ";
  }
};

/// The states of a graph: new, captured, instantiated, launched, reset.
std::string graph_states(const at::Tensor& x, bool keep_graph) {
  c10::musa::MUSAStreamGuard guard(c10::musa::getStreamFromPool());
  OpenGraph graph(keep_graph);
  std::string states = graph.state() + "/ ";
  graph.capture_begin();
  x.add_(1);
  graph.capture_end();
  states += graph.state() + "/ ";
  if (keep_graph) graph.instantiate();
  states += graph.state() + "/ ";
  graph.replay();
  states += graph.state() + "/ ";
  graph.reset();
  return states + graph.state();
}

} // namespace

TORCH_LIBRARY_FRAGMENT(musa_probe, m) {
  m.def("device_guarded(int device) -> int", &device_guarded);
  m.def("exchange_and_wait(int device) -> int", &exchange_and_wait);
  m.def("check_streams() -> str", &check_streams);
  m.def("check_pools() -> str", &check_pools);
  m.def("facts() -> int[]", &facts);
  m.def("multiply(str transposed, Tensor a, Tensor b, Tensor(x!) c) -> ()", &multiply);
  m.def("blas_handle_is_current() -> bool", &blas_handle_is_current);
#if TORCH_MUSA_TORCH_AT_LEAST(2, 8)
  m.def("host_memory(Tensor pinned, bool reset) -> int[]", &host_memory);
#endif
  m.def("graph_states(Tensor x, bool keep_graph) -> str", &graph_states);
  m.def("fail() -> ()", &fail);
  m.def("fail_in_library(str library) -> ()", &fail_in_library);
}
