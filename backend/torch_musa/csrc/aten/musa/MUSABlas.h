#pragma once

#include "MUSAContext.h"

#include <ATen/OpMathType.h>

#include <cstdint>

// Matrix products by muBLAS on the current stream of the current device, by the names of PyTorch's CUDABlas.h. What is
// not here (vectors, biases, scaled types, solvers) is not declared.
namespace at::musa::blas {

/// C = alpha op(A) op(B) + beta C, all stored by columns: op(A) is m x k, op(B) k x n, C m x n. `transa` and `transb`
/// are 'n', 't' or 'c' (conjugate transpose), in either case; `lda`, `ldb`, `ldc` are elements from one column to the
/// next. Dtype is float, double, c10::complex of them, at::Half or at::BFloat16; the last two are summed in float.
///
/// Throws c10::Error for a size beyond int, another letter, or what muBLAS refuses.
template <typename Dtype>
void gemm(
    char transa, char transb, int64_t m, int64_t n, int64_t k,
    at::opmath_type<Dtype> alpha, const Dtype* a, int64_t lda, const Dtype* b, int64_t ldb,
    at::opmath_type<Dtype> beta, Dtype* c, int64_t ldc);

/// The same for `num_batches` triples; the strides are elements from one matrix to the next.
template <typename Dtype>
void bgemm(
    char transa, char transb, int64_t m, int64_t n, int64_t k,
    at::opmath_type<Dtype> alpha, const Dtype* a, int64_t lda, int64_t stridea,
    const Dtype* b, int64_t ldb, int64_t strideb,
    at::opmath_type<Dtype> beta, Dtype* c, int64_t ldc, int64_t stridec, int64_t num_batches);

} // namespace at::musa::blas
