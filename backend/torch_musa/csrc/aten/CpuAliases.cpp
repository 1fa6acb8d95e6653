#include "torch_musa/csrc/aten/CpuAliases.h"

#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGraphsC10Utils.h"
#include "torch_musa/csrc/core/MUSAGuard.h"

#include <ATen/EmptyTensor.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/contiguous.h>
#include <c10/core/CPUAllocator.h>

#include <optional>

namespace at::musa {

namespace {

/// A tensor with the geometry of `model`, over `storage`, on the device of `keys`.
at::Tensor with_geometry_of(const at::Tensor& model, c10::Storage storage, c10::DispatchKey key) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(key), model.dtype());
  c10::TensorImpl* impl = made.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(model.sizes(), model.strides(), model.storage_offset());
  if (model.unsafeGetTensorImpl()->is_wrapped_number()) {
    impl->set_wrapped_number(true);
  }
  made._set_conj(model.is_conj());
  made._set_neg(model.is_neg());
  return made;
}

bool same_geometry(const at::Tensor& left, const at::Tensor& right) {
  return left.sizes() == right.sizes() && left.strides() == right.strides() &&
      left.storage_offset() == right.storage_offset();
}

/// Take memory that a kernel allocated under a DeviceMemoryGuard out of a CPU storage with no other owner. Return
/// nothing for other memory, or memory of another device.
std::optional<c10::DataPtr> taken_from(const c10::Storage& storage, c10::Device device) {
  if (storage.data() == nullptr || c10::musa::MUSAAllocator::get().device_of(storage.data()) != device.index()) {
    return std::nullopt;
  }
  c10::DataPtr memory = storage.set_data_ptr(c10::DataPtr(nullptr, c10::Device(c10::DeviceType::CPU)));
  memory.unsafe_set_device(device);
  return memory;
}

/// Return the musa tensor for a kernel's result, in the memory that the kernel wrote to; undefined if that is not the
/// device's, or if the result has other references.
at::Tensor taken_over(const at::Tensor& result, c10::Device device) {
  const c10::Storage& storage = result.storage();
  const size_t nbytes = storage.nbytes();
  std::optional<c10::DataPtr> memory = taken_from(storage, device);
  if (!memory) {
    return at::Tensor();
  }
  c10::Storage moved(
      c10::Storage::use_byte_size_t(), nbytes, std::move(*memory), &c10::musa::MUSAAllocator::get(),
      /*resizable=*/true);
  return with_geometry_of(result, std::move(moved), c10::DispatchKey::PrivateUse1);
}

/// A musa tensor on `device` with the elements of `source`, and its memory layout where that is dense.
at::Tensor copy_to_musa(const at::Tensor& source, c10::Device device) {
  at::Tensor host = source.resolve_conj().resolve_neg();
  if (!host.is_non_overlapping_and_dense()) {
    host = host.contiguous();
  }
  c10::musa::MUSAGuard guard(device);
  at::Tensor made = at::detail::empty_strided_generic(
      host.sizes(), host.strides(), &c10::musa::MUSAAllocator::get(),
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), host.scalar_type());
  if (host.numel() > 0) {
    // Copy the memory at once: a dense tensor has no gaps, whatever its strides are.
    C10_MUSA_CHECK(musaMemcpy(
        made.mutable_data_ptr(), host.const_data_ptr(), host.nbytes(), musaMemcpyHostToDevice));
  }
  return made;
}

bool is_sparse(const at::Tensor& tensor) {
  return tensor.layout() != c10::kStrided;
}

at::SparseTensorImpl& coordinates_of(const at::Tensor& tensor) {
  return *static_cast<at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
}

at::SparseCsrTensorImpl& compressed_of(const at::Tensor& tensor) {
  return *static_cast<at::SparseCsrTensorImpl*>(tensor.unsafeGetTensorImpl());
}

/// Make `target` a sparse tensor like `source`; `part` makes its indices and values.
template <typename Part>
void assign_sparse(const at::Tensor& target, const at::Tensor& source, const Part& part) {
  if (source.layout() == c10::kSparse) {
    at::SparseTensorImpl& from = coordinates_of(source);
    at::SparseTensorImpl& to = coordinates_of(target);
    to.raw_resize_(from.sparse_dim(), from.dense_dim(), from.sizes());
    to.set_indices_and_values_unsafe(part(from.indices()), part(from.values()));
    to.set_coalesced(from.coalesced());
  } else {
    at::SparseCsrTensorImpl& from = compressed_of(source);
    compressed_of(target).set_member_tensors(
        part(from.compressed_indices()), part(from.plain_indices()), part(from.values()), from.sizes());
  }
}

/// A sparse tensor of the layout and element type of `model`, without parts yet.
at::Tensor empty_sparse(const at::Tensor& model, c10::Device device) {
  const bool cpu = device.is_cpu();
  if (model.layout() == c10::kSparse) {
    const auto key = cpu ? c10::DispatchKey::SparseCPU : c10::DispatchKey::SparsePrivateUse1;
    return at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key), model.dtype());
  }
  const c10::Layout layout = model.layout();
  TORCH_CHECK_NOT_IMPLEMENTED(
      layout == c10::kSparseCsr || layout == c10::kSparseCsc || layout == c10::kSparseBsr || layout == c10::kSparseBsc,
      "Tensors of layout ", layout, " are not supported on the simulated musa device");
  const auto key = cpu ? c10::DispatchKey::SparseCsrCPU : c10::DispatchKey::SparseCsrPrivateUse1;
  return at::detail::make_tensor<at::SparseCsrTensorImpl>(c10::DispatchKeySet(key), device, layout, model.dtype());
}

} // namespace

void wait_for_current_stream(c10::Device device) {
  // On a GPU the operator would not wait, so it must not disturb a capture in another thread.
  const c10::musa::MUSAStreamCaptureModeGuard allowed(musaStreamCaptureModeRelaxed);
  c10::musa::getCurrentMUSAStream(device.index()).synchronize();
}

c10::Storage CpuAliases::alias_storage(const c10::Storage& original) {
  auto found = storage_by_original_.find(original.unsafeGetStorageImpl());
  if (found != storage_by_original_.end()) {
    return found->second.alias;
  }
  c10::DataPtr borrowed(original.mutable_data(), c10::Device(c10::DeviceType::CPU));
  // Resizable, with the CPU allocator: a kernel that enlarges its output gets host memory, and write_back()
  // moves it to the device.
  c10::Storage alias(
      c10::Storage::use_byte_size_t(), original.nbytes(), std::move(borrowed), c10::GetCPUAllocator(),
      original.resizable());
  storage_by_original_.emplace(original.unsafeGetStorageImpl(), StoragePair{original, alias});
  storage_of_alias_.emplace(alias.unsafeGetStorageImpl(), original);
  return alias;
}

at::Tensor CpuAliases::alias(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().type() != kMUSA) {
    return tensor;
  }
  auto found = by_original_.find(tensor.unsafeGetTensorImpl());
  if (found != by_original_.end()) {
    return found->second.alias;
  }
  at::Tensor made = is_sparse(tensor)
      ? alias_sparse(tensor)
      : with_geometry_of(tensor, alias_storage(tensor.storage()), c10::DispatchKey::CPU);
  by_original_.emplace(tensor.unsafeGetTensorImpl(), Entry{tensor, made});
  original_of_alias_.emplace(made.unsafeGetTensorImpl(), tensor);
  return made;
}

at::Tensor CpuAliases::alias_sparse(const at::Tensor& tensor) {
  at::Tensor made = empty_sparse(tensor, c10::Device(c10::DeviceType::CPU));
  assign_sparse(made, tensor, [this](const at::Tensor& part) { return alias(part); });
  return made;
}

void CpuAliases::write_back_sparse(const at::Tensor& original, const at::Tensor& alias) {
  assign_sparse(original, alias, [&](const at::Tensor& part) { return unalias(part, original.device(), 0); });
}

at::Tensor CpuAliases::unalias_sparse(const at::Tensor& result, c10::Device device) {
  c10::musa::MUSAGuard guard(device);
  at::Tensor made = empty_sparse(result, device);
  assign_sparse(made, result, [&](const at::Tensor& part) { return unalias(part, device, 0); });
  return made;
}

void CpuAliases::write_back() {
  for (auto& [unused, pair] : storage_by_original_) {
    const c10::Storage& original = pair.original;
    const c10::Storage& alias = pair.alias;
    if (alias.data() == original.data()) {
      continue;
    }
    const size_t nbytes = alias.nbytes();
    if (std::optional<c10::DataPtr> memory = taken_from(alias, original.device())) {
      original.set_data_ptr_noswap(std::move(*memory));
      original.set_nbytes(nbytes);
      continue;
    }
    c10::musa::MUSAGuard guard(original.device());
    at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(original, nbytes);
    if (nbytes > 0) {
      C10_MUSA_CHECK(musaMemcpy(original.mutable_data(), alias.data(), nbytes, musaMemcpyHostToDevice));
    }
  }
  for (auto& [unused, entry] : by_original_) {
    if (is_sparse(entry.original)) {
      write_back_sparse(entry.original, entry.alias);
      continue;
    }
    if (!same_geometry(entry.original, entry.alias)) {
      entry.original.unsafeGetTensorImpl()->set_sizes_and_strides(
          entry.alias.sizes(), entry.alias.strides(), entry.alias.storage_offset());
    }
    entry.original._set_conj(entry.alias.is_conj());
    entry.original._set_neg(entry.alias.is_neg());
  }
}

at::Tensor CpuAliases::unalias(const at::Tensor& result, c10::Device device, size_t holders) {
  if (!result.defined()) {
    return result;
  }
  auto same = original_of_alias_.find(result.unsafeGetTensorImpl());
  if (same != original_of_alias_.end()) {
    return same->second;
  }
  if (is_sparse(result)) {
    return unalias_sparse(result, device);
  }
  auto shared = storage_of_alias_.find(result.storage().unsafeGetStorageImpl());
  if (shared != storage_of_alias_.end()) {
    return with_geometry_of(result, shared->second, c10::DispatchKey::PrivateUse1);
  }
  if (result.use_count() <= holders && result.storage().use_count() == 1) {
    if (at::Tensor taken = taken_over(result, device); taken.defined()) {
      return taken;
    }
  }
  return copy_to_musa(result, device);
}

} // namespace at::musa
