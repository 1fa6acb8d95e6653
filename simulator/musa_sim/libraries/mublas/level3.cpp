// Products of matrices, one or many at a time.
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

}  // namespace
}  // namespace mublas

#define MUBLAS_GEMM(L, T)                                                                                            \
    MUSA_EXPORT mublasStatus mublas##L##gemm(                                                                        \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {                    \
        return mublas::gemm_strided(handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, 0, B, 0, beta, C, 0, \
                                    1);                                                                              \
    }                                                                                                                \
    MUSA_EXPORT mublasStatus mublas##L##gemmBatched(                                                                 \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* const A[], int lda, const T* const B[], int ldb, const T* beta, T* const C[],       \
        int ldc, int batch_count) {                                                                                  \
        return mublas::gemm_batched(handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C,          \
                                    batch_count);                                                                    \
    }                                                                                                                \
    MUSA_EXPORT mublasStatus mublas##L##gemmStridedBatched(                                                          \
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

// A card computes three real products instead of four; here gemm3m is gemm.
#define MUBLAS_GEMM3M(L, T)                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##gemm3m(                                                         \
        mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k, \
        const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {       \
        return mublas##L##gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);   \
    }

MUBLAS_GEMM3M(C, muComplex)
MUBLAS_GEMM3M(Z, muDoubleComplex)

MUSA_EXPORT mublasStatus mublasCgemm3mBatched(mublasHandle_t handle, mublasOperation_t transa,
                                              mublasOperation_t transb, int m, int n, int k, const muComplex* alpha,
                                              const muComplex* const A[], int lda, const muComplex* const B[],
                                              int ldb, const muComplex* beta, muComplex* const C[], int ldc,
                                              int batch_count) {
    return mublasCgemmBatched(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch_count);
}

MUSA_EXPORT mublasStatus mublasCgemm3mStridedBatched(
    mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,
    const muComplex* alpha, const muComplex* A, int lda, long long stride_a, const muComplex* B, int ldb,
    long long stride_b, const muComplex* beta, muComplex* C, int ldc, long long stride_c, int batch_count) {
    return mublasCgemmStridedBatched(handle, transa, transb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta,
                                     C, ldc, stride_c, batch_count);
}
