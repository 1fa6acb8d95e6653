/* muSPARSE: sparse matrices as rows (CSR), columns (CSC) or coordinates (COO), and their products with dense vectors and
 * matrices.
 *
 * Names and numbers are cuSPARSE's, renamed as torch_musa renames them. Functions that are not simulated link, return
 * MUSPARSE_STATUS_NOT_SUPPORTED and say so once on stderr; which these are: musa_sim/musparse_refused.h. Types that are not
 * computed together give that status, too. No product takes a buffer: its size is 0.
 */
#ifndef MUSPARSE_H_
#define MUSPARSE_H_

#include <library_types.h>
#include <muComplex.h>
#include <musa_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#if defined(__cplusplus)
#include <musa_fp16.h>
#endif

#define MUSPARSE_VER_MAJOR 1
#define MUSPARSE_VER_MINOR 7
#define MUSPARSE_VER_PATCH 0
#define MUSPARSE_VERSION 10700

#ifndef MUSPARSEAPI
#define MUSPARSEAPI
#endif

typedef enum musparseStatus_t {
    MUSPARSE_STATUS_SUCCESS = 0,
    MUSPARSE_STATUS_NOT_INITIALIZED = 1,
    MUSPARSE_STATUS_ALLOC_FAILED = 2,
    MUSPARSE_STATUS_INVALID_VALUE = 3,
    MUSPARSE_STATUS_ARCH_MISMATCH = 4,
    MUSPARSE_STATUS_MAPPING_ERROR = 5,
    MUSPARSE_STATUS_EXECUTION_FAILED = 6,
    MUSPARSE_STATUS_INTERNAL_ERROR = 7,
    MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    MUSPARSE_STATUS_ZERO_PIVOT = 9,
    MUSPARSE_STATUS_NOT_SUPPORTED = 10,
    MUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} musparseStatus_t;

typedef enum musparsePointerMode_t {
    MUSPARSE_POINTER_MODE_HOST = 0,
    MUSPARSE_POINTER_MODE_DEVICE = 1
} musparsePointerMode_t;
typedef enum musparseAction_t { MUSPARSE_ACTION_SYMBOLIC = 0, MUSPARSE_ACTION_NUMERIC = 1 } musparseAction_t;
typedef enum musparseMatrixType_t {
    MUSPARSE_MATRIX_TYPE_GENERAL = 0,
    MUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    MUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
    MUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} musparseMatrixType_t;
typedef enum musparseFillMode_t {
    MUSPARSE_FILL_MODE_LOWER = 0,
    MUSPARSE_FILL_MODE_UPPER = 1
} musparseFillMode_t;
typedef enum musparseDiagType_t {
    MUSPARSE_DIAG_TYPE_NON_UNIT = 0,
    MUSPARSE_DIAG_TYPE_UNIT = 1
} musparseDiagType_t;
typedef enum musparseIndexBase_t { MUSPARSE_INDEX_BASE_ZERO = 0, MUSPARSE_INDEX_BASE_ONE = 1 } musparseIndexBase_t;
typedef enum musparseOperation_t {
    MUSPARSE_OPERATION_NON_TRANSPOSE = 0,
    MUSPARSE_OPERATION_TRANSPOSE = 1,
    MUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} musparseOperation_t;
typedef enum musparseDirection_t { MUSPARSE_DIRECTION_ROW = 0, MUSPARSE_DIRECTION_COLUMN = 1 } musparseDirection_t;
typedef enum musparseSolvePolicy_t {
    MUSPARSE_SOLVE_POLICY_NO_LEVEL = 0,
    MUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
} musparseSolvePolicy_t;
typedef enum musparseIndexType_t {
    MUSPARSE_INDEX_16U = 1,
    MUSPARSE_INDEX_32I = 2,
    MUSPARSE_INDEX_64I = 3
} musparseIndexType_t;
typedef enum musparseOrder_t { MUSPARSE_ORDER_COL = 1, MUSPARSE_ORDER_ROW = 2 } musparseOrder_t;
typedef enum musparseFormat_t {
    MUSPARSE_FORMAT_CSR = 1,
    MUSPARSE_FORMAT_CSC = 2,
    MUSPARSE_FORMAT_COO = 3
} musparseFormat_t;
typedef enum musparseSpMatAttribute_t {
    MUSPARSE_SPMAT_FILL_MODE = 0,
    MUSPARSE_SPMAT_DIAG_TYPE = 1
} musparseSpMatAttribute_t;
typedef enum musparseSpMVAlg_t {
    MUSPARSE_SPMV_ALG_DEFAULT = 0,
    MUSPARSE_SPMV_COO_ALG1 = 1,
    MUSPARSE_SPMV_CSR_ALG1 = 2,
    MUSPARSE_SPMV_CSR_ALG2 = 3,
    MUSPARSE_SPMV_COO_ALG2 = 4
} musparseSpMVAlg_t;
typedef enum musparseSpMMAlg_t {
    MUSPARSE_SPMM_ALG_DEFAULT = 0,
    MUSPARSE_SPMM_COO_ALG1 = 1,
    MUSPARSE_SPMM_COO_ALG2 = 2,
    MUSPARSE_SPMM_COO_ALG3 = 3,
    MUSPARSE_SPMM_CSR_ALG1 = 4,
    MUSPARSE_SPMM_COO_ALG4 = 5,
    MUSPARSE_SPMM_CSR_ALG2 = 6,
    MUSPARSE_SPMM_CSR_ALG3 = 12
} musparseSpMMAlg_t;
typedef enum musparseSpSVAlg_t { MUSPARSE_SPSV_ALG_DEFAULT = 0 } musparseSpSVAlg_t;
typedef enum musparseSpSMAlg_t { MUSPARSE_SPSM_ALG_DEFAULT = 0 } musparseSpSMAlg_t;
typedef enum musparseSpGEMMAlg_t { MUSPARSE_SPGEMM_DEFAULT = 0 } musparseSpGEMMAlg_t;
typedef enum musparseSDDMMAlg_t { MUSPARSE_SDDMM_ALG_DEFAULT = 0 } musparseSDDMMAlg_t;

/* PyTorch's headers take some of them by their struct's name. */
struct musparseContext;
struct musparseMatDescr;
struct musparseSpMatDescr;
struct musparseDnMatDescr;
struct musparseDnVecDescr;
struct musparseSpVecDescr;
struct musparseSpGEMMDescr;
struct musparseSpSVDescr;
struct musparseSpSMDescr;
struct bsrsv2Info;
struct bsrsm2Info;
typedef struct musparseContext *musparseHandle_t;
typedef struct musparseMatDescr *musparseMatDescr_t;
typedef struct musparseSpMatDescr *musparseSpMatDescr_t;
typedef struct musparseDnMatDescr *musparseDnMatDescr_t;
typedef struct musparseDnVecDescr *musparseDnVecDescr_t;
typedef struct musparseSpVecDescr *musparseSpVecDescr_t;
typedef struct musparseSpGEMMDescr *musparseSpGEMMDescr_t;
typedef struct musparseSpSVDescr *musparseSpSVDescr_t;
typedef struct musparseSpSMDescr *musparseSpSMDescr_t;
typedef struct bsrsv2Info *bsrsv2Info_t;
typedef struct bsrsm2Info *bsrsm2Info_t;

#ifdef __cplusplus
extern "C" {
#endif

musparseStatus_t musparseCreate(musparseHandle_t *handle);
musparseStatus_t musparseDestroy(musparseHandle_t handle);
musparseStatus_t musparseSetStream(musparseHandle_t handle, musaStream_t stream);
musparseStatus_t musparseGetStream(musparseHandle_t handle, musaStream_t *stream);
musparseStatus_t musparseSetPointerMode(musparseHandle_t handle, musparsePointerMode_t mode);
musparseStatus_t musparseGetPointerMode(musparseHandle_t handle, musparsePointerMode_t *mode);
musparseStatus_t musparseGetVersion(musparseHandle_t handle, int *version);
/* "MUSPARSE_STATUS_SUCCESS", and a sentence */
const char *musparseGetErrorName(musparseStatus_t status);
const char *musparseGetErrorString(musparseStatus_t status);

/* Between rows of coordinates and offsets of rows, both in device memory */
musparseStatus_t musparseXcoo2csr(musparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrRowPtr,
                                  musparseIndexBase_t idxBase);
musparseStatus_t musparseXcsr2coo(musparseHandle_t handle, const int *csrRowPtr, int nnz, int m, int *cooRowInd,
                                  musparseIndexBase_t idxBase);

/* Sorts coordinates by row, then column, or by column, then row; P, which may be null, is permuted like the entries */
musparseStatus_t musparseXcoosort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz, const int *cooRows,
                                                const int *cooCols, size_t *pBufferSizeInBytes);
musparseStatus_t musparseXcoosortByRow(musparseHandle_t handle, int m, int n, int nnz, int *cooRows, int *cooCols,
                                       int *P, void *pBuffer);
musparseStatus_t musparseXcoosortByColumn(musparseHandle_t handle, int m, int n, int nnz, int *cooRows, int *cooCols,
                                          int *P, void *pBuffer);
musparseStatus_t musparseCreateIdentityPermutation(musparseHandle_t handle, int n, int *p);

/* Descriptors */
musparseStatus_t musparseCreateCsr(musparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *csrRowOffsets, void *csrColInd, void *csrValues,
                                   musparseIndexType_t csrRowOffsetsType, musparseIndexType_t csrColIndType,
                                   musparseIndexBase_t idxBase, musaDataType valueType);
musparseStatus_t musparseCreateCsc(musparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cscColOffsets, void *cscRowInd, void *cscValues,
                                   musparseIndexType_t cscColOffsetsType, musparseIndexType_t cscRowIndType,
                                   musparseIndexBase_t idxBase, musaDataType valueType);
musparseStatus_t musparseCreateCoo(musparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                                   void *cooRowInd, void *cooColInd, void *cooValues,
                                   musparseIndexType_t cooIdxType, musparseIndexBase_t idxBase,
                                   musaDataType valueType);
musparseStatus_t musparseDestroySpMat(const struct musparseSpMatDescr *spMatDescr);
musparseStatus_t musparseCsrSetPointers(musparseSpMatDescr_t spMatDescr, void *csrRowOffsets, void *csrColInd,
                                        void *csrValues);
musparseStatus_t musparseCscSetPointers(musparseSpMatDescr_t spMatDescr, void *cscColOffsets, void *cscRowInd,
                                        void *cscValues);
musparseStatus_t musparseCooSetPointers(musparseSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns,
                                        void *cooValues);
musparseStatus_t musparseSpMatGetSize(const struct musparseSpMatDescr *spMatDescr, int64_t *rows, int64_t *cols,
                                      int64_t *nnz);
musparseStatus_t musparseSpMatGetFormat(const struct musparseSpMatDescr *spMatDescr, musparseFormat_t *format);
musparseStatus_t musparseSpMatGetIndexBase(const struct musparseSpMatDescr *spMatDescr,
                                           musparseIndexBase_t *idxBase);
musparseStatus_t musparseSpMatGetValues(musparseSpMatDescr_t spMatDescr, void **values);
musparseStatus_t musparseSpMatSetValues(musparseSpMatDescr_t spMatDescr, void *values);
musparseStatus_t musparseCsrSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount,
                                            int64_t offsetsBatchStride, int64_t columnsValuesBatchStride);
musparseStatus_t musparseCooSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount, int64_t batchStride);
musparseStatus_t musparseCreateDnVec(musparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
                                     musaDataType valueType);
musparseStatus_t musparseDestroyDnVec(const struct musparseDnVecDescr *dnVecDescr);
musparseStatus_t musparseDnVecGetValues(musparseDnVecDescr_t dnVecDescr, void **values);
musparseStatus_t musparseDnVecSetValues(musparseDnVecDescr_t dnVecDescr, void *values);
musparseStatus_t musparseCreateDnMat(musparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                                     void *values, musaDataType valueType, musparseOrder_t order);
musparseStatus_t musparseDestroyDnMat(const struct musparseDnMatDescr *dnMatDescr);
musparseStatus_t musparseDnMatGetValues(musparseDnMatDescr_t dnMatDescr, void **values);
musparseStatus_t musparseDnMatSetValues(musparseDnMatDescr_t dnMatDescr, void *values);
musparseStatus_t musparseDnMatSetStridedBatch(musparseDnMatDescr_t dnMatDescr, int batchCount, int64_t batchStride);

/* y = alpha op(A) x + beta y */
musparseStatus_t musparseSpMV_bufferSize(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                                         const struct musparseSpMatDescr *matA,
                                         const struct musparseDnVecDescr *vecX, const void *beta,
                                         musparseDnVecDescr_t vecY, musaDataType computeType,
                                         musparseSpMVAlg_t alg, size_t *bufferSize);
musparseStatus_t musparseSpMV_preprocess(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                                         const struct musparseSpMatDescr *matA,
                                         const struct musparseDnVecDescr *vecX, const void *beta,
                                         musparseDnVecDescr_t vecY, musaDataType computeType,
                                         musparseSpMVAlg_t alg, void *externalBuffer);
musparseStatus_t musparseSpMV(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                              const struct musparseSpMatDescr *matA, const struct musparseDnVecDescr *vecX,
                              const void *beta, musparseDnVecDescr_t vecY, musaDataType computeType,
                              musparseSpMVAlg_t alg, void *externalBuffer);
/* C = alpha op(A) op(B) + beta C */
musparseStatus_t musparseSpMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                         const void *alpha, const struct musparseSpMatDescr *matA,
                                         const struct musparseDnMatDescr *matB, const void *beta,
                                         musparseDnMatDescr_t matC, musaDataType computeType,
                                         musparseSpMMAlg_t alg, size_t *bufferSize);
musparseStatus_t musparseSpMM_preprocess(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                         const void *alpha, const struct musparseSpMatDescr *matA,
                                         const struct musparseDnMatDescr *matB, const void *beta,
                                         musparseDnMatDescr_t matC, musaDataType computeType,
                                         musparseSpMMAlg_t alg, void *externalBuffer);
musparseStatus_t musparseSpMM(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                              const void *alpha, const struct musparseSpMatDescr *matA,
                              const struct musparseDnMatDescr *matB, const void *beta, musparseDnMatDescr_t matC,
                              musaDataType computeType, musparseSpMMAlg_t alg, void *externalBuffer);

#define MUSA_SIM_REFUSED(name, parameters) musparseStatus_t name parameters;
#include <musa_sim/musparse_refused.h>
#undef MUSA_SIM_REFUSED

#ifdef __cplusplus
}
#endif

#endif
