// torch_musa's names for RMS normalization, over PyTorch's operators. torch_musa/core/fused.py declares them.

#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/_fused_rms_norm_backward.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace at::musa {

namespace {

std::tuple<Tensor, Tensor> rms_norm(
    const Tensor& input, IntArrayRef normalized_shape, double eps, const std::optional<Tensor>& weight) {
  const auto [result, scale] = at::_fused_rms_norm(input, normalized_shape, weight, eps);
  return {result, scale.reshape(input.sizes().slice(0, input.dim() - normalized_shape.size()))};
}

std::tuple<Tensor, Tensor> rms_norm_backward(
    const Tensor& grad_out, const Tensor& invvar, const Tensor& input, IntArrayRef normalized_shape, double eps,
    const std::optional<Tensor>& weight) {
  // Without a weight the second result is empty.
  const bool has_weight = weight.has_value() && weight->defined();
  DimVector sizes(invvar.sizes());
  sizes.resize(input.dim(), 1); // as PyTorch keeps it
  auto [of_input, of_weight] = at::_fused_rms_norm_backward(
      grad_out, input, normalized_shape, invvar.reshape(sizes), weight, {true, has_weight});
  return {of_input, has_weight ? of_weight : at::empty({0}, input.options())};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_rmsnorm_forward", rms_norm);
  m.impl("_fused_rmsnorm_backward", rms_norm_backward);
}

} // namespace at::musa
