#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include <unordered_map>

namespace at::musa {

/// Waits until the work already given to the current stream of `device` is done. To be called before host code
/// looks at device memory.
void wait_for_current_stream(c10::Device device);

/// CPU tensors over the memory of musa tensors.
///
/// The simulator's device memory is ordinary host memory, so a CPU kernel can work on it in place: no operand
/// is copied. The aliases have the geometry of their originals (sizes, strides, offset, conjugate and negative
/// bits) and share storages and identity exactly as the originals do, so that CPU kernels see the same overlaps.
/// They are valid for as long as this object and the originals live. The alias of a sparse tensor has aliases of its
/// indices and values.
class CpuAliases {
 public:
  /// The alias of a musa tensor; any other tensor, and an undefined one, is returned as it is.
  at::Tensor alias(const at::Tensor& tensor);

  /// Gives the originals what a kernel did to their aliases besides writing elements: new sizes and strides, another
  /// conjugate bit, and memory that was allocated anew to hold more elements (`out=` of the wrong size).
  void write_back();

  /// The musa tensor for a kernel's result: the original, if the result is one of the aliases; a view of the
  /// original, if the result shares an alias's memory; its own memory, if that is the device's (DeviceMemoryGuard) and
  /// only `holders` references keep it; otherwise a copy on `device`.
  at::Tensor unalias(const at::Tensor& result, c10::Device device, size_t holders = 1);

 private:
  at::Tensor alias_sparse(const at::Tensor& tensor);
  void write_back_sparse(const at::Tensor& original, const at::Tensor& alias);
  at::Tensor unalias_sparse(const at::Tensor& result, c10::Device device);

  struct Entry {
    at::Tensor original;
    at::Tensor alias;
  };
  struct StoragePair {
    c10::Storage original;
    c10::Storage alias;
  };

  c10::Storage alias_storage(const c10::Storage& original);

  std::unordered_map<c10::TensorImpl*, Entry> by_original_;
  std::unordered_map<c10::TensorImpl*, at::Tensor> original_of_alias_;
  std::unordered_map<c10::StorageImpl*, StoragePair> storage_by_original_;
  std::unordered_map<c10::StorageImpl*, c10::Storage> storage_of_alias_;
};

} // namespace at::musa
