// The greater and the lesser of two.

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

template <typename T>
MUSA_MATH T greater(T a, T b) {
  return math::is_nan(a) ? a : math::is_nan(b) || b > a ? b : a;
}
template <typename T>
MUSA_MATH T lesser(T a, T b) {
  return math::is_nan(a) ? a : math::is_nan(b) || b < a ? b : a;
}
MUSA_BINARY(maximum, compute_tensors, scalar_t, greater(a, b), MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_BINARY(minimum, compute_tensors, scalar_t, lesser(a, b), MUSA_INTEGRAL, kBool, MUSA_FLOATING)

/// fmax and fmin of floating-point numbers: the other operand where one is no number. PyTorch's functions
/// call the same stubs for integers.
template <typename F>
void compute_numbers(TensorIteratorBase& iter, const F& f) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "fmax_or_fmin_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        at::musa::elementwise::compute(iter, [f] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
          return static_cast<scalar_t>(f(static_cast<M>(a), static_cast<M>(b)));
        });
      }),
      MUSA_FLOATING);
}

void fmax_musa(TensorIteratorBase& iter) {
  if (isFloatingType(iter.common_dtype())) {
    compute_numbers(iter, [] MUSA_LAMBDA(auto a, auto b) { return ::fmax(a, b); });
  } else {
    maximum_musa(iter);
  }
}

void fmin_musa(TensorIteratorBase& iter) {
  if (isFloatingType(iter.common_dtype())) {
    compute_numbers(iter, [] MUSA_LAMBDA(auto a, auto b) { return ::fmin(a, b); });
  } else {
    minimum_musa(iter);
  }
}

REGISTER_PRIVATEUSE1_DISPATCH(fmax_stub, &fmax_musa)
REGISTER_PRIVATEUSE1_DISPATCH(fmin_stub, &fmin_musa)

} // namespace

} // namespace at::native
