// Unpooling: each element moves to the position that the pooling found; all others are 0.

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/max_unpool2d_native.h>
#include <ATen/ops/max_unpool3d_native.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

namespace at::musa {

namespace {

/// The sizes of the result, after PyTorch's checks.
std::vector<int64_t> unpooled_sizes(const Tensor& self, const Tensor& indices, IntArrayRef output_size, int64_t dims) {
  TORCH_CHECK(
      indices.scalar_type() == kLong, "elements in indices should be type int64 but got: ", indices.scalar_type());
  TORCH_CHECK(
      static_cast<int64_t>(output_size.size()) == dims, "There should be exactly ", dims,
      " elements in output_size, but got ", output_size.size(), " elements.");
  TORCH_CHECK(
      self.dim() == dims + 1 || self.dim() == dims + 2, "Input to max_unpooling", dims, "d should be a ", dims + 1,
      "d or ", dims + 2, "d Tensor, but got a tensor with dim ", self.dim());
  TORCH_CHECK(
      self.sizes() == indices.sizes(), "Expected shape of indices to be same as that of the input tensor (",
      self.sizes(), ") but got indices tensor with shape: ", indices.sizes());
  for (int64_t dim = 1; dim < self.dim(); ++dim) {
    TORCH_CHECK(
        self.size(dim) > 0, "max_unpooling", dims, "d(): Expected input to have non-zero size for non-batch "
        "dimensions, but got ", self.sizes(), " with dimension ", dim, " being empty.");
  }
  std::vector<int64_t> sizes = self.sizes().vec();
  std::copy(output_size.begin(), output_size.end(), sizes.end() - dims);
  return sizes;
}

Tensor unpooled(const Tensor& self, const Tensor& indices, IntArrayRef output_size, int64_t dims) {
  at::globalContext().alertNotDeterministic("max_unpooling_musa");
  const Tensor result = at::zeros(unpooled_sizes(self, indices, output_size, dims), self.options());
  if (self.numel() != 0) {
    const int64_t first = self.dim() - dims;
    result.flatten(first).scatter_(-1, indices.contiguous().flatten(first), self.contiguous().flatten(first));
  }
  return result;
}

void require_three(IntArrayRef stride, IntArrayRef padding) {
  TORCH_CHECK(
      stride.size() == 3, "There should be exactly three elements (depth, height, width) in stride, but got: ",
      stride.size(), " elements.");
  TORCH_CHECK(
      padding.size() == 3, "There should be exactly three elements (depth, height, width) in padding, but got: ",
      padding.size(), " elements.");
  TORCH_CHECK(
      stride[0] > 0 && stride[1] > 0 && stride[2] > 0, "strides should be greater than zero, but got stride: ", stride);
}

Tensor& give(const Tensor& result, Tensor& out) {
  out.resize_(result.sizes());
  return out.copy_(result);
}

} // namespace

Tensor MusaMaxUnpool2d(const Tensor& self, const Tensor& indices, IntArrayRef output_size) {
  return unpooled(self, indices, output_size, 2);
}

Tensor& MusaMaxUnpool2dOut(const Tensor& self, const Tensor& indices, IntArrayRef output_size, Tensor& out) {
  return give(unpooled(self, indices, output_size, 2), out);
}

Tensor MusaMaxUnpool3d(
    const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding) {
  require_three(stride, padding);
  return unpooled(self, indices, output_size, 3);
}

Tensor& MusaMaxUnpool3dOut(
    const Tensor& self, const Tensor& indices, IntArrayRef output_size, IntArrayRef stride, IntArrayRef padding,
    Tensor& out) {
  return give(MusaMaxUnpool3d(self, indices, output_size, stride, padding), out);
}

} // namespace at::musa
