// Activations and losses that PyTorch writes for each device: log_sigmoid, the gradient of glu, binary_cross_entropy.

#include <ATen/core/Reduction.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/binary_cross_entropy_backward_native.h>
#include <ATen/ops/binary_cross_entropy_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/glu_backward_native.h>
#include <ATen/ops/log_sigmoid_backward_native.h>
#include <ATen/ops/log_sigmoid_forward_native.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <c10/util/MaybeOwned.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::musa {

namespace {

/// The iteration over a result and operands that are broadcast.
template <typename... Operands>
TensorIterator over(const Tensor& result, const Operands&... operands) {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).resize_outputs(false);
  config.add_output(result);
  (config.add_const_input(operands), ...);
  return config.build();
}

} // namespace

std::tuple<Tensor&, Tensor&> MusaLogSigmoidForwardOut(const Tensor& self, Tensor& output, Tensor& buffer) {
  at::native::resize_output(output, self.sizes());
  TensorIterator iter = over(output, self);
  AT_DISPATCH_V2(
      self.scalar_type(), "log_sigmoid_forward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t value) -> scalar_t {
          const M x = static_cast<M>(value);
          return static_cast<scalar_t>((x < 0 ? x : M(0)) - ::log1p(::exp(-::fabs(x))));
        });
      }),
      MUSA_FLOATING);
  return std::forward_as_tuple(output, buffer);
}

std::tuple<Tensor, Tensor> MusaLogSigmoidForward(const Tensor& self) {
  Tensor output = at::empty_like(self);
  Tensor buffer = at::empty({0}, self.options()); // only the CPU keeps something for the gradient
  MusaLogSigmoidForwardOut(self, output, buffer);
  return {std::move(output), std::move(buffer)};
}

Tensor& MusaLogSigmoidBackwardOut(const Tensor& gradient, const Tensor& self, const Tensor&, Tensor& result) {
  at::native::resize_output(result, self.sizes());
  TensorIterator iter = over(result, gradient, self);
  AT_DISPATCH_V2(
      self.scalar_type(), "log_sigmoid_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t g, scalar_t x) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(g) * math::sigmoid(-static_cast<M>(x)));
        });
      }),
      MUSA_FLOATING);
  return result;
}

Tensor MusaLogSigmoidBackward(const Tensor& gradient, const Tensor& self, const Tensor& buffer) {
  Tensor result = at::empty_like(self);
  return MusaLogSigmoidBackwardOut(gradient, self, buffer, result);
}

Tensor& MusaGluBackwardOut(const Tensor& gradient, const Tensor& self, int64_t dim, Tensor& result) {
  TORCH_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t along = at::maybe_wrap_dim(dim, self.dim());
  const int64_t size = self.size(along);
  TORCH_CHECK(
      size % 2 == 0, "Halving dimension must be even, but dimension ", along, " is size ", size);
  at::native::resize_output(result, self.sizes());
  const Tensor operand = self.narrow(along, 0, size / 2);
  const Tensor gate = self.narrow(along, size / 2, size / 2);
  TensorIterator of_operand = over(result.narrow(along, 0, size / 2), gradient, gate);
  TensorIterator of_gate = over(result.narrow(along, size / 2, size / 2), gradient, operand, gate);
  AT_DISPATCH_V2(
      self.scalar_type(), "glu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(of_operand, [] MUSA_LAMBDA(scalar_t g, scalar_t b) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(g) * math::sigmoid(static_cast<M>(b)));
        });
        elementwise::compute(of_gate, [] MUSA_LAMBDA(scalar_t g, scalar_t a, scalar_t b) -> scalar_t {
          const M s = math::sigmoid(static_cast<M>(b));
          return static_cast<scalar_t>(static_cast<M>(g) * static_cast<M>(a) * s * (M(1) - s));
        });
      }),
      MUSA_FLOATING);
  return result;
}

Tensor MusaGluBackward(const Tensor& gradient, const Tensor& self, int64_t dim) {
  Tensor result = at::empty_like(self, at::MemoryFormat::Contiguous);
  return MusaGluBackwardOut(gradient, self, dim, result);
}

Tensor& MusaBinaryCrossEntropyOut(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, Tensor& result) {
  const bool each = reduction == at::Reduction::None;
  Tensor loss = each ? result : at::empty_like(self);
  if (each) {
    at::native::resize_output(loss, self.sizes());
  }
  TensorIterator iter = over(loss, self, target);
  AT_DISPATCH_V2(
      self.scalar_type(), "binary_cross_entropy_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t value, scalar_t wanted) -> scalar_t {
          const M x = static_cast<M>(value);
          const M t = static_cast<M>(wanted);
          const M least = -100; // a logarithm of zero would make the mean infinite
          const M yes = ::log(x);
          const M no = ::log1p(-x);
          return static_cast<scalar_t>((t - M(1)) * (no > least ? no : least) - t * (yes > least ? yes : least));
        });
      }),
      MUSA_FLOATING);
  if (weight.has_value() && weight->defined()) {
    loss.mul_(*weight);
  }
  if (!each) {
    const Tensor number = reduction == at::Reduction::Mean ? loss.mean() : loss.sum();
    at::native::resize_output(result, {});
    result.copy_(number);
  }
  return result;
}

Tensor MusaBinaryCrossEntropy(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction) {
  Tensor result = reduction == at::Reduction::None ? at::empty_like(self) : at::empty({}, self.options());
  return MusaBinaryCrossEntropyOut(self, target, weight, reduction, result);
}

Tensor& MusaBinaryCrossEntropyBackwardOut(
    const Tensor& gradient, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, Tensor& result) {
  at::native::resize_output(result, self.sizes());
  TensorIterator iter = over(result, gradient, self, target);
  AT_DISPATCH_V2(
      self.scalar_type(), "binary_cross_entropy_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M count = reduction == at::Reduction::Mean ? static_cast<M>(self.numel()) : M(1);
        elementwise::compute(iter, [count] MUSA_LAMBDA(scalar_t g, scalar_t value, scalar_t wanted) -> scalar_t {
          const M x = static_cast<M>(value);
          const M spread = (M(1) - x) * x;
          const M least = 1e-12;
          return static_cast<scalar_t>(
              static_cast<M>(g) * (x - static_cast<M>(wanted)) / (spread > least ? spread : least) / count);
        });
      }),
      MUSA_FLOATING);
  if (weight.has_value() && weight->defined()) {
    result.mul_(*weight);
  }
  return result;
}

Tensor MusaBinaryCrossEntropyBackward(
    const Tensor& gradient, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction) {
  Tensor result = at::empty_like(self);
  return MusaBinaryCrossEntropyBackwardOut(gradient, self, target, weight, reduction, result);
}

} // namespace at::musa
