// Products and sums of matrices, one or many at a time, and triangular solves.
#include "gemm.h"

namespace mublas {
namespace {

template <class T>
mublasStatus check_gemm(mublasHandle_t handle, const Shape& shape, const T* alpha, const void* a, const void* b,
                        const T* beta, const void* c, int batch_count) {
    const mublasStatus status = check_shape(handle, shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (batch_count < 0) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha || !beta) return MUBLAS_STATUS_INVALID_POINTER;
    const bool reads = shape.m > 0 && shape.n > 0 && shape.k > 0 && batch_count > 0;
    const bool writes = shape.m > 0 && shape.n > 0 && batch_count > 0;
    return (reads && (!a || !b)) || (writes && !c) ? MUBLAS_STATUS_INVALID_POINTER : MUBLAS_STATUS_SUCCESS;
}

template <class T>
mublasStatus gemm_strided(mublasHandle_t handle, const Shape& shape, const T* alpha, const T* a, long long stride_a,
                          const T* b, long long stride_b, const T* beta, T* c, long long stride_c, int batch_count) {
    const mublasStatus status = check_gemm(handle, shape, alpha, a, b, beta, c, batch_count);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        for (long long i = 0; i < batch_count; ++i) {
            gemm(shape, Element<T>::number(s.get()), a + i * stride_a, b + i * stride_b, Element<T>::number(t.get()),
                 c + i * stride_c);
        }
    });
}

template <class T>
mublasStatus gemm_batched(mublasHandle_t handle, const Shape& shape, const T* alpha, const T* const* a,
                          const T* const* b, const T* beta, T* const* c, int batch_count) {
    const mublasStatus status = check_gemm(handle, shape, alpha, a, b, beta, c, batch_count);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        for (int i = 0; i < batch_count; ++i) {
            gemm(shape, Element<T>::number(s.get()), a[i], b[i], Element<T>::number(t.get()), c[i]);
        }
    });
}

// C = alpha op(A) + beta op(B); C may be A or B where that is not transposed.
template <class T>
mublasStatus geam(mublasHandle_t handle, mublasOperation_t trans_a, mublasOperation_t trans_b, int m, int n,
                  const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(trans_a) || !is_operation(trans_b)) return MUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0 || lda < std::max(1, trans_a == MUBLAS_OP_N ? m : n) ||
        ldb < std::max(1, trans_b == MUBLAS_OP_N ? m : n) || ldc < std::max(1, m)) {
        return MUBLAS_STATUS_INVALID_SIZE;
    }
    if (!alpha || !beta || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const T factor_a = s.get(), factor_b = t.get();
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                T sum = 0;
                if (factor_a != 0) sum += factor_a * element(a, lda, trans_a, i, j);
                if (factor_b != 0) sum += factor_b * element(b, ldb, trans_b, i, j);
                c[i + static_cast<std::size_t>(j) * ldc] = sum;
            }
        }
    });
}

// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right) for X, which replaces B.
template <class T>
mublasStatus trsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, mublasOperation_t trans,
                  mublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(trans)) return MUBLAS_STATUS_INVALID_VALUE;
    const bool left = side == MUBLAS_SIDE_LEFT;
    const int order = left ? m : n;
    if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m)) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha || !a || !b) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] {
        // X op(A) = B is op(A)^T X^T = B^T: the same substitution along the rows of B.
        const mublasOperation_t flipped = trans == MUBLAS_OP_N ? MUBLAS_OP_T : MUBLAS_OP_N;
        const mublasOperation_t operation = left ? trans : flipped;
        const bool lower = (uplo == MUBLAS_FILL_MODE_LOWER) == (operation == MUBLAS_OP_N);
        const T factor = s.get();
        for (int line = 0; line < (left ? n : m); ++line) {
            auto x = [&](int i) -> T& {
                return b[left ? i + static_cast<std::size_t>(line) * ldb : line + static_cast<std::size_t>(i) * ldb];
            };
            for (int step = 0; step < order; ++step) {
                const int i = lower ? step : order - 1 - step;
                T value = factor * x(i);
                for (int done = 0; done < step; ++done) {
                    const int j = lower ? done : order - 1 - done;
                    value -= element(a, lda, operation, i, j) * x(j);
                }
                x(i) = diag == MUBLAS_DIAG_UNIT ? value : value / element(a, lda, operation, i, i);
            }
        }
    });
}

}  // namespace
}  // namespace mublas

#define MUBLAS_GEMM(L, T)                                                                                            \
    MUBLAS_EXPORT mublasStatus mublas##L##gemm(                                                                      \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {                    \
        return mublas::gemm_strided(handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, 0, B, 0, beta, C, 0, \
                                    1);                                                                              \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##gemmBatched(                                                               \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* const A[], int lda, const T* const B[], int ldb, const T* beta, T* const C[],       \
        int ldc, int batch_count) {                                                                                  \
        return mublas::gemm_batched(handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C,          \
                                    batch_count);                                                                    \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##gemmStridedBatched(                                                        \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* A, int lda, long long stride_a, const T* B, int ldb, long long stride_b,            \
        const T* beta, T* C, int ldc, long long stride_c, int batch_count) {                                         \
        return mublas::gemm_strided(handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, stride_a, B,         \
                                    stride_b, beta, C, stride_c, batch_count);                                       \
    }

MUBLAS_GEMM(S, float)
MUBLAS_GEMM(D, double)
MUBLAS_GEMM(C, muComplex)
MUBLAS_GEMM(Z, muDoubleComplex)
MUBLAS_GEMM(H, mublas_half)

#define MUBLAS_REAL_MATRICES(L, T)                                                                                   \
    MUBLAS_EXPORT mublasStatus mublas##L##geam(mublasHandle_t handle, mublasOperation_t transa,                      \
                                               mublasOperation_t transb, int m, int n, const T* alpha, const T* A,   \
                                               int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {         \
        return mublas::geam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);                      \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##trsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
                                               mublasOperation_t trans, mublasDiagType_t diag, int m, int n,         \
                                               const T* alpha, const T* A, int lda, T* B, int ldb) {                 \
        return mublas::trsm(handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);                           \
    }

MUBLAS_REAL_MATRICES(S, float)
MUBLAS_REAL_MATRICES(D, double)
