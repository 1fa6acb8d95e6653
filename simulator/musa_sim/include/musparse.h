/* muSPARSE: sparse matrices as rows (CSR), columns (CSC), coordinates (COO) or blocks (BSR), sparse vectors, products,
 * triangular solvers and conversions.
 *
 * Names and numbers are cuSPARSE's, renamed as torch_musa renames them. Types that are not computed together give
 * MUSPARSE_STATUS_NOT_SUPPORTED. No function writes to a buffer.
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
#define MUSPARSE_VERSION (MUSPARSE_VER_MAJOR * 10000 + MUSPARSE_VER_MINOR * 100 + MUSPARSE_VER_PATCH)

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
typedef enum musparseSparseToDenseAlg_t { MUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } musparseSparseToDenseAlg_t;
typedef enum musparseDenseToSparseAlg_t { MUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } musparseDenseToSparseAlg_t;
typedef enum musparseCsr2CscAlg_t {
    MUSPARSE_CSR2CSC_ALG_DEFAULT = 1,
    MUSPARSE_CSR2CSC_ALG1 = 1,
    MUSPARSE_CSR2CSC_ALG2 = 2
} musparseCsr2CscAlg_t;
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

/* Getters, and the attributes that solvers go by: which triangle, and whether the diagonal is all ones */
musparseStatus_t musparseSpMatSetAttribute(musparseSpMatDescr_t spMatDescr, musparseSpMatAttribute_t attribute,
                                           void *data, size_t dataSize);
musparseStatus_t musparseSpMatGetAttribute(const struct musparseSpMatDescr *spMatDescr,
                                           musparseSpMatAttribute_t attribute, void *data, size_t dataSize);
musparseStatus_t musparseSpMatGetStridedBatch(const struct musparseSpMatDescr *spMatDescr, int *batchCount);
musparseStatus_t musparseCsrGet(musparseSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **csrRowOffsets, void **csrColInd, void **csrValues,
                                musparseIndexType_t *csrRowOffsetsType, musparseIndexType_t *csrColIndType,
                                musparseIndexBase_t *idxBase, musaDataType *valueType);
musparseStatus_t musparseCooGet(musparseSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **cooRowInd, void **cooColInd, void **cooValues, musparseIndexType_t *idxType,
                                musparseIndexBase_t *idxBase, musaDataType *valueType);
musparseStatus_t musparseDnVecGet(musparseDnVecDescr_t dnVecDescr, int64_t *size, void **values,
                                  musaDataType *valueType);
musparseStatus_t musparseDnMatGet(musparseDnMatDescr_t dnMatDescr, int64_t *rows, int64_t *cols, int64_t *ld,
                                  void **values, musaDataType *type, musparseOrder_t *order);
musparseStatus_t musparseDnMatGetStridedBatch(musparseDnMatDescr_t dnMatDescr, int *batchCount,
                                              int64_t *batchStride);

/* Sparse vectors; sums over their entries; elements moved between them and dense ones */
musparseStatus_t musparseCreateSpVec(musparseSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz, void *indices,
                                     void *values, musparseIndexType_t idxType, musparseIndexBase_t idxBase,
                                     musaDataType valueType);
musparseStatus_t musparseDestroySpVec(const struct musparseSpVecDescr *spVecDescr);
musparseStatus_t musparseSpVecGet(musparseSpVecDescr_t x, int64_t *size, int64_t *nnz, void **indices,
                                  void **values, musparseIndexType_t *idxType, musparseIndexBase_t *idxBase,
                                  musaDataType *valueType);
musparseStatus_t musparseSpVecGetIndexBase(const struct musparseSpVecDescr *x, musparseIndexBase_t *idxBase);
musparseStatus_t musparseSpVecGetValues(musparseSpVecDescr_t x, void **values);
musparseStatus_t musparseSpVecSetValues(musparseSpVecDescr_t x, void *values);
musparseStatus_t musparseAxpby(musparseHandle_t handle, const void *alpha, const struct musparseSpVecDescr *vecX,
                               const void *beta, musparseDnVecDescr_t vecY);
musparseStatus_t musparseGather(musparseHandle_t handle, const struct musparseDnVecDescr *vecY,
                                musparseSpVecDescr_t vecX);
musparseStatus_t musparseScatter(musparseHandle_t handle, const struct musparseSpVecDescr *vecX,
                                 musparseDnVecDescr_t vecY);
musparseStatus_t musparseRot(musparseHandle_t handle, const void *c_coeff, const void *s_coeff,
                             musparseSpVecDescr_t vecX, musparseDnVecDescr_t vecY);
musparseStatus_t musparseSpVV_bufferSize(musparseHandle_t handle, musparseOperation_t opX,
                                         const struct musparseSpVecDescr *vecX,
                                         const struct musparseDnVecDescr *vecY, const void *result,
                                         musaDataType valType, size_t *bufferSize);
musparseStatus_t musparseSpVV(musparseHandle_t handle, musparseOperation_t opX,
                              const struct musparseSpVecDescr *vecX, const struct musparseDnVecDescr *vecY,
                              void *result, musaDataType computeType, void *externalBuffer);

/* op(A) y = alpha x and op(A) C = alpha op(B) with triangular A; C = alpha op(A) op(B) + beta C where C has entries; the
 * sparse product of two matrices by rows, whose number of entries is known after _compute */
musparseStatus_t musparseSpSV_createDescr(musparseSpSVDescr_t *descr);
musparseStatus_t musparseSpSV_destroyDescr(musparseSpSVDescr_t descr);
musparseStatus_t musparseSpSM_createDescr(musparseSpSMDescr_t *descr);
musparseStatus_t musparseSpSM_destroyDescr(musparseSpSMDescr_t descr);
musparseStatus_t musparseSpGEMM_createDescr(musparseSpGEMMDescr_t *descr);
musparseStatus_t musparseSpGEMM_destroyDescr(musparseSpGEMMDescr_t descr);
musparseStatus_t musparseSpSV_bufferSize(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                                         const struct musparseSpMatDescr *matA,
                                         const struct musparseDnVecDescr *vecX, musparseDnVecDescr_t vecY,
                                         musaDataType computeType, musparseSpSVAlg_t alg,
                                         musparseSpSVDescr_t spsvDescr, size_t *bufferSize);
musparseStatus_t musparseSpSV_analysis(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                                       const struct musparseSpMatDescr *matA, const struct musparseDnVecDescr *vecX,
                                       musparseDnVecDescr_t vecY, musaDataType computeType, musparseSpSVAlg_t alg,
                                       musparseSpSVDescr_t spsvDescr, void *externalBuffer);
musparseStatus_t musparseSpSV_solve(musparseHandle_t handle, musparseOperation_t opA, const void *alpha,
                                    const struct musparseSpMatDescr *matA, const struct musparseDnVecDescr *vecX,
                                    musparseDnVecDescr_t vecY, musaDataType computeType, musparseSpSVAlg_t alg,
                                    musparseSpSVDescr_t spsvDescr);
musparseStatus_t musparseSpSM_bufferSize(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                         const void *alpha, const struct musparseSpMatDescr *matA,
                                         const struct musparseDnMatDescr *matB, musparseDnMatDescr_t matC,
                                         musaDataType computeType, musparseSpSMAlg_t alg,
                                         musparseSpSMDescr_t spsmDescr, size_t *bufferSize);
musparseStatus_t musparseSpSM_analysis(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                       const void *alpha, const struct musparseSpMatDescr *matA,
                                       const struct musparseDnMatDescr *matB, musparseDnMatDescr_t matC,
                                       musaDataType computeType, musparseSpSMAlg_t alg,
                                       musparseSpSMDescr_t spsmDescr, void *externalBuffer);
musparseStatus_t musparseSpSM_solve(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                    const void *alpha, const struct musparseSpMatDescr *matA,
                                    const struct musparseDnMatDescr *matB, musparseDnMatDescr_t matC,
                                    musaDataType computeType, musparseSpSMAlg_t alg, musparseSpSMDescr_t spsmDescr);
musparseStatus_t musparseSDDMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                          const void *alpha, const struct musparseDnMatDescr *matA,
                                          const struct musparseDnMatDescr *matB, const void *beta,
                                          musparseSpMatDescr_t matC, musaDataType computeType,
                                          musparseSDDMMAlg_t alg, size_t *bufferSize);
musparseStatus_t musparseSDDMM_preprocess(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                          const void *alpha, const struct musparseDnMatDescr *matA,
                                          const struct musparseDnMatDescr *matB, const void *beta,
                                          musparseSpMatDescr_t matC, musaDataType computeType,
                                          musparseSDDMMAlg_t alg, void *externalBuffer);
musparseStatus_t musparseSDDMM(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                               const void *alpha, const struct musparseDnMatDescr *matA,
                               const struct musparseDnMatDescr *matB, const void *beta, musparseSpMatDescr_t matC,
                               musaDataType computeType, musparseSDDMMAlg_t alg, void *externalBuffer);
musparseStatus_t musparseSpGEMM_workEstimation(musparseHandle_t handle, musparseOperation_t opA,
                                               musparseOperation_t opB, const void *alpha,
                                               const struct musparseSpMatDescr *matA,
                                               const struct musparseSpMatDescr *matB, const void *beta,
                                               musparseSpMatDescr_t matC, musaDataType computeType,
                                               musparseSpGEMMAlg_t alg, musparseSpGEMMDescr_t spgemmDescr,
                                               size_t *bufferSize1, void *externalBuffer1);
musparseStatus_t musparseSpGEMM_compute(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                        const void *alpha, const struct musparseSpMatDescr *matA,
                                        const struct musparseSpMatDescr *matB, const void *beta,
                                        musparseSpMatDescr_t matC, musaDataType computeType,
                                        musparseSpGEMMAlg_t alg, musparseSpGEMMDescr_t spgemmDescr,
                                        size_t *bufferSize2, void *externalBuffer2);
musparseStatus_t musparseSpGEMM_copy(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                     const void *alpha, const struct musparseSpMatDescr *matA,
                                     const struct musparseSpMatDescr *matB, const void *beta,
                                     musparseSpMatDescr_t matC, musaDataType computeType, musparseSpGEMMAlg_t alg,
                                     musparseSpGEMMDescr_t spgemmDescr);

/* Between dense and sparse matrices, rows and columns; the older interface: sums of two matrices by rows with columns in
 * order (csrgeam2), and sorts of columns */
musparseStatus_t musparseSparseToDense_bufferSize(musparseHandle_t handle, const struct musparseSpMatDescr *matA,
                                                  musparseDnMatDescr_t matB, musparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize);
musparseStatus_t musparseSparseToDense(musparseHandle_t handle, const struct musparseSpMatDescr *matA,
                                       musparseDnMatDescr_t matB, musparseSparseToDenseAlg_t alg,
                                       void *externalBuffer);
musparseStatus_t musparseDenseToSparse_bufferSize(musparseHandle_t handle, const struct musparseDnMatDescr *matA,
                                                  musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize);
musparseStatus_t musparseDenseToSparse_analysis(musparseHandle_t handle, const struct musparseDnMatDescr *matA,
                                                musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t alg,
                                                void *externalBuffer);
musparseStatus_t musparseDenseToSparse_convert(musparseHandle_t handle, const struct musparseDnMatDescr *matA,
                                               musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t alg,
                                               void *externalBuffer);
musparseStatus_t musparseCsr2cscEx2_bufferSize(musparseHandle_t handle, int m, int n, int nnz, const void *,
                                               const int *, const int *, void *externalBuffer, int *, int *,
                                               musaDataType valType, musparseAction_t copyValues,
                                               musparseIndexBase_t idxBase, musparseCsr2CscAlg_t alg,
                                               size_t *bufferSize);
musparseStatus_t musparseCsr2cscEx2(musparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                                    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
                                    int *cscRowInd, musaDataType valType, musparseAction_t copyValues,
                                    musparseIndexBase_t idxBase, musparseCsr2CscAlg_t alg, void *externalBuffer);
musparseStatus_t musparseXcsrsort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz, const int *,
                                                const int *, size_t *pBufferSizeInBytes);
musparseStatus_t musparseXcsrsort(musparseHandle_t handle, int m, int n, int nnz, musparseMatDescr_t descrA,
                                  const int *csrRowPtrA, int *csrColIndA, int *P, void *externalBuffer);
musparseStatus_t musparseCreateMatDescr(musparseMatDescr_t *descrA);
musparseStatus_t musparseDestroyMatDescr(musparseMatDescr_t descrA);
musparseStatus_t musparseSetMatType(musparseMatDescr_t descrA, musparseMatrixType_t type);
musparseStatus_t musparseSetMatFillMode(musparseMatDescr_t descrA, musparseFillMode_t mode);
musparseStatus_t musparseSetMatDiagType(musparseMatDescr_t descrA, musparseDiagType_t type);
musparseStatus_t musparseSetMatIndexBase(musparseMatDescr_t descrA, musparseIndexBase_t base);
musparseMatrixType_t musparseGetMatType(const struct musparseMatDescr *descrA);
musparseFillMode_t musparseGetMatFillMode(const struct musparseMatDescr *descrA);
musparseDiagType_t musparseGetMatDiagType(const struct musparseMatDescr *descrA);
musparseIndexBase_t musparseGetMatIndexBase(const struct musparseMatDescr *descrA);
musparseStatus_t musparseXcsrgeam2Nnz(musparseHandle_t handle, int m, int n, musparseMatDescr_t descrA, int nnzA,
                                      const int *csrRowPtrA, const int *csrColIndA, musparseMatDescr_t descrB,
                                      int nnzB, const int *csrRowPtrB, const int *csrColIndB,
                                      musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr,
                                      void *externalBuffer);
#define MUSA_SIM_GEAM(L, T)                                                                                      \
    musparseStatus_t musparse##L##csrgeam2_bufferSizeExt(                                                        \
        musparseHandle_t handle, int m, int n, const T *alpha, musparseMatDescr_t descrA, int nnzA,              \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *beta,                           \
        musparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB, const int *csrColIndB,     \
        musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int *csrColIndC,               \
        size_t *pBufferSizeInBytes);                                                                             \
    musparseStatus_t musparse##L##csrgeam2(                                                                      \
        musparseHandle_t handle, int m, int n, const T *alpha, musparseMatDescr_t descrA, int nnzA,              \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *beta,                           \
        musparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB, const int *csrColIndB,     \
        musparseMatDescr_t descrC, T *csrValC, int *csrRowPtrC, int *csrColIndC, void *pBuffer)
MUSA_SIM_GEAM(S, float);
MUSA_SIM_GEAM(D, double);
MUSA_SIM_GEAM(C, muComplex);
MUSA_SIM_GEAM(Z, muDoubleComplex);
#undef MUSA_SIM_GEAM

musparseStatus_t musparseCopyMatDescr(musparseMatDescr_t dest, const struct musparseMatDescr *src);
musparseStatus_t musparseGetProperty(libraryPropertyType type, int *value);

/* The older conversions between dense matrices, by columns, and compressed rows (CSR) or columns (CSC), and operations on
 * sparse vectors. nnz counts the elements that are not zero, in each line and in all of the matrix. */
#define MUSA_SIM_OLDER(L, T)                                                                                          \
    musparseStatus_t musparse##L##nnz(musparseHandle_t handle, musparseDirection_t dirA, int m, int n,                \
                                      const struct musparseMatDescr *descrA, const T *A, int lda,                     \
                                      int *nnzPerRowCol, int *nnzTotalDevHostPtr);                                    \
    musparseStatus_t musparse##L##dense2csr(musparseHandle_t handle, int m, int n,                                    \
                                            const struct musparseMatDescr *descrA, const T *A, int lda,               \
                                            const int *nnzPerRow, T *csrVal, int *csrRowPtr, int *csrColInd);         \
    musparseStatus_t musparse##L##dense2csc(musparseHandle_t handle, int m, int n,                                    \
                                            const struct musparseMatDescr *descrA, const T *A, int lda,               \
                                            const int *nnzPerCol, T *cscVal, int *cscRowInd, int *cscColPtr);         \
    musparseStatus_t musparse##L##csr2dense(musparseHandle_t handle, int m, int n,                                    \
                                            const struct musparseMatDescr *descrA, const T *csrVal,                   \
                                            const int *csrRowPtr, const int *csrColInd, T *A, int lda);               \
    musparseStatus_t musparse##L##csc2dense(musparseHandle_t handle, int m, int n,                                    \
                                            const struct musparseMatDescr *descrA, const T *cscVal,                   \
                                            const int *cscRowInd, const int *cscColPtr, T *A, int lda);               \
    musparseStatus_t musparse##L##gthr(musparseHandle_t handle, int nnz, const T *y, T *xVal, const int *xInd,        \
                                       musparseIndexBase_t idxBase);                                                  \
    musparseStatus_t musparse##L##gthrz(musparseHandle_t handle, int nnz, T *y, T *xVal, const int *xInd,             \
                                        musparseIndexBase_t idxBase);                                                 \
    musparseStatus_t musparse##L##sctr(musparseHandle_t handle, int nnz, const T *xVal, const int *xInd, T *y,        \
                                       musparseIndexBase_t idxBase);                                                  \
    musparseStatus_t musparse##L##axpyi(musparseHandle_t handle, int nnz, const T *alpha, const T *xVal,              \
                                        const int *xInd, T *y, musparseIndexBase_t idxBase)
MUSA_SIM_OLDER(S, float);
MUSA_SIM_OLDER(D, double);
MUSA_SIM_OLDER(C, muComplex);
MUSA_SIM_OLDER(Z, muDoubleComplex);
#undef MUSA_SIM_OLDER

/* Matrices of square blocks, compressed by rows of blocks (BSR). In products the matrix of blocks is not transposed. The
 * solvers read the triangle, and the diagonal, that the description of the matrix says. */
musparseStatus_t musparseCreateBsrsv2Info(bsrsv2Info_t *info);
musparseStatus_t musparseDestroyBsrsv2Info(bsrsv2Info_t info);
musparseStatus_t musparseCreateBsrsm2Info(bsrsm2Info_t *info);
musparseStatus_t musparseDestroyBsrsm2Info(bsrsm2Info_t info);
/* The first row of blocks without a pivot, or -1; waits for the work in the handle's stream */
musparseStatus_t musparseXbsrsv2_zeroPivot(musparseHandle_t handle, bsrsv2Info_t info, int *position);
musparseStatus_t musparseXbsrsm2_zeroPivot(musparseHandle_t handle, bsrsm2Info_t info, int *position);
musparseStatus_t musparseXcsr2bsrNnz(musparseHandle_t handle, musparseDirection_t dirA, int m, int n,
                                     musparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA,
                                     int blockDim, musparseMatDescr_t descrC, int *bsrRowPtrC,
                                     int *nnzTotalDevHostPtr);
#define MUSA_SIM_BLOCKS(L, T)                                                                                          \
    musparseStatus_t musparse##L##bsrmv(                                                                               \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nb, int nnzb,       \
        const T *alpha, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,     \
        int blockDim, const T *x, const T *beta, T *y);                                                                \
    musparseStatus_t musparse##L##bsrmm(                                                                               \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transB,     \
        int mb, int n, int kb, int nnzb, const T *alpha, musparseMatDescr_t descrA, const T *bsrValA, const int        \
        *bsrRowPtrA, const int *bsrColIndA, int blockSize, const T *B, int ldb, const T *beta, T *C, int ldc);         \
    musparseStatus_t musparse##L##bsrsv2_bufferSize(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nnzb,               \
        musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,             \
        bsrsv2Info_t info, int *pBufferSizeInBytes);                                                                   \
    musparseStatus_t musparse##L##bsrsv2_analysis(                                                                     \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nnzb,               \
        musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,       \
        bsrsv2Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                                               \
    musparseStatus_t musparse##L##bsrsv2_solve(                                                                        \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nnzb, const T       \
        *alpha, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int         \
        blockDim, bsrsv2Info_t info, const T *f, T *x, musparseSolvePolicy_t policy, void *pBuffer);                   \
    musparseStatus_t musparse##L##bsrsm2_bufferSize(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transXY,    \
        int mb, int n, int nnzb, musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int               \
        *bsrColIndA, int blockSize, bsrsm2Info_t info, int *pBufferSizeInBytes);                                       \
    musparseStatus_t musparse##L##bsrsm2_analysis(                                                                     \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transXY,    \
        int mb, int n, int nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int         \
        *bsrColIndA, int blockSize, bsrsm2Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                   \
    musparseStatus_t musparse##L##bsrsm2_solve(                                                                        \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transXY,    \
        int mb, int n, int nnzb, const T *alpha, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,   \
        const int *bsrColIndA, int blockSize, bsrsm2Info_t info, const T *B, int ldb, T *X, int ldx,                   \
        musparseSolvePolicy_t policy, void *pBuffer);                                                                  \
    musparseStatus_t musparse##L##csr2bsr(                                                                             \
        musparseHandle_t handle, musparseDirection_t dir, int m, int n, musparseMatDescr_t descrA, const T *csrValA,   \
        const int *csrRowPtrA, const int *csrColIndA, int blockDim, musparseMatDescr_t descrC, T *bsrValC, int         \
        *bsrRowPtrC, int *bsrColIndC);                                                                                 \
    musparseStatus_t musparse##L##bsr2csr(                                                                             \
        musparseHandle_t handle, musparseDirection_t dir, int mb, int nb, musparseMatDescr_t descrA, const T           \
        *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, musparseMatDescr_t descrC, T *csrValC,   \
        int *csrRowPtrC, int *csrColIndC)
MUSA_SIM_BLOCKS(S, float);
MUSA_SIM_BLOCKS(D, double);
MUSA_SIM_BLOCKS(C, muComplex);
MUSA_SIM_BLOCKS(Z, muDoubleComplex);
#undef MUSA_SIM_BLOCKS

/* The structure of a product once, its numbers again and again. A and B are compressed rows, not transposed. */
musparseStatus_t musparseSpGEMMreuse_workEstimation(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                                    const struct musparseSpMatDescr *matA,
                                                    const struct musparseSpMatDescr *matB, musparseSpMatDescr_t matC,
                                                    musparseSpGEMMAlg_t alg, musparseSpGEMMDescr_t spgemmDescr,
                                                    size_t *bufferSize1, void *externalBuffer1);
musparseStatus_t musparseSpGEMMreuse_nnz(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                         const struct musparseSpMatDescr *matA, const struct musparseSpMatDescr *matB,
                                         musparseSpMatDescr_t matC, musparseSpGEMMAlg_t alg,
                                         musparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize2, void *externalBuffer2,
                                         size_t *bufferSize3, void *externalBuffer3, size_t *bufferSize4,
                                         void *externalBuffer4);
musparseStatus_t musparseSpGEMMreuse_copy(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                          const struct musparseSpMatDescr *matA, const struct musparseSpMatDescr *matB,
                                          musparseSpMatDescr_t matC, musparseSpGEMMAlg_t alg,
                                          musparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize5, void *externalBuffer5);
musparseStatus_t musparseSpGEMMreuse_compute(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                             const void *alpha, const struct musparseSpMatDescr *matA,
                                             const struct musparseSpMatDescr *matB, const void *beta,
                                             musparseSpMatDescr_t matC, musaDataType computeType,
                                             musparseSpGEMMAlg_t alg, musparseSpGEMMDescr_t spgemmDescr);
/* SDDMM under its older name */
musparseStatus_t musparseConstrainedGeMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                    musparseOperation_t opB, const void *alpha,
                                                    const struct musparseDnMatDescr *matA,
                                                    const struct musparseDnMatDescr *matB, const void *beta,
                                                    musparseSpMatDescr_t matC, musaDataType computeType,
                                                    size_t *bufferSize);
musparseStatus_t musparseConstrainedGeMM(musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB,
                                         const void *alpha, const struct musparseDnMatDescr *matA,
                                         const struct musparseDnMatDescr *matB, const void *beta,
                                         musparseSpMatDescr_t matC, musaDataType computeType, void *externalBuffer);
musparseStatus_t musparseSpMatSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount);
musparseStatus_t musparseXcscsort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz, const int *cscColPtrA,
                                                const int *cscRowIndA, size_t *pBufferSizeInBytes);
musparseStatus_t musparseXcscsort(musparseHandle_t handle, int m, int n, int nnz, musparseMatDescr_t descrA,
                                  const int *cscColPtrA, int *cscRowIndA, int *P, void *pBuffer);

#ifdef __cplusplus
}
#endif

#include <musa_sim/musparse_older.h>

#endif
