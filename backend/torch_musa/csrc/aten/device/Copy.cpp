// Copies between host and device, within a device and between devices.

#include "torch_musa/csrc/aten/CpuAliases.h"
#include "torch_musa/csrc/aten/OperatorActivity.h"
#include "torch_musa/csrc/aten/Recording.h"
#include "torch_musa/csrc/core/MUSAGuard.h"
#include "torch_musa/csrc/core/MUSAStream.h"
#include "torch_musa/csrc/core/PinnedMemoryAllocator.h"
#include "torch_musa/csrc/core/SyncDebugMode.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <torch/library.h>

#include <memory>

namespace at::musa {

namespace {

bool on_musa(const at::Tensor& tensor) {
  return tensor.device().type() == kMUSA;
}

/// True if copying the bytes in one piece copies the tensor.
bool is_one_piece(const at::Tensor& source, const at::Tensor& target) {
  return source.scalar_type() == target.scalar_type() && source.sizes() == target.sizes() &&
      source.strides() == target.strides() && source.is_non_overlapping_and_dense() &&
      source.is_conj() == target.is_conj() && source.is_neg() == target.is_neg();
}

/// Copies bytes in the order of the current stream; without `non_blocking`, or where the host's memory is not
/// page-locked, also waits for the copy.
void copy_bytes(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  const bool from_device = on_musa(source);
  const bool to_device = on_musa(target);
  const musaMemcpyKind kind = !from_device ? musaMemcpyHostToDevice
      : to_device                          ? musaMemcpyDeviceToDevice
                                           : musaMemcpyDeviceToHost;
  c10::musa::MUSAGuard guard(from_device ? source.device() : target.device());
  c10::musa::MUSAStream stream = c10::musa::getCurrentMUSAStream();
  C10_MUSA_CHECK(musaMemcpyAsync(
      target.mutable_data_ptr(), source.const_data_ptr(), source.nbytes(), kind, stream));
  if (kind == musaMemcpyDeviceToDevice) {
    return; // the stream's order is enough; musaFree waits, so the memory stays
  }
  const at::Tensor& host = from_device ? target : source;
  if (!non_blocking || !is_pinned(host.const_data_ptr())) {
    c10::musa::warn_or_error_on_sync();
    stream.synchronize();
  }
}

void copy_between_devices(const at::Tensor& source, const at::Tensor& target) {
  wait_for_current_stream(source.device());
  wait_for_current_stream(target.device());
  C10_MUSA_CHECK(musaMemcpyPeer(
      target.mutable_data_ptr(), target.device().index(), source.const_data_ptr(), source.device().index(),
      source.nbytes()));
}

void record_copy(const at::Tensor& source, const at::Tensor& target) {
  auto aliases = std::make_shared<CpuAliases>();
  const at::Tensor to = aliases->alias(frozen(target));
  const at::Tensor from = aliases->alias(frozen(source));
  record_job(target.device(), "aten::_copy_from", [aliases, to, from] {
    const at::NoGradGuard no_grad;
    to.copy_(from);
  });
}

/// Conversion, broadcasting, other strides: PyTorch's CPU copy, on device memory itself.
void copy_elements(const at::Tensor& source, const at::Tensor& target) {
  const c10::Device device = on_musa(target) ? target.device() : source.device();
  c10::musa::MUSAGuard guard(device);
  if (source.device() == target.device() && is_captured(device)) {
    record_copy(source, target);
    return;
  }
  OperatorActivity activity("aten::_copy_from", device);
  for (const at::Tensor& tensor : {source, target}) {
    if (on_musa(tensor)) {
      wait_for_current_stream(tensor.device());
    }
  }
  CpuAliases aliases;
  const at::Tensor to = aliases.alias(target);
  const at::Tensor from = aliases.alias(source);
  activity.begin();
  to.copy_(from);
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  if (target.numel() == 0 || target.is_same(source)) {
    return target;
  }
  if (!is_one_piece(source, target)) {
    copy_elements(source, target);
  } else if (on_musa(source) && on_musa(target) && source.device() != target.device()) {
    copy_between_devices(source, target);
  } else {
    copy_bytes(source, target, non_blocking);
  }
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  target.resize_(source.sizes());
  return copy_from(source, target, /*non_blocking=*/false);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
}

// These copies understand the conjugate and negative bits. PyTorch's remedy for operators that do not is to copy
// the operand first, which would call them again, for ever.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

} // namespace at::musa
