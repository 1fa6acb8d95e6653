/* muBLAS: dense linear algebra on column-major matrices in device memory.
 *
 * The functions have cuBLAS's signatures with a status of muBLAS's own, whose names are known from code written for it
 * and whose numbers are not. Not everything of cuBLAS is here: what is missing is not declared. Types that GemmEx does
 * not take together give MUBLAS_STATUS_NOT_IMPLEMENTED.
 *
 * half and bfloat16 are multiplied exactly and summed in float; a result is rounded to 16 bits once.
 */
#ifndef MUBLAS_API_H_
#define MUBLAS_API_H_
#define MUBLAS_V2_H_

#include <library_types.h>
#include <muComplex.h>
#include <musa_runtime_api.h>
#include <stdint.h>
#if defined(__cplusplus)
#include <musa_bf16.h>
#include <musa_fp16.h>
typedef __half mublas_half;
#else
typedef struct {
    unsigned short x;
} mublas_half;
#endif

#define MUBLAS_VER_MAJOR 1
#define MUBLAS_VER_MINOR 10
#define MUBLAS_VER_PATCH 0
#define MUBLAS_VERSION (MUBLAS_VER_MAJOR * 10000 + MUBLAS_VER_MINOR * 100 + MUBLAS_VER_PATCH)

#ifndef MUBLASAPI
#define MUBLASAPI
#endif
#ifndef MUBLASWINAPI
#define MUBLASWINAPI
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
    MUBLAS_STATUS_INVALID_VALUE = 11,
    /* No function returns these. The fourth and later names are cuBLAS's, for code that lists them */
    MUBLAS_STATUS_CONTINUE = 12,
    MUBLAS_STATUS_CHECK_NUMERICS_FAIL = 13,
    MUBLAS_STATUS_NOT_SUPPORTED = 14,
    MUBLAS_STATUS_NOT_INITIALIZED = 15,
    MUBLAS_STATUS_ALLOC_FAILED = 16,
    MUBLAS_STATUS_ARCH_MISMATCH = 17,
    MUBLAS_STATUS_MAPPING_ERROR = 18,
    MUBLAS_STATUS_EXECUTION_FAILED = 19,
    MUBLAS_STATUS_LICENSE_ERROR = 20
} mublasStatus;
typedef mublasStatus mublasStatus_t;

typedef enum mublasOperation_t {
    MUBLAS_OP_N = 0,
    MUBLAS_OP_T = 1,
    MUBLAS_OP_C = 2,
    MUBLAS_OP_HERMITAN = 2
} mublasOperation_t;
typedef enum mublasFillMode_t { MUBLAS_FILL_MODE_LOWER = 0, MUBLAS_FILL_MODE_UPPER = 1, MUBLAS_FILL_MODE_FULL = 2 } mublasFillMode_t;
typedef enum mublasDiagType_t { MUBLAS_DIAG_NON_UNIT = 0, MUBLAS_DIAG_UNIT = 1 } mublasDiagType_t;
typedef enum mublasSideMode_t { MUBLAS_SIDE_LEFT = 0, MUBLAS_SIDE_RIGHT = 1 } mublasSideMode_t;
/* The memory that alpha, beta and scalar results are in. */
typedef enum mublasPointerMode_t {
    MUBLAS_POINTER_MODE_HOST = 0,
    MUBLAS_POINTER_MODE_DEVICE = 1
} mublasPointerMode_t;
/* The units that an operation may use; all modes compute the same in the simulator. */
typedef enum mublasMath_t {
    MUBLAS_DEFAULT_MATH = 0,
    MUBLAS_MATH_MODE_DEFAULT = 0,
    MUBLAS_TENSOR_OP_MATH = 1,
    MUBLAS_PEDANTIC_MATH = 2,
    MUBLAS_TF32_TENSOR_OP_MATH = 3,
    MUBLAS_MATH_MODE_TP32_TENSOR = 3,
    MUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} mublasMath_t;
/* Whether sums may differ between runs; in the simulator they do not. */
typedef enum mublasAtomicsMode_t {
    MUBLAS_ATOMICS_NOT_ALLOWED = 0,
    MUBLAS_ATOMICS_ALLOWED = 1
} mublasAtomicsMode_t;
typedef enum mublasComputeType_t {
    MUBLAS_COMPUTE_16F = 64,
    MUBLAS_COMPUTE_16F_PEDANTIC = 65,
    MUBLAS_COMPUTE_32F = 68,
    MUBLAS_COMPUTE_32F_PEDANTIC = 69,
    MUBLAS_COMPUTE_64F = 70,
    MUBLAS_COMPUTE_64F_PEDANTIC = 71,
    MUBLAS_COMPUTE_32I = 72,
    MUBLAS_COMPUTE_32I_PEDANTIC = 73,
    MUBLAS_COMPUTE_32F_FAST_16F = 74,
    MUBLAS_COMPUTE_32F_FAST_16BF = 75,
    MUBLAS_COMPUTE_32F_FAST_TF32 = 77
} mublasComputeType_t;
/* All names mean the same algorithm. */
typedef enum mublasGemmAlgo_t {
    MUBLAS_GEMM_DFALT = -1,
    MUBLAS_GEMM_DEFAULT = -1,
    MUBLAS_GEMM_ALGO0 = 0,
    MUBLAS_GEMM_ALGO1 = 1,
    MUBLAS_GEMM_ALGO2 = 2,
    MUBLAS_GEMM_ALGO3 = 3,
    MUBLAS_GEMM_ALGO4 = 4,
    MUBLAS_GEMM_ALGO5 = 5,
    MUBLAS_GEMM_ALGO6 = 6,
    MUBLAS_GEMM_ALGO7 = 7,
    MUBLAS_GEMM_ALGO8 = 8,
    MUBLAS_GEMM_ALGO9 = 9,
    MUBLAS_GEMM_ALGO10 = 10,
    MUBLAS_GEMM_ALGO11 = 11,
    MUBLAS_GEMM_ALGO12 = 12,
    MUBLAS_GEMM_ALGO13 = 13,
    MUBLAS_GEMM_ALGO14 = 14,
    MUBLAS_GEMM_ALGO15 = 15,
    MUBLAS_GEMM_ALGO16 = 16,
    MUBLAS_GEMM_ALGO17 = 17,
    MUBLAS_GEMM_ALGO18 = 18,
    MUBLAS_GEMM_ALGO19 = 19,
    MUBLAS_GEMM_ALGO20 = 20,
    MUBLAS_GEMM_ALGO21 = 21,
    MUBLAS_GEMM_ALGO22 = 22,
    MUBLAS_GEMM_ALGO23 = 23,
    MUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    MUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    MUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    MUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    MUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    MUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    MUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    MUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    MUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    MUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    MUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    MUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    MUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    MUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    MUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    MUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    MUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
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
mublasStatus mublasGetProperty(libraryPropertyType type, int *value);
size_t mublasGetCudartVersion(void);
mublasStatus mublasSetStream(mublasHandle_t handle, musaStream_t stream);
mublasStatus mublasGetStream(mublasHandle_t handle, musaStream_t *stream);
mublasStatus mublasSetPointerMode(mublasHandle_t handle, mublasPointerMode_t mode);
mublasStatus mublasGetPointerMode(mublasHandle_t handle, mublasPointerMode_t *mode);
mublasStatus mublasSetMathMode(mublasHandle_t handle, mublasMath_t mode);
mublasStatus mublasGetMathMode(mublasHandle_t handle, mublasMath_t *mode);
mublasStatus mublasSetAtomicsMode(mublasHandle_t handle, mublasAtomicsMode_t mode);
mublasStatus mublasGetAtomicsMode(mublasHandle_t handle, mublasAtomicsMode_t *mode);
/* The number of multiprocessors that an operation may take, 0 for all. The simulator only stores it. */
mublasStatus mublasSetSmCountTarget(mublasHandle_t handle, int count);
mublasStatus mublasGetSmCountTarget(mublasHandle_t handle, int *count);
mublasStatus mublasSetWorkspace(mublasHandle_t handle, void *workspace, size_t size);
const char *mublasGetStatusString(mublasStatus status);
const char *mublasGetStatusName(mublasStatus status);
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
mublasStatus mublasSetVectorAsync(int n, int element_size, const void *x, int incx, void *device_y,
                                  int incy, musaStream_t stream);
mublasStatus mublasGetVectorAsync(int n, int element_size, const void *device_x, int incx, void *y,
                                  int incy, musaStream_t stream);
mublasStatus mublasSetMatrixAsync(int rows, int columns, int element_size, const void *A, int lda,
                                  void *device_B, int ldb, musaStream_t stream);
mublasStatus mublasGetMatrixAsync(int rows, int columns, int element_size, const void *device_A,
                                  int lda, void *B, int ldb, musaStream_t stream);

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
mublasStatus mublasCgeru(mublasHandle_t handle, int m, int n, const muComplex *alpha,
                         const muComplex *x, int incx, const muComplex *y, int incy,
                         muComplex *A, int lda);
mublasStatus mublasCgerc(mublasHandle_t handle, int m, int n, const muComplex *alpha,
                         const muComplex *x, int incx, const muComplex *y, int incy,
                         muComplex *A, int lda);
mublasStatus mublasZgeru(mublasHandle_t handle, int m, int n, const muDoubleComplex *alpha,
                         const muDoubleComplex *x, int incx, const muDoubleComplex *y, int incy,
                         muDoubleComplex *A, int lda);
mublasStatus mublasZgerc(mublasHandle_t handle, int m, int n, const muDoubleComplex *alpha,
                         const muDoubleComplex *x, int incx, const muDoubleComplex *y, int incy,
                         muDoubleComplex *A, int lda);

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
/* Matrices that are symmetric, Hermitian, triangular or diagonal. Of the first three one triangle is read or written */
mublasStatus mublasSgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const float *alpha, const float *A, int lda,
                         const float *beta, const float *B, int ldb, float *C, int ldc);
mublasStatus mublasSdgmm(mublasHandle_t handle, mublasSideMode_t mode, int m, int n, const float *A,
                         int lda, const float *x, int incx, float *C, int ldc);
mublasStatus mublasSsymm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const float *alpha, const float *A, int lda, const float *B,
                         int ldb, const float *beta, float *C, int ldc);
mublasStatus mublasSsyrk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const float *alpha, const float *A, int lda, const float *beta,
                         float *C, int ldc);
mublasStatus mublasStrmm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const float *alpha, const float *A, int lda, const float *B, int ldb,
                         float *C, int ldc);
mublasStatus mublasStrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const float *alpha, const float *A, int lda, float *B, int ldb);
mublasStatus mublasStrsmBatched(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                                mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                                const float *alpha, const float *const A[], int lda,
                                float *const B[], int ldb, int batch_count);
mublasStatus mublasDgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const double *alpha, const double *A, int lda,
                         const double *beta, const double *B, int ldb, double *C, int ldc);
mublasStatus mublasDdgmm(mublasHandle_t handle, mublasSideMode_t mode, int m, int n, const double *A,
                         int lda, const double *x, int incx, double *C, int ldc);
mublasStatus mublasDsymm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const double *alpha, const double *A, int lda, const double *B,
                         int ldb, const double *beta, double *C, int ldc);
mublasStatus mublasDsyrk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const double *alpha, const double *A, int lda, const double *beta,
                         double *C, int ldc);
mublasStatus mublasDtrmm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const double *alpha, const double *A, int lda, const double *B, int ldb,
                         double *C, int ldc);
mublasStatus mublasDtrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const double *alpha, const double *A, int lda, double *B, int ldb);
mublasStatus mublasDtrsmBatched(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                                mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                                const double *alpha, const double *const A[], int lda,
                                double *const B[], int ldb, int batch_count);
mublasStatus mublasCgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const muComplex *alpha, const muComplex *A, int lda,
                         const muComplex *beta, const muComplex *B, int ldb, muComplex *C, int ldc);
mublasStatus mublasCdgmm(mublasHandle_t handle, mublasSideMode_t mode, int m, int n, const muComplex *A,
                         int lda, const muComplex *x, int incx, muComplex *C, int ldc);
mublasStatus mublasCsymm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const muComplex *alpha, const muComplex *A, int lda, const muComplex *B,
                         int ldb, const muComplex *beta, muComplex *C, int ldc);
mublasStatus mublasCsyrk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const muComplex *alpha, const muComplex *A, int lda, const muComplex *beta,
                         muComplex *C, int ldc);
mublasStatus mublasCtrmm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const muComplex *alpha, const muComplex *A, int lda, const muComplex *B, int ldb,
                         muComplex *C, int ldc);
mublasStatus mublasCtrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const muComplex *alpha, const muComplex *A, int lda, muComplex *B, int ldb);
mublasStatus mublasCtrsmBatched(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                                mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                                const muComplex *alpha, const muComplex *const A[], int lda,
                                muComplex *const B[], int ldb, int batch_count);
mublasStatus mublasZgeam(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                         int m, int n, const muDoubleComplex *alpha, const muDoubleComplex *A, int lda,
                         const muDoubleComplex *beta, const muDoubleComplex *B, int ldb, muDoubleComplex *C, int ldc);
mublasStatus mublasZdgmm(mublasHandle_t handle, mublasSideMode_t mode, int m, int n, const muDoubleComplex *A,
                         int lda, const muDoubleComplex *x, int incx, muDoubleComplex *C, int ldc);
mublasStatus mublasZsymm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const muDoubleComplex *alpha, const muDoubleComplex *A, int lda, const muDoubleComplex *B,
                         int ldb, const muDoubleComplex *beta, muDoubleComplex *C, int ldc);
mublasStatus mublasZsyrk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const muDoubleComplex *alpha, const muDoubleComplex *A, int lda, const muDoubleComplex *beta,
                         muDoubleComplex *C, int ldc);
mublasStatus mublasZtrmm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const muDoubleComplex *alpha, const muDoubleComplex *A, int lda, const muDoubleComplex *B, int ldb,
                         muDoubleComplex *C, int ldc);
mublasStatus mublasZtrsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                         mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                         const muDoubleComplex *alpha, const muDoubleComplex *A, int lda, muDoubleComplex *B, int ldb);
mublasStatus mublasZtrsmBatched(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,
                                mublasOperation_t trans, mublasDiagType_t diag, int m, int n,
                                const muDoubleComplex *alpha, const muDoubleComplex *const A[], int lda,
                                muDoubleComplex *const B[], int ldb, int batch_count);
mublasStatus mublasChemm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const muComplex *alpha, const muComplex *A, int lda, const muComplex *B,
                         int ldb, const muComplex *beta, muComplex *C, int ldc);
mublasStatus mublasCherk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const float *alpha, const muComplex *A, int lda, const float *beta,
                         muComplex *C, int ldc);
mublasStatus mublasZhemm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m,
                         int n, const muDoubleComplex *alpha, const muDoubleComplex *A, int lda, const muDoubleComplex *B,
                         int ldb, const muDoubleComplex *beta, muDoubleComplex *C, int ldc);
mublasStatus mublasZherk(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n,
                         int k, const double *alpha, const muDoubleComplex *A, int lda, const double *beta,
                         muDoubleComplex *C, int ldc);

#include <musa_sim/mublas_by_type.h>

mublasStatus mublasCgemm3mBatched(mublasHandle_t handle, mublasOperation_t transa,
                                  mublasOperation_t transb, int m, int n, int k,
                                  const muComplex *alpha, const muComplex *const A[], int lda,
                                  const muComplex *const B[], int ldb, const muComplex *beta,
                                  muComplex *const C[], int ldc, int batch_count);
mublasStatus mublasCgemm3mStridedBatched(mublasHandle_t handle, mublasOperation_t transa,
                                         mublasOperation_t transb, int m, int n, int k,
                                         const muComplex *alpha, const muComplex *A, int lda,
                                         long long stride_a, const muComplex *B, int ldb,
                                         long long stride_b, const muComplex *beta, muComplex *C,
                                         int ldc, long long stride_c, int batch_count);

/* Vectors of types of their own: both of one of 16F, 16BF, 32F, 64F, C_32F, C_64F. Those of 16 bits are computed in 32F,
 * and alpha, c and s may be 32F; results have the vectors' type, norms their real part's. */
/* Plane rotations of float and double, one type for all arguments */
mublasStatus mublasRotgEx(mublasHandle_t handle, void *a, void *b, musaDataType_t type_ab, void *c, void *s,
                          musaDataType_t type_cs, musaDataType_t execution);
mublasStatus mublasRotmEx(mublasHandle_t handle, int n, void *x, musaDataType_t type_x, int incx, void *y,
                          musaDataType_t type_y, int incy, const void *parameters, musaDataType_t type_parameters,
                          musaDataType_t execution);
mublasStatus mublasRotmgEx(mublasHandle_t handle, void *d1, musaDataType_t type_d1, void *d2, musaDataType_t type_d2,
                           void *x1, musaDataType_t type_x1, const void *y1, musaDataType_t type_y1, void *parameters,
                           musaDataType_t type_parameters, musaDataType_t execution);
mublasStatus mublasAxpyEx(mublasHandle_t handle, int n, const void *alpha, musaDataType_t type_alpha,
                          const void *x, musaDataType_t type_x, int incx, void *y,
                          musaDataType_t type_y, int incy, musaDataType_t execution);
mublasStatus mublasScalEx(mublasHandle_t handle, int n, const void *alpha, musaDataType_t type_alpha,
                          void *x, musaDataType_t type_x, int incx, musaDataType_t execution);
mublasStatus mublasDotEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x, int incx,
                         const void *y, musaDataType_t type_y, int incy, void *result,
                         musaDataType_t type_of_result, musaDataType_t execution);
mublasStatus mublasDotcEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x, int incx,
                          const void *y, musaDataType_t type_y, int incy, void *result,
                          musaDataType_t type_of_result, musaDataType_t execution);
mublasStatus mublasNrm2Ex(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x, int incx,
                          void *result, musaDataType_t type_of_result, musaDataType_t execution);
mublasStatus mublasAsumEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x, int incx,
                          void *result, musaDataType_t type_of_result, musaDataType_t execution);
mublasStatus mublasCopyEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x, int incx,
                          void *y, musaDataType_t type_y, int incy);
mublasStatus mublasSwapEx(mublasHandle_t handle, int n, void *x, musaDataType_t type_x, int incx,
                          void *y, musaDataType_t type_y, int incy);
mublasStatus mublasIamaxEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x,
                           int incx, int *result);
mublasStatus mublasIaminEx(mublasHandle_t handle, int n, const void *x, musaDataType_t type_x,
                           int incx, int *result);
mublasStatus mublasRotEx(mublasHandle_t handle, int n, void *x, musaDataType_t type_x, int incx, void *y,
                         musaDataType_t type_y, int incy, const void *c, const void *s,
                         musaDataType_t type_cs, musaDataType_t execution);

/* C = alpha op(A) op(B) + beta C for types of their own: A and B of one of 32F, 64F, 16F, 16BF, 8I, C of the same type,
 * or 32F for 16-bit ones and 8I, 32I for 8I. alpha and beta have the compute type, where 16F is that of half. */
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
/* The same, computed in float */
mublasStatus mublasSgemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                           int m, int n, int k, const float *alpha, const void *A,
                           musaDataType_t type_a, int lda, const void *B, musaDataType_t type_b,
                           int ldb, const float *beta, void *C, musaDataType_t type_c, int ldc);
mublasStatus mublasCgemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                           int m, int n, int k, const muComplex *alpha, const void *A,
                           musaDataType_t type_a, int lda, const void *B, musaDataType_t type_b,
                           int ldb, const muComplex *beta, void *C, musaDataType_t type_c, int ldc);

#include <musa_sim/mublas_other_forms.h>

#ifdef __cplusplus
}

/* In C++, a data type may take the position of a compute type, as before cuBLAS 11. Other data types are
 * MUBLAS_STATUS_NOT_IMPLEMENTED */
static inline mublasComputeType_t mublasComputeTypeOf(musaDataType_t type) {
    switch (type) {
        case MUSA_R_16F: return MUBLAS_COMPUTE_16F;
        case MUSA_R_32F:
        case MUSA_C_32F: return MUBLAS_COMPUTE_32F;
        case MUSA_R_64F:
        case MUSA_C_64F: return MUBLAS_COMPUTE_64F;
        case MUSA_R_32I: return MUBLAS_COMPUTE_32I;
        default: return static_cast<mublasComputeType_t>(-1);
    }
}
static inline mublasStatus mublasGemmEx(mublasHandle_t handle, mublasOperation_t transa,
                                        mublasOperation_t transb, int m, int n, int k,
                                        const void *alpha, const void *A, musaDataType_t type_a, int lda,
                                        const void *B, musaDataType_t type_b, int ldb, const void *beta,
                                        void *C, musaDataType_t type_c, int ldc,
                                        musaDataType_t compute_type, mublasGemmAlgo_t algo) {
    return mublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta,
                        C, type_c, ldc, mublasComputeTypeOf(compute_type), algo);
}
static inline mublasStatus mublasGemmBatchedEx(
    mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *const A[], musaDataType_t type_a, int lda, const void *const B[],
    musaDataType_t type_b, int ldb, const void *beta, void *const C[], musaDataType_t type_c, int ldc,
    int batch_count, musaDataType_t compute_type, mublasGemmAlgo_t algo) {
    return mublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb,
                               beta, C, type_c, ldc, batch_count, mublasComputeTypeOf(compute_type),
                               algo);
}
static inline mublasStatus mublasGemmStridedBatchedEx(
    mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *A, musaDataType_t type_a, int lda, long long stride_a,
    const void *B, musaDataType_t type_b, int ldb, long long stride_b, const void *beta, void *C,
    musaDataType_t type_c, int ldc, long long stride_c, int batch_count, musaDataType_t compute_type,
    mublasGemmAlgo_t algo) {
    return mublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, stride_a,
                                      B, type_b, ldb, stride_b, beta, C, type_c, ldc, stride_c,
                                      batch_count, mublasComputeTypeOf(compute_type), algo);
}
#endif

/* The names by which cublas_v2.h exports them, which some programs call */
#define mublasCaxpy_v2 mublasCaxpy
#define mublasCcopy_v2 mublasCcopy
#define mublasCdotc_v2 mublasCdotc
#define mublasCdotu_v2 mublasCdotu
#define mublasCgbmv_v2 mublasCgbmv
#define mublasCgemm_v2 mublasCgemm
#define mublasCgemv_v2 mublasCgemv
#define mublasCgerc_v2 mublasCgerc
#define mublasCgeru_v2 mublasCgeru
#define mublasChbmv_v2 mublasChbmv
#define mublasChemm_v2 mublasChemm
#define mublasChemv_v2 mublasChemv
#define mublasCher2_v2 mublasCher2
#define mublasCher2k_v2 mublasCher2k
#define mublasCher_v2 mublasCher
#define mublasCherk_v2 mublasCherk
#define mublasChpmv_v2 mublasChpmv
#define mublasChpr2_v2 mublasChpr2
#define mublasChpr_v2 mublasChpr
#define mublasCreate_v2 mublasCreate
#define mublasCrot_v2 mublasCrot
#define mublasCrotg_v2 mublasCrotg
#define mublasCscal_v2 mublasCscal
#define mublasCsrot_v2 mublasCsrot
#define mublasCsscal_v2 mublasCsscal
#define mublasCswap_v2 mublasCswap
#define mublasCsymm_v2 mublasCsymm
#define mublasCsymv_v2 mublasCsymv
#define mublasCsyr2_v2 mublasCsyr2
#define mublasCsyr2k_v2 mublasCsyr2k
#define mublasCsyr_v2 mublasCsyr
#define mublasCsyrk_v2 mublasCsyrk
#define mublasCtbmv_v2 mublasCtbmv
#define mublasCtbsv_v2 mublasCtbsv
#define mublasCtpmv_v2 mublasCtpmv
#define mublasCtpsv_v2 mublasCtpsv
#define mublasCtrmm_v2 mublasCtrmm
#define mublasCtrmv_v2 mublasCtrmv
#define mublasCtrsm_v2 mublasCtrsm
#define mublasCtrsv_v2 mublasCtrsv
#define mublasDasum_v2 mublasDasum
#define mublasDaxpy_v2 mublasDaxpy
#define mublasDcopy_v2 mublasDcopy
#define mublasDdot_v2 mublasDdot
#define mublasDestroy_v2 mublasDestroy
#define mublasDgbmv_v2 mublasDgbmv
#define mublasDgemm_v2 mublasDgemm
#define mublasDgemv_v2 mublasDgemv
#define mublasDger_v2 mublasDger
#define mublasDnrm2_v2 mublasDnrm2
#define mublasDrot_v2 mublasDrot
#define mublasDrotg_v2 mublasDrotg
#define mublasDrotm_v2 mublasDrotm
#define mublasDrotmg_v2 mublasDrotmg
#define mublasDsbmv_v2 mublasDsbmv
#define mublasDscal_v2 mublasDscal
#define mublasDspmv_v2 mublasDspmv
#define mublasDspr2_v2 mublasDspr2
#define mublasDspr_v2 mublasDspr
#define mublasDswap_v2 mublasDswap
#define mublasDsymm_v2 mublasDsymm
#define mublasDsymv_v2 mublasDsymv
#define mublasDsyr2_v2 mublasDsyr2
#define mublasDsyr2k_v2 mublasDsyr2k
#define mublasDsyr_v2 mublasDsyr
#define mublasDsyrk_v2 mublasDsyrk
#define mublasDtbmv_v2 mublasDtbmv
#define mublasDtbsv_v2 mublasDtbsv
#define mublasDtpmv_v2 mublasDtpmv
#define mublasDtpsv_v2 mublasDtpsv
#define mublasDtrmm_v2 mublasDtrmm
#define mublasDtrmv_v2 mublasDtrmv
#define mublasDtrsm_v2 mublasDtrsm
#define mublasDtrsv_v2 mublasDtrsv
#define mublasDzasum_v2 mublasDzasum
#define mublasDznrm2_v2 mublasDznrm2
#define mublasGetPointerMode_v2 mublasGetPointerMode
#define mublasGetStream_v2 mublasGetStream
#define mublasGetVersion_v2 mublasGetVersion
#define mublasIcamax_v2 mublasIcamax
#define mublasIcamin_v2 mublasIcamin
#define mublasIdamax_v2 mublasIdamax
#define mublasIdamin_v2 mublasIdamin
#define mublasIsamax_v2 mublasIsamax
#define mublasIsamin_v2 mublasIsamin
#define mublasIzamax_v2 mublasIzamax
#define mublasIzamin_v2 mublasIzamin
#define mublasSasum_v2 mublasSasum
#define mublasSaxpy_v2 mublasSaxpy
#define mublasScasum_v2 mublasScasum
#define mublasScnrm2_v2 mublasScnrm2
#define mublasScopy_v2 mublasScopy
#define mublasSdot_v2 mublasSdot
#define mublasSetPointerMode_v2 mublasSetPointerMode
#define mublasSetStream_v2 mublasSetStream
#define mublasSetWorkspace_v2 mublasSetWorkspace
#define mublasSgbmv_v2 mublasSgbmv
#define mublasSgemm_v2 mublasSgemm
#define mublasSgemv_v2 mublasSgemv
#define mublasSger_v2 mublasSger
#define mublasSnrm2_v2 mublasSnrm2
#define mublasSrot_v2 mublasSrot
#define mublasSrotg_v2 mublasSrotg
#define mublasSrotm_v2 mublasSrotm
#define mublasSrotmg_v2 mublasSrotmg
#define mublasSsbmv_v2 mublasSsbmv
#define mublasSscal_v2 mublasSscal
#define mublasSspmv_v2 mublasSspmv
#define mublasSspr2_v2 mublasSspr2
#define mublasSspr_v2 mublasSspr
#define mublasSswap_v2 mublasSswap
#define mublasSsymm_v2 mublasSsymm
#define mublasSsymv_v2 mublasSsymv
#define mublasSsyr2_v2 mublasSsyr2
#define mublasSsyr2k_v2 mublasSsyr2k
#define mublasSsyr_v2 mublasSsyr
#define mublasSsyrk_v2 mublasSsyrk
#define mublasStbmv_v2 mublasStbmv
#define mublasStbsv_v2 mublasStbsv
#define mublasStpmv_v2 mublasStpmv
#define mublasStpsv_v2 mublasStpsv
#define mublasStrmm_v2 mublasStrmm
#define mublasStrmv_v2 mublasStrmv
#define mublasStrsm_v2 mublasStrsm
#define mublasStrsv_v2 mublasStrsv
#define mublasZaxpy_v2 mublasZaxpy
#define mublasZcopy_v2 mublasZcopy
#define mublasZdotc_v2 mublasZdotc
#define mublasZdotu_v2 mublasZdotu
#define mublasZdrot_v2 mublasZdrot
#define mublasZdscal_v2 mublasZdscal
#define mublasZgbmv_v2 mublasZgbmv
#define mublasZgemm_v2 mublasZgemm
#define mublasZgemv_v2 mublasZgemv
#define mublasZgerc_v2 mublasZgerc
#define mublasZgeru_v2 mublasZgeru
#define mublasZhbmv_v2 mublasZhbmv
#define mublasZhemm_v2 mublasZhemm
#define mublasZhemv_v2 mublasZhemv
#define mublasZher2_v2 mublasZher2
#define mublasZher2k_v2 mublasZher2k
#define mublasZher_v2 mublasZher
#define mublasZherk_v2 mublasZherk
#define mublasZhpmv_v2 mublasZhpmv
#define mublasZhpr2_v2 mublasZhpr2
#define mublasZhpr_v2 mublasZhpr
#define mublasZrot_v2 mublasZrot
#define mublasZrotg_v2 mublasZrotg
#define mublasZscal_v2 mublasZscal
#define mublasZswap_v2 mublasZswap
#define mublasZsymm_v2 mublasZsymm
#define mublasZsymv_v2 mublasZsymv
#define mublasZsyr2_v2 mublasZsyr2
#define mublasZsyr2k_v2 mublasZsyr2k
#define mublasZsyr_v2 mublasZsyr
#define mublasZsyrk_v2 mublasZsyrk
#define mublasZtbmv_v2 mublasZtbmv
#define mublasZtbsv_v2 mublasZtbsv
#define mublasZtpmv_v2 mublasZtpmv
#define mublasZtpsv_v2 mublasZtpsv
#define mublasZtrmm_v2 mublasZtrmm
#define mublasZtrmv_v2 mublasZtrmv
#define mublasZtrsm_v2 mublasZtrsm
#define mublasZtrsv_v2 mublasZtrsv

#endif
