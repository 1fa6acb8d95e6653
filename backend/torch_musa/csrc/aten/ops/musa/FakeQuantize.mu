// Fake quantization: round numbers as a quantized type would, but keep their type.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/quantized/FakeQuantAffine.h>
#include <ATen/ops/_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.h>
#include <ATen/ops/_fused_moving_avg_obs_fq_helper_native.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask.h>
#include <ATen/ops/ones_like.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <limits>
#include <tuple>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::native {

namespace {

using at::musa::elementwise::kThreads;

/// The quantized number before it is cut to its range. A float holds it, as it may be outside of every integer type.
__device__ inline float quantized(float value, float inverse_scale, float zero_point) {
  return ::nearbyintf(value * inverse_scale) + zero_point;
}

__device__ inline bool is_within(float number, float least, float most) {
  return number >= least && number <= most;
}

__device__ inline float cut(float number, float least, float most) {
  return ::fminf(::fmaxf(number, least), most);
}

/// Runs `f(i)` for all elements.
template <typename F>
__global__ void for_each(int64_t count, F f) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    f(i);
  }
}

template <typename F>
void launch(int64_t count, const F& f) {
  if (count != 0) {
    for_each<<<(count + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(count, f);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
}

/// Lets `f` write a contiguous tensor that becomes `result`.
template <typename F>
void write(const Tensor& result, const F& f) {
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, MemoryFormat::Contiguous);
  f(made);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

/// `scale(i)`, `zero_point(i)` and `is_enabled()` are of element i, on the device.
template <typename S, typename Z, typename E>
void round_and_mask(
    const Tensor& output, const Tensor& mask, const Tensor& input, const S& scale, const Z& zero_point,
    const E& is_enabled, int64_t quant_min, int64_t quant_max) {
  const Tensor values = input.contiguous();
  const float least = static_cast<float>(quant_min), most = static_cast<float>(quant_max);
  write(output, [&](const Tensor& rounded) {
    write(mask, [&](const Tensor& marked) {
      AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "fake_quantize_musa", [&] {
        const scalar_t* const from = values.const_data_ptr<scalar_t>();
        scalar_t* const to = rounded.mutable_data_ptr<scalar_t>();
        bool* const inside = marked.mutable_data_ptr<bool>();
        launch(input.numel(), [=] __device__(int64_t i) {
          const float value = static_cast<float>(from[i]);
          const float zero = zero_point(i);
          const float number = quantized(value, 1.0f / scale(i), zero);
          inside[i] = !is_enabled() || is_within(number, least, most);
          to[i] = is_enabled() ? static_cast<scalar_t>((cut(number, least, most) - zero) * scale(i)) : from[i];
        });
      });
    });
  });
}

void cachemask_musa(
    Tensor& output, Tensor& mask, const Tensor& input, float scale, int64_t zero_point, int64_t quant_min,
    int64_t quant_max) {
  const float zero = static_cast<float>(zero_point);
  round_and_mask(
      output, mask, input, [=] __device__(int64_t) { return scale; }, [=] __device__(int64_t) { return zero; },
      [] __device__() { return true; }, quant_min, quant_max);
}

void cachemask_by_tensors_musa(
    Tensor& output, Tensor& mask, const Tensor& input, const Tensor& scale, const Tensor& zero_point,
    const Tensor& enabled, int64_t quant_min, int64_t quant_max) {
  const Tensor scales = scale.to(kFloat), zeros = zero_point.to(kFloat), switches = enabled.to(kLong);
  const float* const s = scales.const_data_ptr<float>();
  const float* const z = zeros.const_data_ptr<float>();
  const int64_t* const on = switches.const_data_ptr<int64_t>();
  round_and_mask(
      output, mask, input, [=] __device__(int64_t) { return *s; }, [=] __device__(int64_t) { return *z; },
      [=] __device__() { return *on != 0; }, quant_min, quant_max);
}

/// The parameters of each element, in float32. Those of a channel have size 1 in all other dimensions.
Tensor expanded(const Tensor& parameters, IntArrayRef sizes) {
  return parameters.to(kFloat).expand(sizes).contiguous();
}

/// The operands: result, input, scale, zero point.
void per_channel_cachemask_musa(TensorIterator& iter, TensorIterator& mask, int64_t quant_min, int64_t quant_max) {
  const IntArrayRef sizes = iter.tensor(1).sizes();
  const Tensor scales = expanded(iter.tensor(2), sizes), zeros = expanded(iter.tensor(3), sizes);
  const float* const s = scales.const_data_ptr<float>();
  const float* const z = zeros.const_data_ptr<float>();
  round_and_mask(
      iter.tensor(0), mask.tensor(0), iter.tensor(1), [=] __device__(int64_t i) { return s[i]; },
      [=] __device__(int64_t i) { return z[i]; }, [] __device__() { return true; }, quant_min, quant_max);
}

/// Writes the gradients of input, scale and zero point, element by element.
template <typename S, typename Z>
void learnable_gradients(
    TensorIterator& iter, const S& scale, const Z& zero_point, int64_t quant_min, int64_t quant_max,
    float grad_factor) {
  const Tensor inputs = iter.tensor(3).contiguous(), gradients = iter.tensor(4).contiguous();
  const float least = static_cast<float>(quant_min), most = static_cast<float>(quant_max);
  write(iter.tensor(0), [&](const Tensor& of_input) {
    write(iter.tensor(1), [&](const Tensor& of_scale) {
      write(iter.tensor(2), [&](const Tensor& of_zero_point) {
        AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, inputs.scalar_type(), "fake_quantize_backward_musa", [&] {
          const scalar_t* const x = inputs.const_data_ptr<scalar_t>();
          const scalar_t* const dy = gradients.const_data_ptr<scalar_t>();
          scalar_t* const dx = of_input.mutable_data_ptr<scalar_t>();
          scalar_t* const ds = of_scale.mutable_data_ptr<scalar_t>();
          scalar_t* const dz = of_zero_point.mutable_data_ptr<scalar_t>();
          launch(inputs.numel(), [=] __device__(int64_t i) {
            const float value = static_cast<float>(x[i]), gradient = static_cast<float>(dy[i]);
            const float s = scale(i), zero = zero_point(i), inverse = 1.0f / s;
            const float number = quantized(value, inverse, zero);
            const float kept = cut(number, least, most);
            const bool inside = is_within(number, least, most);
            const float by_scale = inside ? ((kept - zero) * s - value) * inverse : kept - zero;
            dx[i] = static_cast<scalar_t>(inside ? gradient : 0.0f);
            ds[i] = static_cast<scalar_t>(gradient * by_scale * grad_factor);
            dz[i] = static_cast<scalar_t>(inside ? 0.0f : gradient * -s * grad_factor);
          });
        });
      });
    });
  });
}

void learnable_tensor_musa(
    TensorIterator& iter, float scale, float /*inverse_scale*/, int64_t zero_point, int64_t quant_min,
    int64_t quant_max, float grad_factor) {
  const float zero = static_cast<float>(zero_point);
  learnable_gradients(
      iter, [=] __device__(int64_t) { return scale; }, [=] __device__(int64_t) { return zero; }, quant_min, quant_max,
      grad_factor);
}

void learnable_channel_musa(TensorIterator& iter, int64_t quant_min, int64_t quant_max, float grad_factor) {
  const IntArrayRef sizes = iter.tensor(3).sizes();
  const Tensor scales = expanded(iter.tensor(5), sizes), zeros = expanded(iter.tensor(6), sizes);
  const float* const s = scales.const_data_ptr<float>();
  const float* const z = zeros.const_data_ptr<float>();
  learnable_gradients(
      iter, [=] __device__(int64_t i) { return s[i]; }, [=] __device__(int64_t i) { return z[i]; }, quant_min,
      quant_max, grad_factor);
}

struct Parameters {
  float scale;
  int64_t zero_point;
};

/// The parameters for numbers between two; 0 is always one of the quantized numbers. `is_symmetric` gives both signs the
/// same room. What there is to do, and that it is done in double precision, is known from PyTorch's CUDA kernel.
__device__ inline Parameters parameters_for(
    double least, double most, int64_t quant_min, int64_t quant_max, bool is_symmetric) {
  const double low = static_cast<double>(quant_min), high = static_cast<double>(quant_max);
  if (is_symmetric && least < 0 && most > 0) {
    const int64_t half = (quant_max - quant_min) / 2;
    const double step = ::fmax(::fabs(least / static_cast<double>(half + 1)), ::fabs(most / static_cast<double>(half)));
    least = -step * static_cast<double>(half + 1);
    most = step * static_cast<double>(half);
  }
  least = ::fmin(least, 0.0);
  most = ::fmax(most, 0.0);
  double scale = (most - least) / (high - low);
  if (static_cast<float>(scale) == 0.0f || ::isinf(1.0f / static_cast<float>(scale))) {
    scale = 0.1;
  }
  // of the two candidates the one whose parts are smaller, since it is rounded less
  const double by_least = low - least / scale, by_most = high - most / scale;
  const bool is_by_least = ::fabs(low) + ::fabs(least / scale) < ::fabs(high) + ::fabs(most / scale);
  double zero_point = is_by_least ? by_least : by_most;
  if (is_symmetric && least < 0 && most > 0) {
    zero_point = static_cast<double>((quant_min + quant_max) / 2);
  }
  return {static_cast<float>(scale), static_cast<int64_t>(::nearbyint(::fmin(::fmax(zero_point, low), high)))};
}

/// A moving average; the first number is taken as it is.
__device__ inline float moved(float before, float now, float factor) {
  return ::isinf(before) ? now : before + factor * (now - before);
}

/// A tensor that `f` changes; it is written back if it had to be copied.
template <typename F>
void change(Tensor& changed, ScalarType type, const F& f) {
  const Tensor plain = changed.to(type).contiguous();
  f(plain);
  if (!plain.is_same(changed)) {
    changed.copy_(plain);
  }
}

/// Lets the observer see the extremes of each row where it is switched on, and chooses the parameters by what it has seen
/// where they will be used.
void observe(
    const Tensor& rows, const Tensor& observer_on, const Tensor& fake_quant_on, Tensor& running_min, Tensor& running_max, Tensor& scale,
    Tensor& zero_point, float factor, int64_t quant_min, int64_t quant_max, bool is_symmetric) {
  const auto extremes = at::aminmax(rows, /*dim=*/1);
  const Tensor lows = std::get<0>(extremes).to(kFloat).contiguous();
  const Tensor highs = std::get<1>(extremes).to(kFloat).contiguous();
  const Tensor observer = observer_on.to(kLong), quantizer = fake_quant_on.to(kLong);
  change(running_min, kFloat, [&](const Tensor& least) {
    change(running_max, kFloat, [&](const Tensor& most) {
      change(scale, kFloat, [&](const Tensor& scales) {
        change(zero_point, kLong, [&](const Tensor& zero_points) {
          const int64_t* const observes = observer.const_data_ptr<int64_t>();
          const int64_t* const quantizes = quantizer.const_data_ptr<int64_t>();
          const float* const low = lows.const_data_ptr<float>();
          const float* const high = highs.const_data_ptr<float>();
          float* const kept_low = least.mutable_data_ptr<float>();
          float* const kept_high = most.mutable_data_ptr<float>();
          float* const s = scales.mutable_data_ptr<float>();
          int64_t* const z = zero_points.mutable_data_ptr<int64_t>();
          launch(lows.numel(), [=] __device__(int64_t i) {
            if (*observes != 0) {
              kept_low[i] = moved(kept_low[i], low[i], factor);
              kept_high[i] = moved(kept_high[i], high[i], factor);
            }
            if (*quantizes != 0) {
              const Parameters chosen = parameters_for(kept_low[i], kept_high[i], quant_min, quant_max, is_symmetric);
              s[i] = chosen.scale;
              z[i] = chosen.zero_point;
            }
          });
        });
      });
    });
  });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_tensor_cachemask_stub, &cachemask_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_tensor_cachemask_tensor_qparams_stub, &cachemask_by_tensors_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_per_channel_cachemask_stub, &per_channel_cachemask_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_grad_learnable_tensor_stub, &learnable_tensor_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_grad_learnable_channel_stub, &learnable_channel_musa)

} // namespace at::native

namespace at::musa {

std::tuple<Tensor, Tensor> fused_moving_avg_obs_fake_quant(
    const Tensor& self, const Tensor& observer_on, const Tensor& fake_quant_on, Tensor& running_min,
    Tensor& running_max, Tensor& scale, Tensor& zero_point, double averaging_const, int64_t quant_min,
    int64_t quant_max, int64_t ch_axis, bool per_row_fake_quant, bool symmetric_quant) {
  TORCH_CHECK(
      !per_row_fake_quant || ch_axis < self.dim(), "fused_moving_avg_obs_fake_quant: ch_axis is ", ch_axis,
      ", and the tensor has ", self.dim(), " dimensions");
  const Tensor rows = per_row_fake_quant ? self.movedim(ch_axis, 0).flatten(1) : self.reshape({1, -1});
  if (per_row_fake_quant && running_min.numel() == 0) {
    const int64_t channels = rows.size(0);
    running_min.resize_({channels}).fill_(std::numeric_limits<float>::infinity());
    running_max.resize_({channels}).fill_(-std::numeric_limits<float>::infinity());
    scale.resize_({channels}).fill_(1);
    zero_point.resize_({channels}).fill_(0);
  }
  at::native::observe(
      rows, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, static_cast<float>(averaging_const), quant_min,
      quant_max, symmetric_quant);
  if (!per_row_fake_quant) {
    return at::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
        self, scale, zero_point, fake_quant_on, quant_min, quant_max);
  }
  if (fake_quant_on.item<int64_t>() == 0) {
    return {self.clone(), at::ones_like(self, self.options().dtype(kBool))};
  }
  return at::fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, ch_axis, quant_min, quant_max);
}

} // namespace at::musa
