// What torch.amp.GradScaler asks of a device: gradients without their scale, and the next scale.

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::musa {

namespace {

__global__ void update_scale(
    float* scale, int* tracker, const float* found_inf, double growth, double backoff, int64_t interval) {
  if (*found_inf != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *tracker = 0;
    return;
  }
  const int successes = *tracker + 1;
  if (successes == interval) {
    const float larger = static_cast<float>(*scale * growth);
    if (::isfinite(larger)) {
      *scale = larger;
    }
    *tracker = 0;
  } else {
    *tracker = successes;
  }
}

} // namespace

void MusaAmpUnscale(TensorList self, Tensor& found_inf, const Tensor& inv_scale) {
  TORCH_CHECK(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  TORCH_CHECK(inv_scale.numel() == 1, "inv_scale must be a 1-element tensor.");
  float* const found = found_inf.mutable_data_ptr<float>();
  const float* const factor = inv_scale.const_data_ptr<float>();
  for (const Tensor& tensor : self) {
    TensorIterator iter = TensorIterator::unary_op(const_cast<Tensor&>(tensor), tensor);
    AT_DISPATCH_V2(
        tensor.scalar_type(), "amp_unscale_musa", AT_WRAP([&] {
          using M = at::opmath_type<scalar_t>;
          elementwise::compute(iter, [found, factor] __device__ (scalar_t stored) -> scalar_t {
            const M value = static_cast<M>(stored);
            if (!::isfinite(value)) {
              atomicExch(found, 1.0f);
            }
            const M by = static_cast<M>(*factor);
            return by == M(1) ? stored : static_cast<scalar_t>(value * by);
          });
        }),
        MUSA_FLOATING);
  }
}

Tensor& MusaAmpUpdateScale(
    Tensor& self, Tensor& growth_tracker, const Tensor& found_inf, double scale_growth_factor,
    double scale_backoff_factor, int64_t growth_interval) {
  TORCH_CHECK(growth_tracker.numel() == 1, "growth_tracker must be a 1-element tensor.");
  TORCH_CHECK(self.numel() == 1, "current_scale must be a 1-element tensor.");
  TORCH_CHECK(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  update_scale<<<1, 1, 0, c10::musa::getCurrentMUSAStream()>>>(
      self.mutable_data_ptr<float>(), growth_tracker.mutable_data_ptr<int>(), found_inf.const_data_ptr<float>(),
      scale_growth_factor, scale_backoff_factor, growth_interval);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return self;
}

} // namespace at::musa
