// Functions of two real numbers.

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

template <typename T>
MUSA_MATH T x_log_y(T x, T y) {
  return math::is_nan(y) ? y : x == 0 ? T(0) : x * ::log(y);
}
template <typename T>
MUSA_MATH T x_log1p_y(T x, T y) {
  return math::is_nan(y) ? y : x == 0 ? T(0) : x * ::log1p(y);
}
MUSA_BINARY(atan2, compute_tensors, scalar_t, ::atan2(a, b), MUSA_FLOATING)
MUSA_BINARY(hypot, compute_tensors, scalar_t, ::hypot(a, b), MUSA_FLOATING)
MUSA_BINARY(copysign, compute_with_right, scalar_t, ::copysign(a, b), MUSA_FLOATING)
MUSA_BINARY(xlogy, compute_tensors, scalar_t, x_log_y(a, b), MUSA_FLOATING)
MUSA_BINARY(xlog1py, compute_tensors, scalar_t, x_log1p_y(a, b), MUSA_FLOATING)
MUSA_BINARY(
    heaviside, compute_tensors, scalar_t, a == M(0) ? b : static_cast<M>(a > M(0)), MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_BINARY(mse, compute_tensors, scalar_t, (a - b) * (a - b), MUSA_FLOATING)

/// The conjugate; of a real number itself.
template <typename T>
MUSA_MATH T conjugate(T x) {
  if constexpr (c10::is_complex<T>::value) {
    return std::conj(x);
  } else {
    return x;
  }
}
MUSA_BINARY(
    sigmoid_backward, compute_tensors, scalar_t, a * conjugate((M(1) - b) * b), MUSA_FLOATING, MUSA_COMPLEX)
MUSA_BINARY(tanh_backward, compute_tensors, scalar_t, a * conjugate(M(1) - b * b), MUSA_FLOATING, MUSA_COMPLEX)

void smooth_l1_musa(TensorIteratorBase& iter, double beta) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "smooth_l1_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M limit = static_cast<M>(beta);
        at::musa::elementwise::compute(iter, [limit] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
          const M distance = ::fabs(static_cast<M>(a) - static_cast<M>(b));
          return static_cast<scalar_t>(
              distance < limit ? M(0.5) * distance * distance / limit : distance - M(0.5) * limit);
        });
      }),
      MUSA_FLOATING);
}

void huber_musa(TensorIterator& iter, double delta) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "huber_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M limit = static_cast<M>(delta);
        at::musa::elementwise::compute(iter, [limit] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
          const M distance = ::fabs(static_cast<M>(a) - static_cast<M>(b));
          return static_cast<scalar_t>(
              distance <= limit ? M(0.5) * distance * distance : limit * (distance - M(0.5) * limit));
        });
      }),
      MUSA_FLOATING);
}

void logit_backward_musa(TensorIteratorBase& iter, const Scalar& eps) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "logit_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M low = eps.to<M>();
        const M high = M(1) - low;
        at::musa::elementwise::compute(iter, [low, high] MUSA_LAMBDA(scalar_t gradient, scalar_t value) -> scalar_t {
          const M g = static_cast<M>(gradient);
          const M x = static_cast<M>(value);
          if (low < 0) { // not clamped
            return static_cast<scalar_t>(x < 0 || x > 1 ? std::numeric_limits<M>::quiet_NaN() : g / (x * (M(1) - x)));
          }
          return static_cast<scalar_t>(x < low || x > high ? M(0) : g / (x * (M(1) - x)));
        });
      }),
      MUSA_FLOATING);
}

REGISTER_PRIVATEUSE1_DISPATCH(smooth_l1_stub, &smooth_l1_musa)
REGISTER_PRIVATEUSE1_DISPATCH(huber_stub, &huber_musa)
REGISTER_PRIVATEUSE1_DISPATCH(logit_backward_stub, &logit_backward_musa)

} // namespace

} // namespace at::native
