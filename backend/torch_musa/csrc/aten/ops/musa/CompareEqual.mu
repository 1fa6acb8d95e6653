// Equality and logic: the results are true or false.

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_BINARY(eq, compute_with_right, bool, a == b, MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_BINARY(ne, compute_with_right, bool, a != b, MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_BINARY(logical_and, compute_tensors, bool, a != M(0) && b != M(0), MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_COMPLEX)
MUSA_BINARY(logical_or, compute_tensors, bool, a != M(0) || b != M(0), MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_COMPLEX)
MUSA_BINARY(
    logical_xor, compute_tensors, bool, (a != M(0)) != (b != M(0)), MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_COMPLEX)

} // namespace

} // namespace at::native
