// Functions of Airy and Bessel, of float and double.

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(special_airy_ai, airy_ai_forward(x), kFloat, kDouble)
MUSA_UNARY(special_bessel_j0, bessel_j0_forward(x), kFloat, kDouble)
MUSA_UNARY(special_bessel_j1, bessel_j1_forward(x), kFloat, kDouble)
MUSA_UNARY(special_bessel_y0, bessel_y0_forward(x), kFloat, kDouble)
MUSA_UNARY(special_bessel_y1, bessel_y1_forward(x), kFloat, kDouble)
MUSA_UNARY(special_modified_bessel_i0, modified_bessel_i0_forward(x), kFloat, kDouble)
MUSA_UNARY(special_modified_bessel_i1, modified_bessel_i1_forward(x), kFloat, kDouble)
MUSA_UNARY(special_modified_bessel_k0, modified_bessel_k0_forward(x), kFloat, kDouble)
MUSA_UNARY(special_modified_bessel_k1, modified_bessel_k1_forward(x), kFloat, kDouble)
MUSA_UNARY(special_scaled_modified_bessel_k0, scaled_modified_bessel_k0_forward(x), kFloat, kDouble)
MUSA_UNARY(special_scaled_modified_bessel_k1, scaled_modified_bessel_k1_forward(x), kFloat, kDouble)
MUSA_UNARY(special_spherical_bessel_j0, spherical_bessel_j0_forward(x), kFloat, kDouble)

} // namespace

} // namespace at::native
