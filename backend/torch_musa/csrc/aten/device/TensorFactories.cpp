// Operators that create tensors or views; none of them reads or writes elements.

#include "torch_musa/csrc/aten/device/TensorFactories.h"

#include "torch_musa/csrc/aten/CpuAliases.h"
#include "torch_musa/csrc/aten/OperatorActivity.h"
#include "torch_musa/csrc/core/Allocator.h"
#include "torch_musa/csrc/core/MUSAFunctions.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/SyncDebugMode.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/TensorOptions.h>
#include <torch/library.h>

namespace at::musa {

namespace {

constexpr c10::DispatchKeySet kMusaKeys(c10::DispatchKey::PrivateUse1);

/// Makes the device of a factory function current. Throws if there is no such device.
c10::musa::MUSAGuard guard_for(std::optional<c10::Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory), "Only dense CPU tensors can be pinned");
  c10::DeviceIndex index = device ? device->index() : -1;
  return c10::musa::MUSAGuard(index);
}

void check_strided(std::optional<c10::Layout> layout) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::layout_or_default(layout) == c10::kStrided,
      "Tensors of layout ", *layout, " are not supported on the simulated musa device");
}

/// torch.use_deterministic_algorithms: unwritten memory is NaN, or the type's greatest number.
at::Tensor filled_if_deterministic(at::Tensor made) {
  const at::Context& context = at::globalContext();
  if (C10_UNLIKELY(context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory())) {
    at::native::fill_empty_deterministic_(made);
  }
  return made;
}

at::Tensor empty(
    c10::IntArrayRef size,
    std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout> layout,
    std::optional<c10::Device> device,
    std::optional<bool> pin_memory,
    std::optional<c10::MemoryFormat> memory_format) {
  check_strided(layout);
  c10::musa::MUSAGuard guard = guard_for(device, pin_memory);
  return filled_if_deterministic(at::detail::empty_generic(
      size, &c10::musa::MUSAAllocator::get(), kMusaKeys, c10::dtype_or_default(dtype), memory_format));
}

at::Tensor empty_strided(
    c10::IntArrayRef size,
    c10::IntArrayRef stride,
    std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout> layout,
    std::optional<c10::Device> device,
    std::optional<bool> pin_memory) {
  check_strided(layout);
  c10::musa::MUSAGuard guard = guard_for(device, pin_memory);
  return filled_if_deterministic(at::detail::empty_strided_generic(
      size, stride, &c10::musa::MUSAAllocator::get(), kMusaKeys, c10::dtype_or_default(dtype)));
}

/// Zeros without memory, which autograd uses for gradients known to vanish.
at::Tensor efficient_zero_tensor(
    c10::IntArrayRef size,
    std::optional<c10::ScalarType> dtype,
    std::optional<c10::Layout> layout,
    std::optional<c10::Device> device,
    std::optional<bool> pin_memory) {
  check_strided(layout);
  c10::musa::MUSAGuard guard = guard_for(device, pin_memory);
  at::native::ZeroTensorAllocator no_memory(guard.current_device());
  return at::detail::empty_generic(
      size, &no_memory, kMusaKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor),
      c10::dtype_or_default(dtype), std::nullopt);
}

const at::Tensor& resize_(
    const at::Tensor& self,
    c10::SymIntArrayRef size,
    std::optional<c10::MemoryFormat> memory_format) {
  c10::musa::MUSAGuard guard(self.device());
  return at::native::resize_(self, C10_AS_INTARRAYREF_SLOW(size), memory_format);
}

at::Tensor as_strided(
    const at::Tensor& self,
    c10::SymIntArrayRef size,
    c10::SymIntArrayRef stride,
    std::optional<c10::SymInt> offset) {
  std::optional<int64_t> start =
      offset ? std::make_optional(offset->guard_int(__FILE__, __LINE__)) : std::nullopt;
  return at::native::as_strided_tensorimpl(
      self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), start);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

at::Tensor& set_source_tensor(at::Tensor& self, const at::Tensor& source) {
  return at::native::set_tensor_(self, source);
}

at::Tensor& set_source_storage(at::Tensor& self, at::Storage source) {
  return at::native::set_(self, std::move(source));
}

at::Tensor& set_source_storage_offset(
    at::Tensor& self,
    at::Storage source,
    c10::SymInt offset,
    c10::SymIntArrayRef size,
    c10::SymIntArrayRef stride) {
  int64_t start = offset.guard_int(__FILE__, __LINE__);
  c10::IntArrayRef sizes = C10_AS_INTARRAYREF_SLOW(size);
  c10::IntArrayRef strides = C10_AS_INTARRAYREF_SLOW(stride);
  c10::musa::MUSAGuard guard(self.device());
  at::native::checkSetStorage(self, std::move(source), start, sizes, strides);
  self.unsafeGetTensorImpl()->set_storage_offset(start);
  at::native::resize_(self, sizes, std::nullopt);
  if (strides.data() != nullptr) {
    self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  }
  return self;
}

at::Tensor& set_empty(at::Tensor& self) {
  c10::musa::MUSAGuard guard(self.device());
  c10::Storage nothing(
      c10::Storage::use_byte_size_t(), 0, &c10::musa::MUSAAllocator::get(), /*resizable=*/true);
  return set_source_storage_offset(self, std::move(nothing), 0, {c10::SymInt(0)}, {});
}

c10::Scalar local_scalar_dense(const at::Tensor& self) {
  c10::musa::warn_or_error_on_sync();
  c10::musa::MUSAGuard guard(self.device());
  OperatorActivity activity("aten::_local_scalar_dense", self.device());
  c10::musa::getCurrentMUSAStream(self.device().index()).synchronize(); // as on a GPU
  CpuAliases aliases;
  const at::Tensor alias = aliases.alias(self);
  activity.begin();
  return at::_local_scalar_dense(alias);
}

/// Whether a tensor can become another one in place (`parameter.data = ...`). As for other GPUs, it can across devices:
/// module.to("musa") keeps the parameters that an optimizer already has, and works on modules that TorchScript loaded.
bool has_compatible_shallow_copy_type(const at::Tensor& self, const at::Tensor& from) {
  auto is_dense = [](const at::Tensor& tensor) {
    const bool known = tensor.device().type() == kMUSA || tensor.device().is_cpu();
    return known && tensor.layout() == c10::kStrided && tensor.key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::Dense));
  };
  return self.key_set() == from.key_set() || (is_dense(self) && is_dense(from));
}

/// Nothing to do: musaFree waits for the device, so memory is never reused while a stream still works on it.
void record_stream(at::Tensor& /*self*/, c10::Stream /*stream*/) {}

} // namespace

at::Tensor new_output(c10::IntArrayRef sizes, c10::IntArrayRef strides, const c10::TensorOptions& options) {
  if (options.device().type() != kMUSA || options.layout() != c10::kStrided) {
    return strides.empty() ? at::empty(sizes, options) : at::empty_strided(sizes, strides, options);
  }
  c10::Allocator* allocator = &c10::musa::MUSAAllocator::get();
  const c10::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  return strides.empty()
      ? at::detail::empty_generic(sizes, allocator, kMusaKeys, dtype, options.memory_format_opt())
      : at::detail::empty_strided_generic(sizes, strides, allocator, kMusaKeys, dtype);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_efficientzerotensor", efficient_zero_tensor);
  m.impl("resize_", resize_);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("set_", set_empty);
  m.impl("set_.source_Tensor", set_source_tensor);
  m.impl("set_.source_Storage", set_source_storage);
  m.impl("set_.source_Storage_storage_offset", set_source_storage_offset);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("record_stream", record_stream);
  m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type);
}

} // namespace at::musa
