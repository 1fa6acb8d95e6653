// silu of an operand's first half, times the second: _fused_swiglu_forward, its gradient, and gated_silu.
// PyTorch does not have these operators; torch_musa/core/fused.py declares them.

#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::musa {

namespace {

template <typename... Operands>
TensorIterator over(const Tensor& result, const Operands&... operands) {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).resize_outputs(false).add_owned_output(result);
  (config.add_owned_const_input(operands), ...);
  return config.build();
}

int64_t half_of(const Tensor& input) {
  TORCH_CHECK(
      input.dim() > 0 && input.size(-1) % 2 == 0, "swish_glu: the last dimension must be even, but the operand has sizes ",
      input.sizes());
  return input.size(-1) / 2;
}

Tensor swish_glu(const Tensor& input) {
  const int64_t half = half_of(input);
  DimVector sizes(input.sizes());
  sizes.back() = half;
  const Tensor result = at::empty(sizes, input.options());
  TensorIterator iter = over(result, input.narrow(-1, 0, half), input.narrow(-1, half, half));
  AT_DISPATCH_V2(
      input.scalar_type(), "swish_glu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t gate, scalar_t value) -> scalar_t {
          const M x = static_cast<M>(gate);
          return static_cast<scalar_t>(x * math::sigmoid(x) * static_cast<M>(value));
        });
      }),
      MUSA_FLOATING);
  return result;
}

Tensor swish_glu_backward(const Tensor& grad, const Tensor& input) {
  const int64_t half = half_of(input);
  const Tensor result = at::empty(input.sizes(), input.options());
  const Tensor gate = input.narrow(-1, 0, half);
  const Tensor value = input.narrow(-1, half, half);
  TensorIterator of_gate = over(result.narrow(-1, 0, half), grad, gate, value);
  TensorIterator of_value = over(result.narrow(-1, half, half), grad, gate);
  AT_DISPATCH_V2(
      input.scalar_type(), "swish_glu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(of_gate, [] MUSA_LAMBDA(scalar_t g, scalar_t gate, scalar_t value) -> scalar_t {
          const M x = static_cast<M>(gate);
          const M s = math::sigmoid(x);
          return static_cast<scalar_t>(
              static_cast<M>(g) * static_cast<M>(value) * s * (M(1) + x * (M(1) - s)));
        });
        elementwise::compute(of_value, [] MUSA_LAMBDA(scalar_t g, scalar_t gate) -> scalar_t {
          const M x = static_cast<M>(gate);
          return static_cast<scalar_t>(static_cast<M>(g) * x * math::sigmoid(x));
        });
      }),
      MUSA_FLOATING);
  return result;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_fused_swiglu_forward", swish_glu);
  m.impl("_fused_swiglu_backward", swish_glu_backward);
}

} // namespace at::musa
