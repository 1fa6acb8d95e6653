// Logarithms.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(log, math::log(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(log2, math::log2(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(log10, math::log10(x), MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(log1p, math::log1p(x), MUSA_FLOATING, MUSA_COMPLEX)

} // namespace

} // namespace at::native
