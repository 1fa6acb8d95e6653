// Fake quantization: numbers are rounded as a quantized type would round them, and stay what they are.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/quantized/FakeQuantAffine.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

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

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_tensor_cachemask_stub, &cachemask_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_tensor_cachemask_tensor_qparams_stub, &cachemask_by_tensors_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_per_channel_cachemask_stub, &per_channel_cachemask_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_grad_learnable_tensor_stub, &learnable_tensor_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fake_quant_grad_learnable_channel_stub, &learnable_channel_musa)

} // namespace at::native
