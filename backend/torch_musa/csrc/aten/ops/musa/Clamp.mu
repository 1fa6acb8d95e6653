// Limits of an operand, as numbers or as tensors.

#include <ATen/native/Activation.h>
#include <ATen/native/TensorCompare.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;
namespace math = at::musa::math;

/// `x`, but not below `low`; no number if one of them is none.
template <typename T>
MUSA_MATH T at_least(T x, T low) {
  return math::is_nan(x) ? x : math::is_nan(low) || x < low ? low : x;
}
template <typename T>
MUSA_MATH T at_most(T x, T high) {
  return math::is_nan(x) ? x : math::is_nan(high) || x > high ? high : x;
}

void clamp_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "clamp_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        compute(iter, [] MUSA_LAMBDA(scalar_t x, scalar_t low, scalar_t high) -> scalar_t {
          return static_cast<scalar_t>(
              at_most(at_least(static_cast<M>(x), static_cast<M>(low)), static_cast<M>(high)));
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
}

void clamp_scalar_musa(TensorIteratorBase& iter, const Scalar& min, const Scalar& max) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "clamp_scalar_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M low = min.to<M>();
        const M high = max.to<M>();
        compute(iter, [low, high] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          return static_cast<scalar_t>(at_most(at_least(static_cast<M>(x), low), high));
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
}

void clamp_min_scalar_musa(TensorIteratorBase& iter, Scalar min) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "clamp_min_scalar_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M low = min.to<M>();
        compute(iter, [low] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          return static_cast<scalar_t>(at_least(static_cast<M>(x), low));
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
}

void clamp_max_scalar_musa(TensorIteratorBase& iter, Scalar max) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "clamp_max_scalar_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M high = max.to<M>();
        compute(iter, [high] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          return static_cast<scalar_t>(at_most(static_cast<M>(x), high));
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
}

/// The second operand where the first is above the threshold, and `value` elsewhere.
void threshold_musa(TensorIteratorBase& iter, const Scalar& limit, const Scalar& number) {
  AT_DISPATCH_V2(
      iter.dtype(), "threshold_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M threshold = limit.to<M>();
        const M value = number.to<M>();
        compute(iter, [threshold, value] MUSA_LAMBDA(scalar_t x, scalar_t other) -> scalar_t {
          return static_cast<M>(x) <= threshold ? static_cast<scalar_t>(value) : other;
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(clamp_stub, &clamp_musa)
REGISTER_PRIVATEUSE1_DISPATCH(clamp_scalar_stub, &clamp_scalar_musa)
REGISTER_PRIVATEUSE1_DISPATCH(clamp_min_scalar_stub, &clamp_min_scalar_musa)
REGISTER_PRIVATEUSE1_DISPATCH(clamp_max_scalar_stub, &clamp_max_scalar_musa)
REGISTER_PRIVATEUSE1_DISPATCH(threshold_stub, &threshold_musa)

} // namespace at::native
