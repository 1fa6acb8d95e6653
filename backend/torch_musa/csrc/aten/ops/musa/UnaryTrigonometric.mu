// Trigonometric and hyperbolic functions.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(sin, math::sin(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(cos, math::cos(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(tan, math::tan(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(sinh, math::sinh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(cosh, math::cosh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(tanh, math::tanh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(sinc, math::sinc(x), MUSA_FLOATING, MUSA_COMPLEX)

} // namespace

} // namespace at::native
