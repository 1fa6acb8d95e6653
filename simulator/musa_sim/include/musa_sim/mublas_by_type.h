/* Functions of muBLAS that exist for several types of elements, declared once for all of them: plane rotations, matrices
 * of which a triangle or a band is stored, rank-k updates, and factorisations of many small matrices.
 *
 * They have cuBLAS's signatures, renamed. Included by mublas.h, within extern "C".
 */
#ifndef MUBLAS_API_H_
#error "include mublas.h"
#endif

/* L: the letter of type T; R: the type of its real part */
/* Level 1. Where c, s and the others lie is the pointer mode's matter. */
#define MUBLAS_DECLARE(L, T, R)                                                                     \
    mublasStatus mublas##L##rot(mublasHandle_t handle, int n, T *x, int incx, T *y, int incy,       \
        const R *c, const T *s);                                                                    \
    mublasStatus mublas##L##rotg(mublasHandle_t handle, T *a, T *b, R *c, T *s);
MUBLAS_DECLARE(S, float, float)
MUBLAS_DECLARE(D, double, double)
MUBLAS_DECLARE(C, muComplex, float)
MUBLAS_DECLARE(Z, muDoubleComplex, double)
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(L, R)                                                                        \
    mublasStatus mublas##L##rotm(mublasHandle_t handle, int n, R *x, int incx, R *y, int incy,      \
        const R *parameters);                                                                       \
    mublasStatus mublas##L##rotmg(mublasHandle_t handle, R *d1, R *d2, R *x1, const R *y1,          \
        R *parameters);
MUBLAS_DECLARE(S, float)
MUBLAS_DECLARE(D, double)
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(name, T, R)                                                                  \
    mublasStatus mublas##name(mublasHandle_t handle, int n, T *x, int incx, T *y, int incy,         \
        const R *c, const R *s);
MUBLAS_DECLARE(Csrot, muComplex, float)
MUBLAS_DECLARE(Zdrot, muDoubleComplex, double)
#undef MUBLAS_DECLARE

/* Level 2: general bands; symmetric, Hermitian and triangular matrices in full, as bands (k diagonals) and packed (AP) */
#define MUBLAS_DECLARE(L, T)                                                                        \
    mublasStatus mublas##L##gbmv(mublasHandle_t handle, mublasOperation_t trans, int m, int n,      \
        int kl, int ku, const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta,   \
        T *y, int incy);                                                                            \
    mublasStatus mublas##L##symv(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy);  \
    mublasStatus mublas##L##syr(mublasHandle_t handle, mublasFillMode_t uplo, int n,                \
        const T *alpha, const T *x, int incx, T *A, int lda);                                       \
    mublasStatus mublas##L##syr2(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda);                 \
    mublasStatus mublas##L##trmv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, const T *A, int lda, T *x,           \
        int incx);                                                                                  \
    mublasStatus mublas##L##tbmv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, int k, const T *A, int lda, T *x,    \
        int incx);                                                                                  \
    mublasStatus mublas##L##tpmv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, const T *AP, T *x, int incx);        \
    mublasStatus mublas##L##trsv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, const T *A, int lda, T *x,           \
        int incx);                                                                                  \
    mublasStatus mublas##L##tbsv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, int k, const T *A, int lda, T *x,    \
        int incx);                                                                                  \
    mublasStatus mublas##L##tpsv(mublasHandle_t handle, mublasFillMode_t uplo,                      \
        mublasOperation_t trans, mublasDiagType_t diag, int n, const T *AP, T *x, int incx);        \
    mublasStatus mublas##L##tpttr(mublasHandle_t handle, mublasFillMode_t uplo, int n,              \
        const T *AP, T *A, int lda);                                                                \
    mublasStatus mublas##L##trttp(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T *A,  \
        int lda, T *AP);
MUBLAS_DECLARE(S, float)
MUBLAS_DECLARE(D, double)
MUBLAS_DECLARE(C, muComplex)
MUBLAS_DECLARE(Z, muDoubleComplex)
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(L, T)                                                                        \
    mublasStatus mublas##L##sbmv(mublasHandle_t handle, mublasFillMode_t uplo, int n, int k,        \
        const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy);  \
    mublasStatus mublas##L##spmv(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *AP, const T *x, int incx, const T *beta, T *y, int incy);          \
    mublasStatus mublas##L##spr(mublasHandle_t handle, mublasFillMode_t uplo, int n,                \
        const T *alpha, const T *x, int incx, T *AP);                                               \
    mublasStatus mublas##L##spr2(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *x, int incx, const T *y, int incy, T *AP);
MUBLAS_DECLARE(S, float)
MUBLAS_DECLARE(D, double)
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(L, T, R)                                                                     \
    mublasStatus mublas##L##hemv(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy);  \
    mublasStatus mublas##L##hbmv(mublasHandle_t handle, mublasFillMode_t uplo, int n, int k,        \
        const T *alpha, const T *A, int lda, const T *x, int incx, const T *beta, T *y, int incy);  \
    mublasStatus mublas##L##hpmv(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *AP, const T *x, int incx, const T *beta, T *y, int incy);          \
    mublasStatus mublas##L##her(mublasHandle_t handle, mublasFillMode_t uplo, int n,                \
        const R *alpha, const T *x, int incx, T *A, int lda);                                       \
    mublasStatus mublas##L##her2(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *x, int incx, const T *y, int incy, T *A, int lda);                 \
    mublasStatus mublas##L##hpr(mublasHandle_t handle, mublasFillMode_t uplo, int n,                \
        const R *alpha, const T *x, int incx, T *AP);                                               \
    mublasStatus mublas##L##hpr2(mublasHandle_t handle, mublasFillMode_t uplo, int n,               \
        const T *alpha, const T *x, int incx, const T *y, int incy, T *AP);
MUBLAS_DECLARE(C, muComplex, float)
MUBLAS_DECLARE(Z, muDoubleComplex, double)
#undef MUBLAS_DECLARE

/* Level 3: one triangle of C is read and written */
#define MUBLAS_DECLARE(L, T)                                                                        \
    mublasStatus mublas##L##syrkx(mublasHandle_t handle, mublasFillMode_t uplo,                     \
        mublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B,     \
        int ldb, const T *beta, T *C, int ldc);                                                     \
    mublasStatus mublas##L##syr2k(mublasHandle_t handle, mublasFillMode_t uplo,                     \
        mublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B,     \
        int ldb, const T *beta, T *C, int ldc);
MUBLAS_DECLARE(S, float)
MUBLAS_DECLARE(D, double)
MUBLAS_DECLARE(C, muComplex)
MUBLAS_DECLARE(Z, muDoubleComplex)
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(L, T, R)                                                                     \
    mublasStatus mublas##L##herkx(mublasHandle_t handle, mublasFillMode_t uplo,                     \
        mublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B,     \
        int ldb, const R *beta, T *C, int ldc);                                                     \
    mublasStatus mublas##L##her2k(mublasHandle_t handle, mublasFillMode_t uplo,                     \
        mublasOperation_t trans, int n, int k, const T *alpha, const T *A, int lda, const T *B,     \
        int ldb, const R *beta, T *C, int ldc);                                                     \
    mublasStatus mublas##L##gemm3m(mublasHandle_t handle, mublasOperation_t transa,                 \
        mublasOperation_t transb, int m, int n, int k, const T *alpha, const T *A, int lda,         \
        const T *B, int ldb, const T *beta, T *C, int ldc);
MUBLAS_DECLARE(C, muComplex, float)
MUBLAS_DECLARE(Z, muDoubleComplex, double)
#undef MUBLAS_DECLARE

/* Many matrices, which lie at pointers in device memory. Pivots count from 1, n per matrix; without pivots none are
 * exchanged. The info of getrf, getri and matinv, and device_info, are the device's, one per matrix: 0, or the number of
 * the first diagonal element that is zero. That of getrs, geqrf and gels is one number of the host. matinv takes at most
 * 32 rows; gels takes m >= n and MUBLAS_OP_N. */
#define MUBLAS_DECLARE(L, T)                                                                        \
    mublasStatus mublas##L##getrfBatched(mublasHandle_t handle, int n, T *const A[], int lda,       \
        int *pivots, int *info, int batch_count);                                                   \
    mublasStatus mublas##L##getriBatched(mublasHandle_t handle, int n, const T *const A[],          \
        int lda, const int *pivots, T *const C[], int ldc, int *info, int batch_count);             \
    mublasStatus mublas##L##getrsBatched(mublasHandle_t handle, mublasOperation_t trans, int n,     \
        int nrhs, const T *const A[], int lda, const int *pivots, T *const B[], int ldb,            \
        int *info, int batch_count);                                                                \
    mublasStatus mublas##L##matinvBatched(mublasHandle_t handle, int n, const T *const A[],         \
        int lda, T *const inverses[], int ldinv, int *info, int batch_count);                       \
    mublasStatus mublas##L##geqrfBatched(mublasHandle_t handle, int m, int n, T *const A[],         \
        int lda, T *const tau[], int *info, int batch_count);                                       \
    mublasStatus mublas##L##gelsBatched(mublasHandle_t handle, mublasOperation_t trans, int m,      \
        int n, int nrhs, T *const A[], int lda, T *const C[], int ldc, int *info,                   \
        int *device_info, int batch_count);
MUBLAS_DECLARE(S, float)
MUBLAS_DECLARE(D, double)
MUBLAS_DECLARE(C, muComplex)
MUBLAS_DECLARE(Z, muDoubleComplex)
#undef MUBLAS_DECLARE
