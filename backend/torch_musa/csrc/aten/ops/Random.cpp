// Random functions that are composed of others.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rrelu_with_noise_native.h>
#include <ATen/ops/where.h>

namespace at::musa {

Tensor& MusaRreluWithNoiseOut(
    const Tensor& self, Tensor& noise, const Scalar& lower, const Scalar& upper, bool training,
    std::optional<Generator> generator, Tensor& out) {
  at::native::resize_output(out, self.sizes());
  if (!training) {
    return out.copy_(at::leaky_relu(self, (lower.toDouble() + upper.toDouble()) / 2));
  }
  const Tensor slopes = at::empty_like(self).uniform_(lower.toDouble(), upper.toDouble(), generator);
  noise.resize_as_(self).copy_(at::where(self <= 0, slopes, at::ones_like(self)));
  return out.copy_(self * noise);
}

Tensor MusaRreluWithNoise(
    const Tensor& self, Tensor& noise, const Scalar& lower, const Scalar& upper, bool training,
    std::optional<Generator> generator) {
  Tensor out = at::empty_like(self);
  return MusaRreluWithNoiseOut(self, noise, lower, upper, training, generator, out);
}

Tensor& MusaRreluWithNoise_(
    Tensor& self, Tensor& noise, const Scalar& lower, const Scalar& upper, bool training,
    std::optional<Generator> generator) {
  return MusaRreluWithNoiseOut(self, noise, lower, upper, training, generator, self);
}

} // namespace at::musa
