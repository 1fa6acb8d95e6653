/* muBLAS's products of matrices that may lie in the host's memory, in blocks on several devices. Names are cuBLAS's, renamed.
 *
 * Here one device computes all: the devices and the size of blocks are remembered and change nothing. The functions return when
 * the result is there. Sizes above 2^31-1 are MUBLAS_STATUS_NOT_IMPLEMENTED.
 */
#ifndef MUBLAS_XT_H_
#define MUBLAS_XT_H_

#include <mublas.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mublasXtContext;
typedef struct mublasXtContext *mublasXtHandle_t;
typedef enum mublasXtPinnedMemMode_t {
    MUBLASXT_PINNING_DISABLED = 0,
    MUBLASXT_PINNING_ENABLED = 1
} mublasXtPinnedMemMode_t;
typedef enum mublasXtOpType_t {
    MUBLASXT_FLOAT = 0,
    MUBLASXT_DOUBLE = 1,
    MUBLASXT_COMPLEX = 2,
    MUBLASXT_DOUBLECOMPLEX = 3
} mublasXtOpType_t;
typedef enum mublasXtBlasOp_t {
    MUBLASXT_GEMM = 0,
    MUBLASXT_SYRK = 1,
    MUBLASXT_HERK = 2,
    MUBLASXT_SYMM = 3,
    MUBLASXT_HEMM = 4,
    MUBLASXT_TRSM = 5,
    MUBLASXT_SYR2K = 6,
    MUBLASXT_HER2K = 7,
    MUBLASXT_SPMM = 8,
    MUBLASXT_SYRKX = 9,
    MUBLASXT_HERKX = 10,
    MUBLASXT_TRMM = 11,
    MUBLASXT_ROUTINE_MAX = 12
} mublasXtBlasOp_t;

mublasStatus mublasXtCreate(mublasXtHandle_t *handle);
mublasStatus mublasXtDestroy(mublasXtHandle_t handle);
mublasStatus mublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards);
mublasStatus mublasXtMaxBoards(int *nbGpuBoards);
mublasStatus mublasXtDeviceSelect(mublasXtHandle_t handle, int nbDevices, int deviceId[]);
mublasStatus mublasXtSetBlockDim(mublasXtHandle_t handle, int blockDim);
mublasStatus mublasXtGetBlockDim(mublasXtHandle_t handle, int *blockDim);
mublasStatus mublasXtSetPinningMemMode(mublasXtHandle_t handle, mublasXtPinnedMemMode_t mode);
mublasStatus mublasXtGetPinningMemMode(mublasXtHandle_t handle, mublasXtPinnedMemMode_t *mode);
/* Parts of the work for a BLAS of the host: MUBLAS_STATUS_NOT_IMPLEMENTED, but for a part of 0 */
mublasStatus mublasXtSetCpuRoutine(mublasXtHandle_t handle, mublasXtBlasOp_t blasOp, mublasXtOpType_t type,
                                   void *blasFunctor);
mublasStatus mublasXtSetCpuRatio(mublasXtHandle_t handle, mublasXtBlasOp_t blasOp, mublasXtOpType_t type, float ratio);

#define MUBLAS_DECLARE(L, T, R)                                                                                        \
    mublasStatus mublasXt##L##gemm(mublasXtHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, size_t \
        m, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C,    \
        size_t ldc);                                                                                                   \
    mublasStatus mublasXt##L##symm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, size_t m,    \
        size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);    \
    mublasStatus mublasXt##L##syrk(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n,  \
        size_t k, const T *alpha, const T *A, size_t lda, const T *beta, T *C, size_t ldc);                            \
    mublasStatus mublasXt##L##syr2k(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n, \
        size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);    \
    mublasStatus mublasXt##L##syrkx(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n, \
        size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);    \
    mublasStatus mublasXt##L##trmm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,              \
        mublasOperation_t trans, mublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda,    \
        const T *B, size_t ldb, T *C, size_t ldc);                                                                     \
    mublasStatus mublasXt##L##trsm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,              \
        mublasOperation_t trans, mublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda, T  \
        *B, size_t ldb);                                                                                               \
    mublasStatus mublasXt##L##spmm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, size_t m,    \
        size_t n, const T *alpha, const T *AP, const T *B, size_t ldb, const T *beta, T *C, size_t ldc)
MUBLAS_DECLARE(S, float, float);
MUBLAS_DECLARE(D, double, double);
MUBLAS_DECLARE(C, muComplex, float);
MUBLAS_DECLARE(Z, muDoubleComplex, double);
#undef MUBLAS_DECLARE

#define MUBLAS_DECLARE(L, T, R)                                                                                        \
    mublasStatus mublasXt##L##hemm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, size_t m,    \
        size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);    \
    mublasStatus mublasXt##L##herk(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n,  \
        size_t k, const R *alpha, const T *A, size_t lda, const R *beta, T *C, size_t ldc);                            \
    mublasStatus mublasXt##L##her2k(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n, \
        size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const R *beta, T *C, size_t ldc);    \
    mublasStatus mublasXt##L##herkx(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, size_t n, \
        size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const R *beta, T *C, size_t ldc)
MUBLAS_DECLARE(C, muComplex, float);
MUBLAS_DECLARE(Z, muDoubleComplex, double);
#undef MUBLAS_DECLARE

#ifdef __cplusplus
}
#endif

#endif
