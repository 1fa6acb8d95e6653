#pragma once

#include <array>

namespace at::musa {

/// Operators that run on the CPU on purpose: a kernel of them would be slower here, and on a card they are a library's.
/// The list is of decompositions of matrices and of what solves with them.
inline constexpr std::array kDeclaredOperators = {
    "_cholesky_solve_helper",
    "_linalg_det.result",
    "_linalg_eigh.eigenvalues",
    "_linalg_eigvals",
    "_linalg_slogdet.sign",
    "_linalg_solve_ex.result",
    "_linalg_svd.U",
    "cholesky",
    "cholesky.out",
    "cholesky_inverse",
    "cholesky_inverse.out",
    "geqrf",
    "geqrf.a",
    "linalg_cholesky_ex.L",
    "linalg_eig",
    "linalg_eig.out",
    "linalg_eigvals.out",
    "linalg_householder_product",
    "linalg_householder_product.out",
    "linalg_inv_ex.inverse",
    "linalg_ldl_factor_ex.out",
    "linalg_ldl_solve.out",
    "linalg_lstsq.out",
    "linalg_lu.out",
    "linalg_lu_factor_ex.out",
    "linalg_lu_solve.out",
    "linalg_matrix_exp",
    "linalg_qr.out",
    "linalg_solve_triangular",
    "linalg_solve_triangular.out",
    "lu_unpack.out",
    "ormqr",
    "ormqr.out",
    "triangular_solve.X",
};

} // namespace at::musa
