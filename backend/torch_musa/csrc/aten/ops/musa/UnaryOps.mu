// Exponential functions, roots and the like.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(exp, math::exp(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(sqrt, math::sqrt(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(rsqrt, math::rsqrt(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(reciprocal, M(1) / x, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(sigmoid, math::sigmoid(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(exp2, math::exp2(x), MUSA_FLOATING, MUSA_COMPLEX)
MUSA_UNARY(expm1, math::expm1(x), MUSA_FLOATING, MUSA_COMPLEX)
MUSA_UNARY(erf, ::erf(x), MUSA_FLOATING)
MUSA_UNARY(erfc, ::erfc(x), MUSA_FLOATING)

} // namespace

} // namespace at::native
