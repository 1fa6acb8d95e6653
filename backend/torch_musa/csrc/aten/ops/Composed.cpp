// Operators that PyTorch writes for each device, and that others can be put together to.

#include <ATen/NativeFunctions.h>
#include <ATen/ops/cat_native.h>
#include <ATen/ops/count_nonzero_native.h>
#include <ATen/ops/equal_native.h>
#include <ATen/ops/narrow_copy_native.h>
#include <ATen/ops/trace_native.h>

#include <ATen/native/Resize.h>

namespace at::musa {

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
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), "Expected all tensors to have one type, but found ",
      self.scalar_type(), " and ", other.scalar_type());
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

} // namespace at::musa
