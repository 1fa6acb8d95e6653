// Rotary position embedding: _fused_rope_forward and its gradient. PyTorch does not have these operators;
// torch_musa/core/fused.py declares them.

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <array>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

/// The two halves of a last dimension whose elements are rotated in pairs.
struct Halves {
  Tensor first, second;

  /// Elements that stand side by side are pairs.
  static Halves interleaved(const Tensor& tensor) {
    return {tensor.slice(-1, 0, std::nullopt, 2), tensor.slice(-1, 1, std::nullopt, 2)};
  }
  static Halves chunks(const Tensor& tensor) {
    const int64_t half = tensor.size(-1) / 2;
    return {tensor.narrow(-1, 0, half), tensor.narrow(-1, half, half)};
  }
  static Halves of(const Tensor& tensor, bool is_interleaved) {
    return is_interleaved ? interleaved(tensor) : chunks(tensor);
  }
};

template <typename... Operands>
TensorIterator over(const Tensor& result, const Operands&... operands) {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false).add_owned_output(result);
  (config.add_owned_const_input(operands), ...);
  return config.build();
}

/// The angles with a dimension for each of the operand's: of the sequence, which comes first or second, and the last.
Tensor broadcast(const Tensor& input, const Tensor& angles, bool batch_first) {
  if (angles.dim() != 2) {
    return angles;
  }
  DimVector sizes(input.dim(), 1);
  sizes[batch_first ? 1 : 0] = angles.size(0);
  sizes.back() = angles.size(1);
  return angles.reshape(sizes);
}

int64_t rotated(const Tensor& input, const Tensor& angles) {
  const int64_t width = angles.size(-1);
  TORCH_CHECK(
      input.dim() >= 3 && width % 2 == 0 && width <= input.size(-1),
      "rope: the last dimension of freq_cis must be even and at most the operand's, but the sizes are ", angles.sizes(),
      " and ", input.sizes());
  return width;
}

Tensor rope(const Tensor& input, const Tensor& freq_cis, bool interleaved, bool batch_first, bool multi_latent) {
  const int64_t width = rotated(input, freq_cis);
  const Tensor angles = broadcast(input, freq_cis, batch_first);
  const Tensor result = at::empty(input.sizes(), input.options());
  Tensor operand = input.narrow(-1, 0, width);
  if (multi_latent && interleaved) { // pairs are made twice
    const Halves pairs = Halves::interleaved(operand);
    operand = at::cat({pairs.first, pairs.second}, -1);
  }
  const Halves x = Halves::of(operand, multi_latent || interleaved);
  const Halves y = Halves::of(result.narrow(-1, 0, width), interleaved);
  const Halves angle = Halves::of(angles, interleaved);
  TensorIterator first = over(y.first, x.first, x.second, angle.first);
  TensorIterator second = over(y.second, x.second, x.first, angle.second);
  AT_DISPATCH_V2(
      input.scalar_type(), "rope_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(first, [] MUSA_LAMBDA(scalar_t own, scalar_t other, M angle) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(own) * ::cos(angle) - static_cast<M>(other) * ::sin(angle));
        });
        elementwise::compute(second, [] MUSA_LAMBDA(scalar_t own, scalar_t other, M angle) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(own) * ::cos(angle) + static_cast<M>(other) * ::sin(angle));
        });
      }),
      MUSA_FLOATING);
  if (width < input.size(-1)) {
    result.narrow(-1, width, input.size(-1) - width).copy_(input.narrow(-1, width, input.size(-1) - width));
  }
  return result;
}

Tensor rope_backward(
    const Tensor& grad, const Tensor& freq_cis, bool interleaved, bool batch_first, bool multi_latent) {
  const int64_t width = rotated(grad, freq_cis);
  const Tensor angles = broadcast(grad, freq_cis, batch_first);
  const Tensor result = at::empty(grad.sizes(), grad.options());
  const Tensor target = result.narrow(-1, 0, width);
  const bool twice = multi_latent && interleaved;
  const Tensor made = twice ? at::empty(target.sizes(), target.options()) : target;
  const Halves g = Halves::of(grad.narrow(-1, 0, width), interleaved);
  const Halves x = Halves::of(made, multi_latent || interleaved);
  const Halves angle = Halves::of(angles, interleaved);
  TensorIterator first = over(x.first, g.first, g.second, angle.first, angle.second);
  TensorIterator second = over(x.second, g.second, g.first, angle.second, angle.first);
  AT_DISPATCH_V2(
      grad.scalar_type(), "rope_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(first, [] MUSA_LAMBDA(scalar_t own, scalar_t other, M angle, M others) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(own) * ::cos(angle) + static_cast<M>(other) * ::sin(others));
        });
        elementwise::compute(second, [] MUSA_LAMBDA(scalar_t own, scalar_t other, M angle, M others) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(own) * ::cos(angle) - static_cast<M>(other) * ::sin(others));
        });
      }),
      MUSA_FLOATING);
  if (twice) {
    const Halves from = Halves::chunks(made);
    const Halves to = Halves::interleaved(target);
    to.first.copy_(from.first);
    to.second.copy_(from.second);
  }
  if (width < grad.size(-1)) {
    result.narrow(-1, width, grad.size(-1) - width).copy_(grad.narrow(-1, width, grad.size(-1) - width));
  }
  return result;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_rope_forward", rope);
  m.impl("_fused_rope_backward", rope_backward);
}

} // namespace at::musa
