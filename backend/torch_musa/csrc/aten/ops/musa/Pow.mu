// Powers.

#include <ATen/native/Pow.h>

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

template <typename T>
MUSA_MATH T power(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return powi(a, b);
  } else if constexpr (c10::is_complex<T>::value) {
    return std::pow(a, b);
  } else {
    return ::pow(a, b);
  }
}
MUSA_BINARY(pow_tensor_tensor, compute_with_right, scalar_t, power(a, b), MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX)

void pow_tensor_scalar_musa(TensorIteratorBase& iter, const Scalar& exponent) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "pow_tensor_scalar_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M b = exponent.to<M>();
        if (b == M(2)) {
          at::musa::elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t value) -> scalar_t {
            const M a = static_cast<M>(value);
            return static_cast<scalar_t>(a * a);
          });
        } else {
          at::musa::elementwise::compute(iter, [b] MUSA_LAMBDA(scalar_t value) -> scalar_t {
            return static_cast<scalar_t>(power(static_cast<M>(value), b));
          });
        }
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX);
}

REGISTER_PRIVATEUSE1_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_musa)

} // namespace

} // namespace at::native
