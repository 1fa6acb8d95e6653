// Bits of integers, and their divisors.

#include <climits>

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

template <typename T>
MUSA_MATH T shifted_left(T a, T b) {
  if (b < 0 || static_cast<uint64_t>(b) >= sizeof(T) * CHAR_BIT) {
    return 0;
  }
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << b);
}
template <typename T>
MUSA_MATH T shifted_right(T a, T b) {
  constexpr T kMost = sizeof(T) * CHAR_BIT - std::is_signed_v<T>;
  return b < 0 || b >= kMost ? a >> kMost : a >> b;
}
template <typename T>
MUSA_MATH T least_common_multiple(T a, T b) {
  const T divisor = calc_gcd(a, b);
  return divisor == 0 ? T(0) : math::absolute(static_cast<T>(a / divisor * b));
}
MUSA_BINARY(bitwise_and, compute_with_right, scalar_t, a & b, MUSA_INTEGRAL, kBool)
MUSA_BINARY(bitwise_or, compute_with_right, scalar_t, a | b, MUSA_INTEGRAL, kBool)
MUSA_BINARY(bitwise_xor, compute_with_right, scalar_t, a ^ b, MUSA_INTEGRAL, kBool)
MUSA_BINARY(lshift, compute_with_right, scalar_t, shifted_left(a, b), MUSA_INTEGRAL)
MUSA_BINARY(rshift, compute_with_right, scalar_t, shifted_right(a, b), MUSA_INTEGRAL)
MUSA_BINARY(gcd, compute_tensors, scalar_t, calc_gcd(a, b), MUSA_INTEGRAL)
MUSA_BINARY(lcm, compute_tensors, scalar_t, least_common_multiple(a, b), MUSA_INTEGRAL)

} // namespace

} // namespace at::native
