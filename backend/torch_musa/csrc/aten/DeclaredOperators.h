#pragma once

#include <array>

namespace at::musa {

/// Operators that run on the CPU on purpose: a kernel of them would be slower here, and on a card they are a library's.
/// Most are decompositions of matrices and what solves with them. The others make tensors with a scale (quantized) or of
/// parts of several sizes (nested), or of what is not zero (sparse, whose indices are sorted and checked): only the CPU
/// computes with these here.
inline constexpr std::array kDeclaredOperators = {
    "_cholesky_solve_helper",
    "_empty_affine_quantized",
    "_linalg_det.result",
    "_linalg_eigh.eigenvalues",
    "_linalg_eigvals",
    "_linalg_slogdet.sign",
    "_linalg_solve_ex.result",
    "_linalg_svd.U",
    "_make_per_channel_quantized_tensor",
    "_make_per_tensor_quantized_tensor",
    "_nested_compute_contiguous_strides_offsets",
    "_nested_from_padded",
    "_nested_tensor_from_mask",
    "_nested_tensor_from_mask_left_aligned",
    "_nested_view_from_buffer",
    "_to_sparse",
    "_to_sparse.sparse_dim",
    "_to_sparse_bsc",
    "_to_sparse_bsr",
    "_to_sparse_csc",
    "_to_sparse_csr",
    "_validate_compressed_sparse_indices",
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
    "quantize_per_channel",
    "quantize_per_tensor",
    "quantize_per_tensor.tensor_qparams",
    "quantize_per_tensor_dynamic",
    "triangular_solve.X",
};

} // namespace at::musa
