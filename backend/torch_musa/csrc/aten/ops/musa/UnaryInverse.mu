// Inverse trigonometric and hyperbolic functions.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(asin, math::asin(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(acos, math::acos(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(atan, math::atan(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(asinh, math::asinh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(acosh, math::acosh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(atanh, math::atanh(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)

} // namespace

} // namespace at::native
