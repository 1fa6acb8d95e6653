/* muBLAS: dense linear algebra on column-major matrices in device memory.
 *
 * The functions have cuBLAS's signatures with a status of muBLAS's own, whose names are known from code written for it
 * and whose numbers are not. Not everything of cuBLAS is here: what is missing is not declared. Types that GemmEx does
 * not take together give MUBLAS_STATUS_NOT_IMPLEMENTED.
 *
 * half and bfloat16 are multiplied exactly and summed in float; a result is rounded to 16 bits once.
 */
#ifndef MUBLAS_H
#define MUBLAS_H

#include <library_types.h>
#include <muComplex.h>
#include <musa_runtime_api.h>
#if defined(__cplusplus)
#include <musa_fp16.h>
typedef __half mublas_half;
#else
typedef struct {
    unsigned short x;
} mublas_half;
#endif

typedef enum mublasStatus {
    MUBLAS_STATUS_SUCCESS = 0,
    MUBLAS_STATUS_INVALID_HANDLE = 1,
    MUBLAS_STATUS_NOT_IMPLEMENTED = 2,
    MUBLAS_STATUS_INVALID_POINTER = 3,
    MUBLAS_STATUS_INVALID_SIZE = 4,
    MUBLAS_STATUS_MEMORY_ERROR = 5,
    MUBLAS_STATUS_INTERNAL_ERROR = 6,
    MUBLAS_STATUS_PERF_DEGRADED = 7,
    MUBLAS_STATUS_SIZE_QUERY_MISMATCH = 8,
    MUBLAS_STATUS_SIZE_INCREASED = 9,
    MUBLAS_STATUS_SIZE_UNCHANGED = 10,
    MUBLAS_STATUS_INVALID_VALUE = 11
} mublasStatus;
typedef mublasStatus mublasStatus_t;

typedef enum mublasOperation_t { MUBLAS_OP_N = 0, MUBLAS_OP_T = 1, MUBLAS_OP_C = 2 } mublasOperation_t;
typedef enum mublasFillMode_t { MUBLAS_FILL_MODE_LOWER = 0, MUBLAS_FILL_MODE_UPPER = 1 } mublasFillMode_t;
typedef enum mublasDiagType_t { MUBLAS_DIAG_NON_UNIT = 0, MUBLAS_DIAG_UNIT = 1 } mublasDiagType_t;
typedef enum mublasSideMode_t { MUBLAS_SIDE_LEFT = 0, MUBLAS_SIDE_RIGHT = 1 } mublasSideMode_t;
/* Where alpha, beta and results that are numbers lie. */
typedef enum mublasPointerMode_t {
    MUBLAS_POINTER_MODE_HOST = 0,
    MUBLAS_POINTER_MODE_DEVICE = 1
} mublasPointerMode_t;
/* Which units may be used; all modes compute the same here. */
typedef enum mublasMath_t {
    MUBLAS_DEFAULT_MATH = 0,
    MUBLAS_MATH_MODE_DEFAULT = 0,
    MUBLAS_TENSOR_OP_MATH = 1,
    MUBLAS_PEDANTIC_MATH = 2,
    MUBLAS_TF32_TENSOR_OP_MATH = 3,
    MUBLAS_MATH_MODE_TP32_TENSOR = 3
} mublasMath_t;
typedef enum mublasComputeType_t {
    MUBLAS_COMPUTE_16F = 64,
    MUBLAS_COMPUTE_32F = 68,
    MUBLAS_COMPUTE_64F = 70,
    MUBLAS_COMPUTE_32I = 72,
    MUBLAS_COMPUTE_32F_FAST_16F = 74,
    MUBLAS_COMPUTE_32F_FAST_16BF = 75,
    MUBLAS_COMPUTE_32F_FAST_TF32 = 77
} mublasComputeType_t;
typedef enum mublasGemmAlgo_t {
    MUBLAS_GEMM_DEFAULT = -1,
    MUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    MUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} mublasGemmAlgo_t;

typedef musaDataType_t mublasDataType_t;
typedef struct mublasContext *mublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

mublasStatus mublasCreate(mublasHandle_t *handle);
mublasStatus mublasDestroy(mublasHandle_t handle);
mublasStatus mublasGetVersion(mublasHandle_t handle, int *version);
mublasStatus mublasSetStream(mublasHandle_t handle, musaStream_t stream);
mublasStatus mublasGetStream(mublasHandle_t handle, musaStream_t *stream);
mublasStatus mublasSetPointerMode(mublasHandle_t handle, mublasPointerMode_t mode);
mublasStatus mublasGetPointerMode(mublasHandle_t handle, mublasPointerMode_t *mode);
mublasStatus mublasSetMathMode(mublasHandle_t handle, mublasMath_t mode);
mublasStatus mublasGetMathMode(mublasHandle_t handle, mublasMath_t *mode);
mublasStatus mublasSetWorkspace(mublasHandle_t handle, void *workspace, size_t size);
const char *mublasGetStatusString(mublasStatus status);
/* The name in older SDKs */
const char *mublasStatus_to_string(mublasStatus status);

mublasStatus mublasSetVector(int n, int element_size, const void *x, int incx, void *device_y,
                             int incy);
mublasStatus mublasGetVector(int n, int element_size, const void *device_x, int incx, void *y,
                             int incy);
mublasStatus mublasSetMatrix(int rows, int columns, int element_size, const void *A, int lda,
                             void *device_B, int ldb);
mublasStatus mublasGetMatrix(int rows, int columns, int element_size, const void *device_A, int lda,
                             void *B, int ldb);

/* Level 1: vectors */
mublasStatus mublasSaxpy(mublasHandle_t handle, int n, const float *alpha, const float *x,
                         int incx, float *y, int incy);
mublasStatus mublasDaxpy(mublasHandle_t handle, int n, const double *alpha, const double *x,
                         int incx, double *y, int incy);
mublasStatus mublasCaxpy(mublasHandle_t handle, int n, const muComplex *alpha, const muComplex *x,
                         int incx, muComplex *y, int incy);
mublasStatus mublasZaxpy(mublasHandle_t handle, int n, const muDoubleComplex *alpha,
                         const muDoubleComplex *x, int incx, muDoubleComplex *y, int incy);
mublasStatus mublasSscal(mublasHandle_t handle, int n, const float *alpha, float *x, int incx);
mublasStatus mublasDscal(mublasHandle_t handle, int n, const double *alpha, double *x, int incx);
mublasStatus mublasCscal(mublasHandle_t handle, int n, const muComplex *alpha, muComplex *x,
                         int incx);
mublasStatus mublasZscal(mublasHandle_t handle, int n, const muDoubleComplex *alpha,
                         muDoubleComplex *x, int incx);
mublasStatus mublasCsscal(mublasHandle_t handle, int n, const float *alpha, muComplex *x, int incx);
mublasStatus mublasZdscal(mublasHandle_t handle, int n, const double *alpha, muDoubleComplex *x,
                          int incx);
mublasStatus mublasScopy(mublasHandle_t handle, int n, const float *x, int incx, float *y,
                         int incy);
mublasStatus mublasDcopy(mublasHandle_t handle, int n, const double *x, int incx, double *y,
                         int incy);
mublasStatus mublasCcopy(mublasHandle_t handle, int n, const muComplex *x, int incx, muComplex *y,
                         int incy);
mublasStatus mublasZcopy(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                         muDoubleComplex *y, int incy);
mublasStatus mublasSswap(mublasHandle_t handle, int n, float *x, int incx, float *y, int incy);
mublasStatus mublasDswap(mublasHandle_t handle, int n, double *x, int incx, double *y, int incy);
mublasStatus mublasCswap(mublasHandle_t handle, int n, muComplex *x, int incx, muComplex *y,
                         int incy);
mublasStatus mublasZswap(mublasHandle_t handle, int n, muDoubleComplex *x, int incx,
                         muDoubleComplex *y, int incy);
mublasStatus mublasSdot(mublasHandle_t handle, int n, const float *x, int incx, const float *y,
                        int incy, float *result);
mublasStatus mublasDdot(mublasHandle_t handle, int n, const double *x, int incx, const double *y,
                        int incy, double *result);
mublasStatus mublasCdotu(mublasHandle_t handle, int n, const muComplex *x, int incx,
                         const muComplex *y, int incy, muComplex *result);
mublasStatus mublasCdotc(mublasHandle_t handle, int n, const muComplex *x, int incx,
                         const muComplex *y, int incy, muComplex *result);
mublasStatus mublasZdotu(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                         const muDoubleComplex *y, int incy, muDoubleComplex *result);
mublasStatus mublasZdotc(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                         const muDoubleComplex *y, int incy, muDoubleComplex *result);
mublasStatus mublasSnrm2(mublasHandle_t handle, int n, const float *x, int incx, float *result);
mublasStatus mublasDnrm2(mublasHandle_t handle, int n, const double *x, int incx, double *result);
mublasStatus mublasScnrm2(mublasHandle_t handle, int n, const muComplex *x, int incx,
                          float *result);
mublasStatus mublasDznrm2(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                          double *result);
mublasStatus mublasSasum(mublasHandle_t handle, int n, const float *x, int incx, float *result);
mublasStatus mublasDasum(mublasHandle_t handle, int n, const double *x, int incx, double *result);
mublasStatus mublasScasum(mublasHandle_t handle, int n, const muComplex *x, int incx,
                          float *result);
mublasStatus mublasDzasum(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                          double *result);
mublasStatus mublasIsamax(mublasHandle_t handle, int n, const float *x, int incx, int *result);
mublasStatus mublasIdamax(mublasHandle_t handle, int n, const double *x, int incx, int *result);
mublasStatus mublasIcamax(mublasHandle_t handle, int n, const muComplex *x, int incx, int *result);
mublasStatus mublasIzamax(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                          int *result);
mublasStatus mublasIsamin(mublasHandle_t handle, int n, const float *x, int incx, int *result);
mublasStatus mublasIdamin(mublasHandle_t handle, int n, const double *x, int incx, int *result);
mublasStatus mublasIcamin(mublasHandle_t handle, int n, const muComplex *x, int incx, int *result);
mublasStatus mublasIzamin(mublasHandle_t handle, int n, const muDoubleComplex *x, int incx,
                          int *result);

/* Level 2: a matrix and vectors */
mublasStatus mublasSgemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n,
                         const float *alpha, const float *A, int lda, const float *x, int incx,
                         const float *beta, float *y, int incy);
mublasStatus mublasDgemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n,
                         const double *alpha, const double *A, int lda, const double *x, int incx,
                         const double *beta, double *y, int incy);
mublasStatus mublasCgemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n,
                         const muComplex *alpha, const muComplex *A, int lda, const muComplex *x,
                         int incx, const muComplex *beta, muComplex *y, int incy);
mublasStatus mublasZgemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n,
                         const muDoubleComplex *alpha, const muDoubleComplex *A, int lda,
                         const muDoubleComplex *x, int incx, const muDoubleComplex *beta,
                         muDoubleComplex *y, int incy);
mublasStatus mublasSger(mublasHandle_t handle, int m, int n, const float *alpha, const float *x,
                        int incx, const float *y, int incy, float *A, int lda);
mublasStatus mublasDger(mublasHandle_t handle, int m, int n, const double *alpha, const double *x,
                        int incx, const double *y, int incy, double *A, int lda);

/* Level 3: matrices */
mublasStatus mublasSgemm(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, int k, const float *alpha, const float *A, int lda,
                         const float *B, int ldb, const float *beta, float *C, int ldc);
mublasStatus mublasDgemm(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, int k, const double *alpha, const double *A, int lda,
                         const double *B, int ldb, const double *beta, double *C, int ldc);
mublasStatus mublasCgemm(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, int k, const muComplex *alpha, const muComplex *A, int lda,
                         const muComplex *B, int ldb, const muComplex *beta, muComplex *C,
                         int ldc);
mublasStatus mublasZgemm(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, int k, const muDoubleComplex *alpha,
                         const muDoubleComplex *A, int lda, const muDoubleComplex *B, int ldb,
                         const muDoubleComplex *beta, muDoubleComplex *C, int ldc);
mublasStatus mublasHgemm(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, int k, const mublas_half *alpha, const mublas_half *A,
                         int lda, const mublas_half *B, int ldb, const mublas_half *beta,
                         mublas_half *C, int ldc);
mublasStatus mublasSgemmBatched(mublasHandle_t handle, mublasOperation_t transa,
                                mublasOperation_t transb, int m, int n, int k, const float *alpha,
                                const float *const A[], int lda, const float *const B[], int ldb,
                                const float *beta, float *const C[], int ldc, int batch_count);
mublasStatus mublasDgemmBatched(mublasHandle_t handle, mublasOperation_t transa,
                                mublasOperation_t transb, int m, int n, int k, const double *alpha,
                                const double *const A[], int lda, const double *const B[], int ldb,
                                const double *beta, double *const C[], int ldc, int batch_count);
mublasStatus mublasCgemmBatched(mublasHandle_t handle, mublasOperation_t transa,
                                mublasOperation_t transb, int m, int n, int k,
                                const muComplex *alpha, const muComplex *const A[], int lda,
                                const muComplex *const B[], int ldb, const muComplex *beta,
                                muComplex *const C[], int ldc, int batch_count);
mublasStatus mublasZgemmBatched(mublasHandle_t handle, mublasOperation_t transa,
                                mublasOperation_t transb, int m, int n, int k,
                                const muDoubleComplex *alpha, const muDoubleComplex *const A[],
                                int lda, const muDoubleComplex *const B[], int ldb,
                                const muDoubleComplex *beta, muDoubleComplex *const C[], int ldc,
                                int batch_count);
mublasStatus mublasHgemmBatched(mublasHandle_t handle, mublasOperation_t transa,
                                mublasOperation_t transb, int m, int n, int k,
                                const mublas_half *alpha, const mublas_half *const A[], int lda,
                                const mublas_half *const B[], int ldb, const mublas_half *beta,
                                mublas_half *const C[], int ldc, int batch_count);
mublasStatus mublasSgemmStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                       mublasOperation_t transb, int m, int n, int k,
                                       const float *alpha, const float *A, int lda,
                                       long long stride_a, const float *B, int ldb,
                                       long long stride_b, const float *beta, float *C, int ldc,
                                       long long stride_c, int batch_count);
mublasStatus mublasDgemmStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                       mublasOperation_t transb, int m, int n, int k,
                                       const double *alpha, const double *A, int lda,
                                       long long stride_a, const double *B, int ldb,
                                       long long stride_b, const double *beta, double *C, int ldc,
                                       long long stride_c, int batch_count);
mublasStatus mublasCgemmStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                       mublasOperation_t transb, int m, int n, int k,
                                       const muComplex *alpha, const muComplex *A, int lda,
                                       long long stride_a, const muComplex *B, int ldb,
                                       long long stride_b, const muComplex *beta, muComplex *C,
                                       int ldc, long long stride_c, int batch_count);
mublasStatus mublasZgemmStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                       mublasOperation_t transb, int m, int n, int k,
                                       const muDoubleComplex *alpha, const muDoubleComplex *A,
                                       int lda, long long stride_a, const muDoubleComplex *B,
                                       int ldb, long long stride_b, const muDoubleComplex *beta,
                                       muDoubleComplex *C, int ldc, long long stride_c,
                                       int batch_count);
mublasStatus mublasHgemmStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                       mublasOperation_t transb, int m, int n, int k,
                                       const mublas_half *alpha, const mublas_half *A, int lda,
                                       long long stride_a, const mublas_half *B, int ldb,
                                       long long stride_b, const mublas_half *beta, mublas_half *C,
                                       int ldc, long long stride_c, int batch_count);
mublasStatus mublasSgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const float *alpha, const float *A, int lda,
                         const float *beta, const float *B, int ldb, float *C, int ldc);
mublasStatus mublasDgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const double *alpha, const double *A, int lda,
                         const double *beta, const double *B, int ldb, double *C, int ldc);
mublasStatus mublasStrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const float *alpha, const float *A, int lda, float *B, int ldb);
mublasStatus mublasDtrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const double *alpha, const double *A, int lda, double *B, int ldb);

/* C = alpha op(A) op(B) + beta C for types of their own: A and B of one of 32F, 64F, 16F, 16BF, 8I, C of the same type,
 * or 32F for 16-bit ones, 32I for 8I. alpha and beta have the compute type, where 16F is that of half. */
mublasStatus mublasGemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                          int m, int n, int k, const void *alpha, const void *A,
                          musaDataType_t type_a, int lda, const void *B, musaDataType_t type_b,
                          int ldb, const void *beta, void *C, musaDataType_t type_c, int ldc,
                          mublasComputeType_t compute_type, mublasGemmAlgo_t algo);
mublasStatus mublasGemmBatchedEx(mublasHandle_t handle, mublasOperation_t transa,
                                 mublasOperation_t transb, int m, int n, int k, const void *alpha,
                                 const void *const A[], musaDataType_t type_a, int lda,
                                 const void *const B[], musaDataType_t type_b, int ldb,
                                 const void *beta, void *const C[], musaDataType_t type_c, int ldc,
                                 int batch_count, mublasComputeType_t compute_type,
                                 mublasGemmAlgo_t algo);
mublasStatus mublasGemmStridedBatchedEx(mublasHandle_t handle, mublasOperation_t transa,
                                        mublasOperation_t transb, int m, int n, int k,
                                        const void *alpha, const void *A, musaDataType_t type_a,
                                        int lda, long long stride_a, const void *B,
                                        musaDataType_t type_b, int ldb, long long stride_b,
                                        const void *beta, void *C, musaDataType_t type_c, int ldc,
                                        long long stride_c, int batch_count,
                                        mublasComputeType_t compute_type, mublasGemmAlgo_t algo);

#ifdef __cplusplus
}
#endif

#endif
