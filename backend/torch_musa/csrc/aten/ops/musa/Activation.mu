// Activation functions. Half and bfloat16 are computed in float.

#include <ATen/native/Activation.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;
namespace math = at::musa::math;

void elu_musa(TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "elu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M negative = alpha.to<M>() * scale.to<M>();
        const M positive = scale.to<M>();
        const M inner = input_scale.to<M>();
        compute(iter, [negative, positive, inner] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M below = ::expm1(x * inner) * negative; // outside of the branch, so that the loop becomes a vector
          return static_cast<scalar_t>(x > 0 ? x * positive : below);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(elu_stub, &elu_musa)

void softplus_musa(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "softplus_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = beta.to<M>();
        const M limit = threshold.to<M>();
        compute(iter, [factor, limit] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x * factor > limit ? x : ::log1p(::exp(x * factor)) / factor);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(softplus_stub, &softplus_musa)

template <typename T>
MUSA_MATH T limited(T x, T low, T high) {
  return x < low ? low : x > high ? high : x;
}

void hardsigmoid_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardsigmoid_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(limited(x + 3, M(0), M(6)) / 6);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardsigmoid_stub, &hardsigmoid_musa)

void hardswish_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardswish_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x * limited(x + 3, M(0), M(6)) / 6);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardswish_stub, &hardswish_musa)

void hardshrink_musa(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "hardshrink_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M limit = lambd.to<M>();
        compute(iter, [limit] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x >= -limit && x <= limit ? M(0) : x);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(hardshrink_stub, &hardshrink_musa)

void softshrink_musa(TensorIteratorBase& iter, const Scalar& lambd) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "softshrink_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M limit = lambd.to<M>();
        compute(iter, [limit] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x > limit ? x - limit : x < -limit ? x + limit : x * 0);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(softshrink_stub, &softshrink_musa)

void leaky_relu_musa(TensorIteratorBase& iter, const Scalar& slope) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "leaky_relu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = slope.to<M>();
        compute(iter, [factor] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x > 0 ? x : x * factor);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(leaky_relu_stub, &leaky_relu_musa)

void silu_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "silu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x / (M(1) + math::exp(-x)));
        });
      }),
      MUSA_FLOATING, MUSA_COMPLEX);
}
REGISTER_PRIVATEUSE1_DISPATCH(silu_stub, &silu_musa)

void mish_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "mish_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_) -> scalar_t {
          const M x = static_cast<M>(x_);
          return static_cast<scalar_t>(x * ::tanh(::log1p(::exp(x))));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(mish_stub, &mish_musa)

void prelu_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "prelu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_, scalar_t weight_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M weight = static_cast<M>(weight_);
          return static_cast<scalar_t>(x > 0 ? x : weight * x);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(prelu_stub, &prelu_musa)

void glu_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "glu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x_, scalar_t gate_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M gate = static_cast<M>(gate_);
          return static_cast<scalar_t>(x * math::sigmoid(gate));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(glu_stub, &glu_musa)

void glu_jvp_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "glu_jvp_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t result_, scalar_t gate_, scalar_t dx_, scalar_t dgate_) -> scalar_t {
          const M result = static_cast<M>(result_);
          const M gate = static_cast<M>(gate_);
          const M dx = static_cast<M>(dx_);
          const M dgate = static_cast<M>(dgate_);
          return static_cast<scalar_t>(dx * math::sigmoid(gate) + result * (dgate - math::sigmoid(gate) * dgate));
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(glu_jvp_stub, &glu_jvp_musa)

template <typename T>
MUSA_MATH T gelu_of(T x) {
  return x * T(0.5) * (T(1) + ::erf(x * T(M_SQRT1_2)));
}

/// The approximation by tanh.
template <typename T>
MUSA_MATH T gelu_by_tanh(T x) {
  const T inner = T(M_SQRT2 * M_2_SQRTPI * 0.5) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + ::tanh(inner));
}

void gelu_musa(TensorIteratorBase& iter, GeluType approximate) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "gelu_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        if (approximate == GeluType::Tanh) {
          compute(iter, [] MUSA_LAMBDA(scalar_t x) -> scalar_t {
            return static_cast<scalar_t>(gelu_by_tanh(static_cast<M>(x)));
          });
        } else {
          compute(iter, [] MUSA_LAMBDA(scalar_t x) -> scalar_t {
            return static_cast<scalar_t>(gelu_of(static_cast<M>(x)));
          });
        }
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(GeluKernel, &gelu_musa)

} // namespace

} // namespace at::native
