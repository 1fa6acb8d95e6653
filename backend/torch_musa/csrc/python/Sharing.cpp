// torch_musa._MUSAC: storages of musa tensors in memory that other processes see as well.
//
// A simulated device's memory is the host's, so a shared mapping of the host can replace it.

#include "torch_musa/csrc/core/Device.h"
#include "torch_musa/csrc/core/MUSAException.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <c10/core/Storage.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace torch_musa {

namespace {

/// Lets the runtime know memory as long as there is a storage in it. A process may have several: what it sends to
/// itself comes back as another one.
class KnownMemory {
 public:
  static KnownMemory& get() {
    static auto& known = *new KnownMemory(); // leaked: tensors may outlive static objects
    return known;
  }

  void add(void* memory, size_t nbytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (storages_.count(memory) == 0) {
      C10_MUSA_CHECK(musaHostRegister(memory, nbytes, 0));
    }
    ++storages_[memory];
  }

  void remove(void* memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--storages_[memory] == 0) {
      storages_.erase(memory);
      C10_MUSA_CHECK_WARN(musaHostUnregister(memory));
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, size_t> storages_;
};

/// The memory that a storage in shared memory keeps.
struct Shared {
  c10::Storage memory; ///< a storage of the CPU
  c10::Device device;
};

void release_shared(void* context) {
  std::unique_ptr<Shared> shared(static_cast<Shared*>(context));
  c10::musa::MUSAGuard guard(shared->device);
  C10_MUSA_CHECK_WARN(musaDeviceSynchronize()); // as musaFree: work in its streams may still use the memory
  KnownMemory::get().remove(shared->memory.mutable_data());
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
  KnownMemory::get().add(memory.mutable_data(), nbytes);
  void* data = memory.mutable_data();
  auto shared = std::make_unique<Shared>(Shared{std::move(memory), storage.device()});
  storage.set_data_ptr_noswap(c10::DataPtr(data, shared.release(), &release_shared, storage.device()));
  storage.set_nbytes(nbytes);
}

/// The memory that move_storage gave to a storage.
std::optional<c10::Storage> shared_memory(const c10::Storage& storage) {
  const c10::DataPtr& data = storage.data_ptr();
  if (data.get_deleter() != &release_shared) {
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
