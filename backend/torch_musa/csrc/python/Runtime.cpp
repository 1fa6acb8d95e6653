// torch_musa._MUSAC._musart: what torch.cuda.cudart() is for CUDA. Addresses are integers, as there.

#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <cstdint>

namespace torch_musa {

namespace {

/// The status goes to the caller, and is no longer the runtime's last error: the next check does not report it.
musaError_t handed_on(musaError_t status) {
  if (status != musaSuccess) {
    C10_MUSA_CLEAR_ERROR();
  }
  return status;
}

} // namespace

void add_runtime(py::module& module) {
  py::module musart = module.def_submodule("_musart", "Functions of the MUSA runtime");
  py::enum_<musaError_t>(musart, "musaError", py::arithmetic())
      .value("success", musaSuccess)
      .value("errorInvalidValue", musaErrorInvalidValue)
      .value("errorMemoryAllocation", musaErrorMemoryAllocation)
      .value("errorNotReady", musaErrorNotReady);
  musart.def("musaGetErrorString", [](musaError_t status) { return musaGetErrorString(status); });
  py::call_guard<py::gil_scoped_release> unlocked;
  musart.def(
      "musaHostRegister",
      [](uintptr_t address, size_t size, unsigned flags) {
        return handed_on(musaHostRegister(reinterpret_cast<void*>(address), size, flags));
      },
      unlocked);
  musart.def(
      "musaHostUnregister",
      [](uintptr_t address) { return handed_on(musaHostUnregister(reinterpret_cast<void*>(address))); },
      unlocked);
  musart.def(
      "musaStreamCreate",
      [](uintptr_t stream) { return handed_on(musaStreamCreate(reinterpret_cast<musaStream_t*>(stream))); },
      unlocked);
  musart.def(
      "musaStreamDestroy",
      [](uintptr_t stream) { return handed_on(musaStreamDestroy(reinterpret_cast<musaStream_t>(stream))); },
      unlocked);
  musart.def("musaProfilerStart", [] { return handed_on(musaProfilerStart()); }, unlocked);
  musart.def("musaProfilerStop", [] { return handed_on(musaProfilerStop()); }, unlocked);
  musart.def("musaMemGetInfo", [](c10::DeviceIndex device) {
    return c10::musa::MUSAAllocator::get().memory_info(device);
  });
}

} // namespace torch_musa
