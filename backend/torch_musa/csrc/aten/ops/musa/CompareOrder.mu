// Order: the results are true or false.

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_BINARY(lt, compute_with_right, bool, a < b, MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_BINARY(le, compute_with_right, bool, a <= b, MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_BINARY(gt, compute_with_right, bool, a > b, MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_BINARY(ge, compute_with_right, bool, a >= b, MUSA_INTEGRAL, kBool, MUSA_FLOATING)

} // namespace

} // namespace at::native
