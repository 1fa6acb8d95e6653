// torch_musa._MUSAC: what torch_musa's Python code needs from the runtime and from this library.

#include "torch_musa/csrc/aten/mudnn/Functions.h"
#include "torch_musa/csrc/aten/musa/MUSAContextLight.h"
#include "torch_musa/csrc/aten/musa/MUSAGeneratorImpl.h"
#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/GuardImpl.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"
#include "torch_musa/csrc/core/MUSAStream.h"
#include "torch_musa/csrc/core/SyncDebugMode.h"
#include "torch_musa/csrc/python/Bindings.h"
#include "torch_musa/csrc/python/DeviceInit.h"
#include "torch_musa/csrc/profiler/Profiler.h"
#ifdef USE_C10D
#include "torch_musa/csrc/python/Distributed.h"
#endif

#include <mudnn_version.h>

#include <ATen/ops/empty.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/utils/pybind.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace {

using c10::DeviceIndex;
using c10::musa::MUSAAllocator;

/// A device's properties under the names that torch.cuda.get_device_properties uses.
py::dict device_properties(DeviceIndex device) {
  const musaDeviceProp& properties = *at::musa::getDeviceProperties(device);
  py::dict result;
  result["name"] = properties.name;
  result["major"] = properties.major;
  result["minor"] = properties.minor;
  result["total_memory"] = properties.totalGlobalMem;
  result["multi_processor_count"] = properties.multiProcessorCount;
  result["warp_size"] = properties.warpSize;
  result["max_threads_per_block"] = properties.maxThreadsPerBlock;
  result["max_threads_per_multi_processor"] = properties.maxThreadsPerMultiProcessor;
  result["regs_per_block"] = properties.regsPerBlock;
  result["shared_memory_per_block"] = properties.sharedMemPerBlock;
  result["L2_cache_size"] = properties.l2CacheSize;
  result["is_integrated"] = properties.integrated;
  return result;
}

py::dict memory_stats(DeviceIndex device) {
  c10::musa::MemoryStats stats = MUSAAllocator::get().stats(device);
  py::dict result;
  for (auto& [name, stat] : {std::pair("bytes", stats.bytes), std::pair("blocks", stats.blocks)}) {
    const std::string prefix = std::string(name) + ".";
    result[py::str(prefix + "current")] = stat.current;
    result[py::str(prefix + "peak")] = stat.peak;
    result[py::str(prefix + "allocated")] = stat.allocated;
    result[py::str(prefix + "freed")] = stat.freed;
  }
  result["out_of_memory"] = stats.out_of_memory;
  return result;
}

void synchronize(DeviceIndex device) {
  c10::musa::MUSAGuard guard(device);
  c10::musa::device_synchronize();
}

c10::musa::MUSAStream unpack_stream(c10::StreamId id, DeviceIndex device) {
  return c10::musa::MUSAStream(c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::musa::kMUSA, device), id));
}

intptr_t stream_handle(c10::StreamId id, DeviceIndex device) {
  return reinterpret_cast<intptr_t>(unpack_stream(id, device).stream());
}

c10::StreamId pool_stream(int priority, DeviceIndex device) {
  return c10::musa::getStreamFromPool(priority, device).id();
}

c10::StreamId current_stream(DeviceIndex device) {
  return c10::musa::getCurrentMUSAStream(device).id();
}

void set_stream(c10::StreamId id, DeviceIndex device) {
  c10::musa::setCurrentMUSAStream(unpack_stream(id, device));
}

int stream_priority(c10::StreamId id, DeviceIndex device) {
  return unpack_stream(id, device).priority();
}

/// Milliseconds between two events, given by torch.Event.event_id; 0 is an event that was never recorded.
double elapsed_time(intptr_t start, intptr_t end, DeviceIndex device) {
  return c10::musa::impl::MUSAGuardImpl().elapsedTime(
      reinterpret_cast<void*>(start), reinterpret_cast<void*>(end), device);
}

/// Keeps the current stream busy; returns at once.
void keep_busy(int64_t nanoseconds) {
  auto wait = [](void* given) {
    std::unique_ptr<std::chrono::nanoseconds> time(static_cast<std::chrono::nanoseconds*>(given));
    std::this_thread::sleep_for(*time);
  };
  auto time = std::make_unique<std::chrono::nanoseconds>(nanoseconds);
  C10_MUSA_CHECK(musaLaunchHostFunc(c10::musa::getCurrentMUSAStream(), wait, time.get()));
  time.release(); // it is the function's now
}

py::object default_generator(DeviceIndex device) {
  return py::reinterpret_steal<py::object>(THPGenerator_Wrap(at::musa::detail::getDefaultMUSAGenerator(device)));
}

/// Waits until autograd's device threads have let go of the last backward pass.
///
/// backward() returns before that, and what a thread lets go of includes a Python object. If the interpreter is
/// shutting down by then, the thread cannot have the interpreter's lock and brings the process down. Every device
/// has one thread, which works in order: an empty pass of our own, without Python objects, comes after all others.
void wait_for_autograd() {
  for (DeviceIndex device = 0; device < c10::musa::device_count(); ++device) {
    auto options = at::TensorOptions().device(c10::Device(c10::musa::kMUSA, device));
    at::Tensor nothing = at::empty({0}, options).requires_grad_();
    torch::autograd::backward({nothing.view({0, 1})}, {at::empty({0, 1}, options)});
  }
}

std::pair<int, int> runtime_version() {
  int version = 0;
  C10_MUSA_CHECK(musaRuntimeGetVersion(&version));
  return {version / 10000, version / 100 % 100};
}

/// Functions that PyTorch's C module has for CUDA, under the names that Moore Threads' torch_musa gives them
/// (torch_musa/csrc/core/Module.cpp there).
void add_vendor_names(py::module_& m) {
  m.def("_musa_getDeviceCount", [] { return static_cast<int>(c10::musa::device_count()); });
  m.def("_musa_getDevice", [] { return static_cast<int>(c10::musa::current_device()); });
  m.def("_musa_setDevice", &c10::musa::set_device);
  m.def("_musa_maybeExchangeDevice", [](DeviceIndex device) {
    return device < 0 ? -1 : static_cast<int>(c10::musa::exchange_device(device));
  });
  m.def("_musa_synchronize", [] { synchronize(c10::musa::current_device()); }, py::call_guard<py::gil_scoped_release>());
  m.def("_musa_getCurrentRawStream", [](DeviceIndex device) {
    return reinterpret_cast<intptr_t>(c10::musa::getCurrentMUSAStream(device).stream());
  });
}

} // namespace

PYBIND11_MODULE(_MUSAC, m) {
  m.doc() = "The simulated MUSA device as Python sees it; use torch.musa instead";
  m.attr("_musa_version") = std::to_string(MUSA_VERSION); // extensions are compiled with it, too

  m.def("device_count", [] { return static_cast<int>(c10::musa::device_count()); });
  m.def("current_device", [] { return static_cast<int>(c10::musa::current_device()); });
  m.def("set_device", &c10::musa::set_device);
  m.def("exchange_device", [](DeviceIndex device) {
    return static_cast<int>(c10::musa::exchange_device(device));
  });
  m.def("synchronize", &synchronize, py::call_guard<py::gil_scoped_release>());
  m.def("device_properties", &device_properties);
  m.def("can_device_access_peer", &at::musa::canDeviceAccessPeer);
  m.def("runtime_version", &runtime_version);

  m.def("memory_stats", &memory_stats);
  m.def("memory_info", [](DeviceIndex device) { return MUSAAllocator::get().memory_info(device); });
  m.def("reset_peak_memory_stats", [](DeviceIndex device) { MUSAAllocator::get().reset_peak(device); });
  m.def("reset_accumulated_memory_stats", [](DeviceIndex device) {
    MUSAAllocator::get().reset_totals(device);
  });

  m.def("pool_stream", &pool_stream);
  m.def("current_stream", &current_stream);
  m.def("set_stream", &set_stream);
  m.def("stream_handle", &stream_handle);
  m.def("stream_priority", &stream_priority);
  m.def("elapsed_time", &elapsed_time);

  m.def("keep_busy", &keep_busy);
  m.def("stream_priority_range", &c10::musa::MUSAStream::priority_range);
  m.def("is_capturing", [] {
    return c10::musa::currentStreamCaptureStatusMayInitCtx() != c10::musa::CaptureStatus::None;
  });
  m.def("current_blas_handle", [] { return reinterpret_cast<intptr_t>(at::musa::getCurrentMUSABlasHandle()); });
  m.def("current_blaslt_handle", [] { return reinterpret_cast<intptr_t>(at::musa::getCurrentMUSABlasLtHandle()); });
  m.def("current_solver_handle", [] {
    return reinterpret_cast<intptr_t>(at::musa::getCurrentMUSASolverDnHandle());
  });
  m.def("sync_debug_mode", [] { return static_cast<int>(c10::musa::sync_debug_mode()); });
  m.def("set_sync_debug_mode", [](int mode) {
    c10::musa::set_sync_debug_mode(static_cast<c10::musa::SyncDebugMode>(mode));
  });
  m.def("profiles_device", &torch::musa::profiles_device);

  m.def("default_generator", &default_generator);

  m.def("wait_for_autograd", &wait_for_autograd, py::call_guard<py::gil_scoped_release>());

  m.def("initialize", [] {
    torch_musa::register_fork_handler();
    torch_musa::init_device_of_context();
    c10::musa::mark_initialized();
  });
  m.def("is_initialized", &c10::musa::is_initialized);
  m.def("is_in_bad_fork", &torch_musa::is_in_bad_fork);

  m.def("_get_allow_tf32", &at::musa::mudnn_allows_tf32);
  m.def("_set_allow_tf32", &at::musa::set_mudnn_allows_tf32);
  m.def("_mudnn_version", [] { return int64_t{MUDNN_VERSION}; });
  m.def("_uses_mudnn", [] { return at::musa::mudnn_functions() != nullptr; });

  add_vendor_names(m);
  torch_musa::add_memory(m);
  torch_musa::add_fallback(m);
  torch_musa::add_memory_history(m);
  torch_musa::add_memory_pools(m);
  torch_musa::add_pool_states(m);
  torch_musa::add_runtime(m);
  torch_musa::add_graphs(m);
  torch_musa::add_sharing(m);
#ifdef USE_C10D
  torch_musa::add_distributed(m);
#endif
}
