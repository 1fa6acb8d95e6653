// torch_musa._MUSAC: the states of graphs' memory pools. The names are those of torch_musa 2.7.1 (csrc/core/Module.cpp).
//
// A graph tree goes back to the state after one graph and captures another path from there. Tensors of the path that it
// leaves lose their memory; those that were live in the state own theirs again.

#include "torch_musa/csrc/core/MUSACachingAllocator.h"
#include "torch_musa/csrc/python/Bindings.h"

#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace torch_musa {

namespace {

using c10::DeviceIndex;
using c10::StorageImpl;
using c10::musa::MempoolId_t;
using c10::musa::MUSACachingAllocator::AllocatorState;
using c10::musa::MUSACachingAllocator::CheckpointDelta;
namespace allocator = c10::musa::MUSACachingAllocator;

/// `UntypedStorage._cdata`.
StorageImpl* storage_at(size_t address) {
  return reinterpret_cast<StorageImpl*>(address);
}

/// The tensor's death frees nothing any more.
void disown(StorageImpl& storage) {
  TORCH_CHECK(
      storage.mutable_data_ptr().compare_exchange_deleter(allocator::get()->raw_deleter(), &c10::detail::deleteNothing),
      "Unexpected deleter function on storage, could not swap function");
}

void restore(
    DeviceIndex device,
    std::shared_ptr<AllocatorState> state,
    const std::vector<size_t>& stale,
    const std::vector<size_t>& owners) {
  // Asked first: after an error nothing has changed.
  const std::unordered_set<size_t> disowned(stale.begin(), stale.end());
  std::unordered_map<void*, StorageImpl*> owner_of;
  for (size_t address : owners) {
    StorageImpl* storage = storage_at(address);
    owner_of[storage->mutable_data()] = storage;
  }
  size_t left = 0;
  const std::shared_ptr<AllocatorState> now = allocator::getCheckpointState(device, state->pool);
  for (void* pointer : now->live) {
    left += 1 - state->live.count(pointer);
  }
  TORCH_CHECK(
      disowned.size() >= left, "Any stale tensors which are being manually freed must be passed to set checkpoint");

  CheckpointDelta change = allocator::setCheckpointPoolState(device, std::move(state));
  const std::unordered_set<void*> gone(change.ptrs_freed.begin(), change.ptrs_freed.end());
  for (size_t address : disowned) {
    StorageImpl& storage = *storage_at(address);
    TORCH_CHECK(gone.count(storage.mutable_data()) > 0, "A stale tensor's memory was live in the checkpoint");
    disown(storage);
  }
  for (c10::DataPtr& memory : change.dataptrs_allocd) {
    auto found = owner_of.find(memory.get());
    if (found == owner_of.end()) {
      memory.release_context(); // live, as in the state, until the next one is set
      continue;
    }
    TORCH_CHECK(
        found->second->data_ptr().get_deleter() != allocator::get()->raw_deleter(), "Not expecting deleter function");
    found->second->set_data_ptr_noswap(std::move(memory));
  }
}

} // namespace

void add_pool_states(py::module& module) {
  py::class_<AllocatorState, std::shared_ptr<AllocatorState>>(
      module, "_musa_MUSAAllocator_AllocatorState", "The live memory of a graphs' pool.");
  module.def("_musa_getCheckpointState", &allocator::getCheckpointState);
  module.def("_musa_setCheckpointPoolState", &restore);
  module.def(
      "_musa_checkPoolLiveAllocations",
      [](DeviceIndex device, MempoolId_t pool, const std::unordered_set<uintptr_t>& expected) {
        std::unordered_set<void*> addresses;
        for (uintptr_t address : expected) {
          addresses.insert(reinterpret_cast<void*>(address));
        }
        return allocator::checkPoolLiveAllocations(device, pool, addresses);
      });
  module.def("_musa_beginAllocateCurrentStreamToPool", [](DeviceIndex device, MempoolId_t pool) {
    const musaStream_t stream = c10::musa::getCurrentMUSAStream(device);
    TORCH_CHECK(stream != nullptr, "Expected stream capture to be under way");
    allocator::beginAllocateToPool(device, pool, [stream](musaStream_t asked) { return asked == stream; });
  });
  module.def("_musa_endAllocateCurrentStreamToPool", &allocator::endAllocateToPool);
  module.def("_musa_releasePool", &allocator::releasePool);
  module.def("_storage_Use_Count", [](size_t storage) {
    return c10::raw::weak_intrusive_ptr::use_count(storage_at(storage));
  });
  module.def("_has_Standard_Deleter", [](size_t storage) {
    return storage_at(storage)->data_ptr().get_deleter() == allocator::get()->raw_deleter();
  });
  module.def("_free_And_Remove_DeleterFn", [](size_t storage) {
    void* memory = storage_at(storage)->mutable_data();
    disown(*storage_at(storage));
    allocator::raw_delete(memory);
  });
  module.def("_musa_musaCachingAllocator_raw_delete", [](uintptr_t memory) {
    allocator::raw_delete(reinterpret_cast<void*>(memory));
  });
  module.def(
      "_tensors_data_ptrs_at_indices_equal",
      [](const std::vector<at::Tensor>& tensors, const std::vector<std::optional<uintptr_t>>& addresses,
         const std::vector<size_t>& indices) {
        return std::all_of(indices.begin(), indices.end(), [&](size_t index) {
          return reinterpret_cast<uintptr_t>(tensors.at(index).data_ptr()) == addresses.at(index);
        });
      });
  module.def("_set_storage_access_error_msg", [](const at::Tensor& tensor, std::string message) {
    tensor.unsafeGetTensorImpl()->release_storage_and_set_meta_custom_data_ptr_error_msg_(std::move(message));
  });
}

} // namespace torch_musa
