// Integer and floating-point division that rounds, and its remainders.

#include <c10/util/generic_math.h>

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

/// Whether an integer division has no result. A kernel cannot report it, so it computes 0.
template <typename T>
MUSA_MATH bool undefined(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1) && a == std::numeric_limits<T>::lowest());
}
/// c10::div_floor_floating, as a loop that becomes a vector.
template <typename T>
MUSA_MATH T divided_down_without_branches(T a, T b) {
  const T ratio = a / b;
  const T rest = ::fmod(a, b);
  const bool other_side = rest != 0 && (b < 0) != (rest < 0);
  const T quotient = (a - rest) / b - (other_side ? T(1) : T(0));
  const T down = ::floor(quotient);
  const T nearest = quotient - down > T(0.5) ? down + T(1) : down;
  return b == 0 ? ratio : quotient == 0 ? ::copysign(T(0), ratio) : nearest;
}
template <typename T>
MUSA_MATH T divided_down(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return c10::div_floor_integer(a, b);
  } else {
    return divided_down_without_branches(a, b);
  }
}
template <typename T>
MUSA_MATH T divided_to_zero(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return b == 0 ? T(0) : undefined(a, b) ? a : static_cast<T>(a / b);
  } else {
    return ::trunc(a / b);
  }
}
template <typename T>
MUSA_MATH T remainder_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return undefined(a, b) ? T(0) : c10::div_mod(a, b);
  } else {
    const T rest = ::fmod(a, b);
    const bool other_side = (b < 0) != (rest < 0);
    return rest == 0 ? ::copysign(T(0), b) : other_side ? rest + b : rest;
  }
}
template <typename T>
MUSA_MATH T rest_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return undefined(a, b) ? T(0) : static_cast<T>(a % b);
  } else {
    return ::fmod(a, b);
  }
}
MUSA_BINARY(div_floor, compute_with_right, scalar_t, divided_down(a, b), MUSA_INTEGRAL, MUSA_FLOATING)
MUSA_BINARY(div_trunc, compute_with_right, scalar_t, divided_to_zero(a, b), MUSA_INTEGRAL, MUSA_FLOATING)
MUSA_BINARY(remainder, compute_with_right, scalar_t, remainder_of(a, b), MUSA_INTEGRAL, MUSA_FLOATING)
MUSA_BINARY(fmod, compute_with_right, scalar_t, rest_of(a, b), MUSA_INTEGRAL, MUSA_FLOATING)

} // namespace

} // namespace at::native
