// Operators that PyTorch implements for each device, composed of other operators.

#include <ATen/NativeFunctions.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/_weight_norm_interface_backward_native.h>
#include <ATen/ops/_weight_norm_interface_native.h>
#include <ATen/ops/cat_native.h>
#include <ATen/ops/count_nonzero_native.h>
#include <ATen/ops/equal_native.h>
#include <ATen/ops/narrow_copy_native.h>
#include <ATen/ops/trace_native.h>

#include <ATen/native/Resize.h>

namespace at::musa {

namespace {

/// All dimensions but one.
DimVector others(const Tensor& tensor, int64_t dim) {
  DimVector dims;
  for (int64_t k = 0; k < tensor.dim(); ++k) {
    if (k != at::maybe_wrap_dim(dim, tensor.dim())) {
      dims.push_back(k);
    }
  }
  return dims;
}

} // namespace

TORCH_IMPL_FUNC(MusaCatOut)(
    const ITensorListRef& tensors, int64_t dim, int64_t valid, bool all_contiguous, bool all_same_dtype,
    bool all_same_sizes_and_stride, MemoryFormat memory_format, const Tensor& result) {
  if (result.numel() == 0) {
    return;
  }
  int64_t first = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 1 && tensor.numel() == 0) {
      continue; // PyTorch lets an empty one be among others of any shape
    }
    const int64_t length = tensor.size(dim);
    result.narrow(dim, first, length).copy_(tensor);
    first += length;
  }
}

bool MusaEqual(const Tensor& self, const Tensor& other) {
  if (self.sizes() != other.sizes()) {
    return false;
  }
  return self.numel() == 0 || self.eq(other).all().item<bool>();
}

Tensor MusaCountNonzero(const Tensor& self, IntArrayRef dims) {
  return self.ne(0).sum(dims);
}

Tensor MusaTrace(const Tensor& self) {
  TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got tensor with dim ", self.dim());
  return self.diagonal().sum();
}

Tensor& MusaNarrowCopyOut(const Tensor& self, int64_t dim, int64_t start, int64_t length, Tensor& out) {
  const Tensor part = self.narrow(dim, start, length);
  at::native::resize_output(out, part.sizes());
  return out.copy_(part);
}

/// The norms are of the type that arithmetic is done in.
std::tuple<Tensor, Tensor> MusaWeightNorm(const Tensor& v, const Tensor& g, int64_t dim) {
  const ScalarType type = at::toOpMathType(v.scalar_type());
  const Tensor norms = at::linalg_vector_norm(v, 2, others(v, dim), /*keepdim=*/true, type);
  return {(v.to(type) * (g.to(type) / norms)).to(v.scalar_type()), norms};
}

std::tuple<Tensor, Tensor> MusaWeightNormBackward(
    const Tensor& grad_w, const Tensor& saved_v, const Tensor& saved_g, const Tensor& saved_norms, int64_t dim) {
  const ScalarType type = saved_norms.scalar_type();
  const Tensor v = saved_v.to(type);
  const Tensor gradient = grad_w.to(type);
  const Tensor along = (gradient * v).sum(others(v, dim), /*keepdim=*/true) / saved_norms;
  const Tensor of_v = saved_g.to(type) / saved_norms * (gradient - v * (along / saved_norms));
  return {of_v.to(saved_v.scalar_type()), along.to(saved_g.scalar_type())};
}

} // namespace at::musa
