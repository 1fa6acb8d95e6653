// Gradients of activation functions. Half and bfloat16 are computed in float.

#include <ATen/native/Activation.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::kDense;

template <int kShared = kDense, typename F>
void compute(TensorIteratorBase& iter, const F& f) {
  at::musa::elementwise::compute<kShared>(iter, f);
}
namespace math = at::musa::math;

void elu_backward_musa(
    TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, bool is_result) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "elu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M negative = alpha.to<M>() * scale.to<M>();
        const M positive = scale.to<M>();
        const M inner = input_scale.to<M>();
        compute(
            iter, [negative, positive, inner, is_result] MUSA_LAMBDA(scalar_t gradient, scalar_t value) -> scalar_t {
              const M g = static_cast<M>(gradient);
              const M x = static_cast<M>(value); // the operand, or the result
              // outside of the branch, so that the loop becomes a vector
              const M below = inner * (is_result ? x + negative : negative * ::exp(x * inner));
              return static_cast<scalar_t>(g * (x > 0 ? positive : below));
            });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(elu_backward_stub, &elu_backward_musa)

void softplus_backward_musa(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "softplus_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = beta.to<M>();
        const M limit = threshold.to<M>();
        compute(iter, [factor, limit] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x * factor > limit ? g : g * math::sigmoid(x * factor));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(softplus_backward_stub, &softplus_backward_musa)

void hardtanh_backward_musa(TensorIterator& iter, const Scalar& min, const Scalar& max) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardtanh_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M low = min.to<M>();
        const M high = max.to<M>();
        compute(iter, [low, high] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x <= low || x >= high ? M(0) : g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardtanh_backward_stub, &hardtanh_backward_musa)

void hardsigmoid_backward_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardsigmoid_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x > -3 && x < 3 ? g / 6 : M(0));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardsigmoid_backward_stub, &hardsigmoid_backward_musa)

void hardswish_backward_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardswish_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x <= -3 ? M(0) : x < 3 ? g * (x / 3 + M(0.5)) : g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardswish_backward_stub, &hardswish_backward_musa)

void shrink_backward_musa(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "shrink_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M limit = lambd.to<M>();
        compute(iter, [limit] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x >= -limit && x <= limit ? M(0) : g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(shrink_backward_stub, &shrink_backward_musa)

void leaky_relu_backward_musa(TensorIteratorBase& iter, const Scalar& slope) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "leaky_relu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = slope.to<M>();
        compute(iter, [factor] MUSA_LAMBDA(scalar_t x_, scalar_t g_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M g = static_cast<M>(g_);
          return static_cast<scalar_t>(x > 0 ? g : g * factor);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(leaky_relu_backward_stub, &leaky_relu_backward_musa)

template <typename T>
MUSA_MATH T silu_slope(T x) {
  const T s = math::sigmoid(x);
  return s * (T(1) + x * (T(1) - s));
}

void silu_backward_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "silu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(g * silu_slope(x));
        });
      }),
      MUSA_FLOATING, MUSA_COMPLEX);
}
REGISTER_PRIVATEUSE1_DISPATCH(silu_backward_stub, &silu_backward_musa)

template <typename T>
MUSA_MATH T mish_slope(T x) {
  const T t = ::tanh(::log1p(::exp(x)));
  return t + x * math::sigmoid(x) * (T(1) - t * t);
}

void mish_backward_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "mish_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t g_, scalar_t x_) -> scalar_t {
          const M g = static_cast<M>(g_);
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(g * mish_slope(x));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(mish_backward_stub, &mish_backward_musa)

template <typename T>
MUSA_MATH T gelu_slope(T x) {
  const T below = T(0.5) * (T(1) + ::erf(x * T(M_SQRT1_2)));
  return below + x * ::exp(T(-0.5) * x * x) * T(M_2_SQRTPI * M_SQRT1_2 * 0.5);
}

template <typename T>
MUSA_MATH T gelu_slope_by_tanh(T x) {
  constexpr T kFactor = M_SQRT2 * M_2_SQRTPI * 0.5;
  const T t = ::tanh(kFactor * (x + T(0.044715) * x * x * x));
  return T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * kFactor * (T(1) + T(3 * 0.044715) * x * x);
}

void gelu_backward_musa(TensorIteratorBase& iter, GeluType approximate) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "gelu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        if (approximate == GeluType::Tanh) {
          compute(iter, [] MUSA_LAMBDA(scalar_t g, scalar_t x) -> scalar_t {
            return static_cast<scalar_t>(static_cast<M>(g) * gelu_slope_by_tanh(static_cast<M>(x)));
          });
        } else {
          compute(iter, [] MUSA_LAMBDA(scalar_t g, scalar_t x) -> scalar_t {
            return static_cast<scalar_t>(static_cast<M>(g) * gelu_slope(static_cast<M>(x)));
          });
        }
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(GeluBackwardKernel, &gelu_backward_musa)

/// Two results: the gradients of the operand and of the weight. Each has a kernel.
void prelu_backward_musa(TensorIterator& iter) {
  constexpr int kWeight = 1; // the same for a whole channel
  const auto gradient_of = [&](int result) {
    TensorIteratorConfig config;
    config.set_check_mem_overlap(false).resize_outputs(false);
    config.add_owned_output(iter.tensor(result));
    for (int operand : {2, 3, 4}) {
      config.add_owned_const_input(iter.tensor(operand));
    }
    return config.build();
  };
  TensorIterator of_operand = gradient_of(0);
  TensorIterator of_weight = gradient_of(1);
  AT_DISPATCH_V2(
      iter.common_dtype(), "prelu_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute<kWeight>(of_operand, [] MUSA_LAMBDA(scalar_t x, scalar_t weight, scalar_t g) -> scalar_t {
          return static_cast<M>(x) > 0 ? g : static_cast<scalar_t>(static_cast<M>(weight) * static_cast<M>(g));
        });
        compute<kWeight>(of_weight, [] MUSA_LAMBDA(scalar_t x, scalar_t, scalar_t g) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(x) > 0 ? M(0) : static_cast<M>(x) * static_cast<M>(g));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(prelu_backward_stub, &prelu_backward_musa)

} // namespace

} // namespace at::native
