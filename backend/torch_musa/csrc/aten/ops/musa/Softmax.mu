// softmax and its backward. The checks are PyTorch's.

#include <ATen/ops/_softmax_backward_data_native.h>
#include <ATen/ops/_softmax_native.h>
#include <ATen/ops/empty.h>

#include "torch_musa/csrc/aten/ops/musa/Softmax.muh"

namespace at::musa {

TORCH_IMPL_FUNC(MusaSoftmax)(const Tensor& self, int64_t dim, bool half_to_float, const Tensor& out) {
  softmax::forward<false>(self, dim, half_to_float, out);
}

TORCH_IMPL_FUNC(MusaSoftmaxBackward)
(const Tensor& gradient, const Tensor& output, int64_t dim, ScalarType, const Tensor& result) {
  softmax::backward<false>(gradient, output, dim, result);
}

} // namespace at::musa
