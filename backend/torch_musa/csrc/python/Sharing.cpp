// torch_musa._MUSAC: storages of musa tensors in memory that other processes see as well.
//
// A simulated device's memory is the host's, so a shared mapping of the host can take its place.

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <c10/core/Storage.h>

#include <cstring>
#include <memory>
#include <optional>

namespace torch_musa {

namespace {

/// What a storage in shared memory holds on to.
struct Shared {
  c10::Storage memory; ///< a storage of the CPU
  c10::Device device;
  bool registered; ///< the runtime knows the memory because of this storage
};

void release(void* context) {
  std::unique_ptr<Shared> shared(static_cast<Shared*>(context));
  c10::musa::MUSAGuard guard(shared->device);
  C10_MUSA_CHECK_WARN(musaDeviceSynchronize()); // as musaFree: work in its streams may still use the memory
  if (shared->registered) {
    C10_MUSA_CHECK_WARN(musaHostUnregister(shared->memory.mutable_data()));
  }
}

/// Lets `storage` lie in `memory`, a storage of the CPU, with the bytes that are there or, if `copy`, with its own.
void move_storage(c10::Storage storage, c10::Storage memory, bool copy) {
  const size_t nbytes = memory.nbytes();
  c10::musa::MUSAGuard guard(storage.device());
  if (copy) {
    TORCH_CHECK(nbytes == storage.nbytes(), "Expected memory of ", storage.nbytes(), " bytes, but got ", nbytes);
    c10::musa::device_synchronize();
    std::memcpy(memory.mutable_data(), storage.data(), nbytes);
  }
  // Known already if this process has another storage there; then that one lets go of it.
  const musaError_t error = C10_MUSA_ERROR_HANDLED(musaHostRegister(memory.mutable_data(), nbytes, 0));
  const bool registered = error == musaSuccess;
  if (!registered) {
    C10_MUSA_CLEAR_ERROR();
    TORCH_CHECK(error == musaErrorHostMemoryAlreadyRegistered, "MUSA error: ", musaGetErrorString(error));
  }
  void* data = memory.mutable_data();
  auto shared = std::make_unique<Shared>(Shared{std::move(memory), storage.device(), registered});
  storage.set_data_ptr_noswap(c10::DataPtr(data, shared.release(), &release, storage.device()));
  storage.set_nbytes(nbytes);
}

/// The memory that move_storage gave to a storage.
std::optional<c10::Storage> shared_memory(const c10::Storage& storage) {
  const c10::DataPtr& data = storage.data_ptr();
  if (data.get_deleter() != &release) {
    return std::nullopt;
  }
  return static_cast<Shared*>(data.get_context())->memory;
}

} // namespace

void add_sharing(py::module& module) {
  module.def("move_storage", &move_storage);
  module.def("shared_memory", &shared_memory);
}

} // namespace torch_musa
