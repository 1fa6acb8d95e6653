// Special functions of half, float and double.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(erfinv, ::erfinv(x), MUSA_FLOATING)
MUSA_UNARY(lgamma, ::lgamma(x), MUSA_FLOATING)
MUSA_UNARY(digamma, calc_digamma(x), MUSA_FLOATING)
MUSA_UNARY(trigamma, ::trigamma(x), MUSA_FLOATING)
MUSA_UNARY(i0, calc_i0(x), MUSA_FLOATING)
MUSA_UNARY(special_i0e, calc_i0e(x), MUSA_FLOATING)
MUSA_UNARY(special_i1, calc_i1(x), MUSA_FLOATING)
MUSA_UNARY(special_i1e, calc_i1e(x), MUSA_FLOATING)
MUSA_UNARY(special_ndtri, calc_ndtri(x), kFloat, kDouble)
MUSA_UNARY(special_log_ndtr, calc_log_ndtr(x), kFloat, kDouble)
MUSA_UNARY(special_erfcx, calc_erfcx(x), kFloat, kDouble)

template <typename T>
MUSA_MATH T entropy(T x) {
  if (math::is_nan(x)) {
    return x;
  }
  return x > 0 ? -x * ::log(x) : x == 0 ? T(0) : -std::numeric_limits<T>::infinity();
}
MUSA_UNARY(special_entr, entropy(x), MUSA_FLOATING)

void polygamma_musa(TensorIteratorBase& iter, int64_t n) {
  if (n == 0) {
    digamma_musa(iter);
    return;
  }
  if (n == 1) {
    trigamma_musa(iter);
    return;
  }
  AT_DISPATCH_V2(
      iter.common_dtype(), "polygamma_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const int order = static_cast<int>(n);
        at::musa::elementwise::compute<at::musa::elementwise::kDense>(iter, [order] MUSA_LAMBDA(scalar_t value) -> scalar_t {
          return static_cast<scalar_t>(calc_polygamma<M, false>(static_cast<M>(value), order));
        });
      }),
      MUSA_FLOATING);
}

void logit_musa(TensorIteratorBase& iter, const Scalar& eps) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "logit_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M low = eps.to<M>();
        const M high = M(1) - low;
        at::musa::elementwise::compute<at::musa::elementwise::kDense>(iter, [low, high] MUSA_LAMBDA(scalar_t value) -> scalar_t {
          M x = static_cast<M>(value);
          if (low >= 0) { // a negative one says: do not clamp
            x = x < low ? low : x > high ? high : x;
          }
          return static_cast<scalar_t>(::log(x / (M(1) - x)));
        });
      }),
      MUSA_FLOATING);
}

REGISTER_PRIVATEUSE1_DISPATCH(polygamma_stub, &polygamma_musa)
REGISTER_PRIVATEUSE1_DISPATCH(logit_stub, &logit_musa)

} // namespace

} // namespace at::native
