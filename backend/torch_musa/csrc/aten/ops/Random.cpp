// Random functions that are made of others.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randperm_native.h>
#include <ATen/ops/rrelu_with_noise_native.h>
#include <ATen/ops/where.h>

namespace at::musa {

/// The order in which random numbers of 63 bits would be sorted.
Tensor& MusaRandpermGeneratorOut(int64_t n, std::optional<Generator> generator, Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
  TORCH_CHECK(
      !generator.has_value() || !generator->defined() || generator->device() == out.device(), "Expected a '",
      out.device(), "' generator device but found '", generator->device(), "'");
  at::native::resize_output(out, {n});
  const Tensor keys = at::empty({n}, out.options().dtype(kLong)).random_(generator);
  return out.copy_(at::argsort(keys, /*stable=*/true, /*dim=*/0));
}

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
