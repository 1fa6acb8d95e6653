// Incomplete gamma functions, the zeta function, and polynomials by their order.

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_BINARY(igamma, compute_tensors, scalar_t, calc_igamma(a, b), kFloat, kDouble, kHalf, kBFloat16)
MUSA_BINARY(igammac, compute_tensors, scalar_t, calc_igammac(a, b), kFloat, kDouble, kHalf, kBFloat16)
MUSA_BINARY(zeta, compute_tensors, scalar_t, (::zeta<M, false>(a, b)), kFloat, kDouble)
MUSA_BINARY(chebyshev_polynomial_t, compute_tensors, scalar_t, chebyshev_polynomial_t_forward(a, b), kFloat, kDouble)
MUSA_BINARY(chebyshev_polynomial_u, compute_tensors, scalar_t, chebyshev_polynomial_u_forward(a, b), kFloat, kDouble)
MUSA_BINARY(chebyshev_polynomial_v, compute_tensors, scalar_t, chebyshev_polynomial_v_forward(a, b), kFloat, kDouble)
MUSA_BINARY(chebyshev_polynomial_w, compute_tensors, scalar_t, chebyshev_polynomial_w_forward(a, b), kFloat, kDouble)
MUSA_BINARY(hermite_polynomial_h, compute_tensors, scalar_t, hermite_polynomial_h_forward(a, b), kFloat, kDouble)
MUSA_BINARY(hermite_polynomial_he, compute_tensors, scalar_t, hermite_polynomial_he_forward(a, b), kFloat, kDouble)
MUSA_BINARY(laguerre_polynomial_l, compute_tensors, scalar_t, laguerre_polynomial_l_forward(a, b), kFloat, kDouble)
MUSA_BINARY(legendre_polynomial_p, compute_tensors, scalar_t, legendre_polynomial_p_forward(a, b), kFloat, kDouble)
MUSA_BINARY(shifted_chebyshev_polynomial_t, compute_tensors, scalar_t, shifted_chebyshev_polynomial_t_forward(a, b), kFloat, kDouble)
MUSA_BINARY(shifted_chebyshev_polynomial_u, compute_tensors, scalar_t, shifted_chebyshev_polynomial_u_forward(a, b), kFloat, kDouble)
MUSA_BINARY(shifted_chebyshev_polynomial_v, compute_tensors, scalar_t, shifted_chebyshev_polynomial_v_forward(a, b), kFloat, kDouble)
MUSA_BINARY(shifted_chebyshev_polynomial_w, compute_tensors, scalar_t, shifted_chebyshev_polynomial_w_forward(a, b), kFloat, kDouble)

} // namespace

} // namespace at::native
