/* The older functions of muSPARSE, whose matrices are arrays: musparse.h includes it. As cuSPARSE 11 has them.
 *
 * Solvers and incomplete factorisations report the first row without a pivot by ..._zeroPivot, which waits for the stream.
 */
#ifndef MUSA_SIM_MUSPARSE_OLDER_H
#define MUSA_SIM_MUSPARSE_OLDER_H

struct csrsv2Info;
typedef struct csrsv2Info *csrsv2Info_t;
struct csrsm2Info;
typedef struct csrsm2Info *csrsm2Info_t;
struct csric02Info;
typedef struct csric02Info *csric02Info_t;
struct csrilu02Info;
typedef struct csrilu02Info *csrilu02Info_t;
struct bsric02Info;
typedef struct bsric02Info *bsric02Info_t;
struct bsrilu02Info;
typedef struct bsrilu02Info *bsrilu02Info_t;
struct csrgemm2Info;
typedef struct csrgemm2Info *csrgemm2Info_t;
struct csru2csrInfo;
typedef struct csru2csrInfo *csru2csrInfo_t;
struct pruneInfo;
typedef struct pruneInfo *pruneInfo_t;
struct musparseColorInfo;
typedef struct musparseColorInfo *musparseColorInfo_t;

typedef enum musparseColorAlg_t { MUSPARSE_COLOR_ALG0 = 0, MUSPARSE_COLOR_ALG1 = 1 } musparseColorAlg_t;
typedef enum musparseSideMode_t { MUSPARSE_SIDE_LEFT = 0, MUSPARSE_SIDE_RIGHT = 1 } musparseSideMode_t;
typedef enum musparseAlgMode_t {
    MUSPARSE_ALG0 = 0,
    MUSPARSE_ALG1 = 1,
    MUSPARSE_ALG_NAIVE = 0,
    MUSPARSE_ALG_MERGE_PATH = 1
} musparseAlgMode_t;

#ifdef __cplusplus
extern "C" {
#endif

musparseStatus_t musparseCreateCsrsv2Info(csrsv2Info_t *info);
musparseStatus_t musparseDestroyCsrsv2Info(csrsv2Info_t info);
musparseStatus_t musparseCreateCsrsm2Info(csrsm2Info_t *info);
musparseStatus_t musparseDestroyCsrsm2Info(csrsm2Info_t info);
musparseStatus_t musparseCreateCsric02Info(csric02Info_t *info);
musparseStatus_t musparseDestroyCsric02Info(csric02Info_t info);
musparseStatus_t musparseCreateCsrilu02Info(csrilu02Info_t *info);
musparseStatus_t musparseDestroyCsrilu02Info(csrilu02Info_t info);
musparseStatus_t musparseCreateBsric02Info(bsric02Info_t *info);
musparseStatus_t musparseDestroyBsric02Info(bsric02Info_t info);
musparseStatus_t musparseCreateBsrilu02Info(bsrilu02Info_t *info);
musparseStatus_t musparseDestroyBsrilu02Info(bsrilu02Info_t info);
musparseStatus_t musparseCreateCsrgemm2Info(csrgemm2Info_t *info);
musparseStatus_t musparseDestroyCsrgemm2Info(csrgemm2Info_t info);
musparseStatus_t musparseCreateCsru2csrInfo(csru2csrInfo_t *info);
musparseStatus_t musparseDestroyCsru2csrInfo(csru2csrInfo_t info);
musparseStatus_t musparseCreatePruneInfo(pruneInfo_t *info);
musparseStatus_t musparseDestroyPruneInfo(pruneInfo_t info);
musparseStatus_t musparseCreateColorInfo(musparseColorInfo_t *info);
musparseStatus_t musparseDestroyColorInfo(musparseColorInfo_t info);
musparseStatus_t musparseSetColorAlgs(musparseColorInfo_t info, musparseColorAlg_t alg);
musparseStatus_t musparseGetColorAlgs(musparseColorInfo_t info, musparseColorAlg_t *alg);
musparseStatus_t musparseXcsrsv2_zeroPivot(musparseHandle_t handle, csrsv2Info_t info, int *position);
musparseStatus_t musparseXcsrsm2_zeroPivot(musparseHandle_t handle, csrsm2Info_t info, int *position);
musparseStatus_t musparseXcsric02_zeroPivot(musparseHandle_t handle, csric02Info_t info, int *position);
musparseStatus_t musparseXcsrilu02_zeroPivot(musparseHandle_t handle, csrilu02Info_t info, int *position);
musparseStatus_t musparseXbsric02_zeroPivot(musparseHandle_t handle, bsric02Info_t info, int *position);
musparseStatus_t musparseXbsrilu02_zeroPivot(musparseHandle_t handle, bsrilu02Info_t info, int *position);
musparseStatus_t musparseXcsrgemm2Nnz(musparseHandle_t handle, int m, int n, int k, musparseMatDescr_t descrA, int
    nnzA, const int *csrRowPtrA, const int *csrColIndA, musparseMatDescr_t descrB, int nnzB, const int *csrRowPtrB,
    const int *csrColIndB, musparseMatDescr_t descrD, int nnzD, const int *csrRowPtrD, const int *csrColIndD,
    musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, const csrgemm2Info_t info, void *pBuffer);
musparseStatus_t musparseXcsr2gebsrNnz(musparseHandle_t handle, musparseDirection_t dir, int m, int n,
    musparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA, musparseMatDescr_t descrC, int
    *bsrRowPtrC, int rowBlockDim, int colBlockDim, int *nnzTotalDevHostPtr, void *pBuffer);
musparseStatus_t musparseXgebsr2gebsrNnz(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb, int nnzb,
    musparseMatDescr_t descrA, const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDimA, int colBlockDimA,
    musparseMatDescr_t descrC, int *bsrRowPtrC, int rowBlockDimC, int colBlockDimC, int *nnzTotalDevHostPtr, void
    *pBuffer);
musparseStatus_t musparseXgebsr2csr(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb,
    musparseMatDescr_t descrA, const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDim, int colBlockDim,
    musparseMatDescr_t descrC, int *csrRowPtrC, int *csrColIndC);

#define MUSA_SIM_OLDER(L, T, R)                                                                                        \
    musparseStatus_t musparse##L##csrsv2_bufferSize(musparseHandle_t handle, musparseOperation_t transA, int m, int    \
        nnz, musparseMatDescr_t descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrsv2Info_t info,   \
        int *pBufferSize);                                                                                             \
    musparseStatus_t musparse##L##csrsv2_bufferSizeExt(musparseHandle_t handle, musparseOperation_t transA, int m, int \
        nnz, musparseMatDescr_t descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrsv2Info_t info,   \
        size_t *pBufferSize);                                                                                          \
    musparseStatus_t musparse##L##csrsv2_analysis(musparseHandle_t handle, musparseOperation_t transA, int m, int nnz, \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrsv2Info_t info,  \
        musparseSolvePolicy_t policy, void *pBuffer);                                                                  \
    musparseStatus_t musparse##L##csrsv2_solve(musparseHandle_t handle, musparseOperation_t transA, int m, int nnz,    \
        const T *alpha, musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA,     \
        csrsv2Info_t info, const T *f, T *x, musparseSolvePolicy_t policy, void *pBuffer);                             \
    musparseStatus_t musparse##L##csrsm2_bufferSizeExt(musparseHandle_t handle, int algo, musparseOperation_t transA,  \
        musparseOperation_t transB, int m, int nrhs, int nnz, const T *alpha, musparseMatDescr_t descrA, const T       \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *B, int ldb, csrsm2Info_t info,                \
        musparseSolvePolicy_t policy, size_t *pBufferSize);                                                            \
    musparseStatus_t musparse##L##csrsm2_analysis(musparseHandle_t handle, int algo, musparseOperation_t transA,       \
        musparseOperation_t transB, int m, int nrhs, int nnz, const T *alpha, musparseMatDescr_t descrA, const T       \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *B, int ldb, csrsm2Info_t info,                \
        musparseSolvePolicy_t policy, void *pBuffer);                                                                  \
    musparseStatus_t musparse##L##csrsm2_solve(musparseHandle_t handle, int algo, musparseOperation_t transA,          \
        musparseOperation_t transB, int m, int nrhs, int nnz, const T *alpha, musparseMatDescr_t descrA, const T       \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, T *B, int ldb, csrsm2Info_t info,                      \
        musparseSolvePolicy_t policy, void *pBuffer);                                                                  \
    musparseStatus_t musparse##L##csric02_bufferSize(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t       \
        descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csric02Info_t info, int *pBufferSize);       \
    musparseStatus_t musparse##L##bsric02_bufferSize(musparseHandle_t handle, musparseDirection_t dirA, int mb, int    \
        nnzb, musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,       \
        bsric02Info_t info, int *pBufferSize);                                                                         \
    musparseStatus_t musparse##L##csric02_bufferSizeExt(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t    \
        descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csric02Info_t info, size_t *pBufferSize);    \
    musparseStatus_t musparse##L##bsric02_bufferSizeExt(musparseHandle_t handle, musparseDirection_t dirA, int mb, int \
        nnzb, musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,       \
        bsric02Info_t info, size_t *pBufferSize);                                                                      \
    musparseStatus_t musparse##L##csric02_analysis(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t descrA, \
        const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csric02Info_t info, musparseSolvePolicy_t      \
        policy, void *pBuffer);                                                                                        \
    musparseStatus_t musparse##L##csric02(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t descrA, T        \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, csric02Info_t info, musparseSolvePolicy_t policy, void \
        *pBuffer);                                                                                                     \
    musparseStatus_t musparse##L##bsric02_analysis(musparseHandle_t handle, musparseDirection_t dirA, int mb, int      \
        nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, \
        bsric02Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                                              \
    musparseStatus_t musparse##L##bsric02(musparseHandle_t handle, musparseDirection_t dirA, int mb, int nnzb,         \
        musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,             \
        bsric02Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                                              \
    musparseStatus_t musparse##L##csrilu02_bufferSize(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t      \
        descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrilu02Info_t info, int *pBufferSize);      \
    musparseStatus_t musparse##L##bsrilu02_bufferSize(musparseHandle_t handle, musparseDirection_t dirA, int mb, int   \
        nnzb, musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,       \
        bsrilu02Info_t info, int *pBufferSize);                                                                        \
    musparseStatus_t musparse##L##csrilu02_bufferSizeExt(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t   \
        descrA, T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrilu02Info_t info, size_t *pBufferSize);   \
    musparseStatus_t musparse##L##bsrilu02_bufferSizeExt(musparseHandle_t handle, musparseDirection_t dirA, int mb,    \
        int nnzb, musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,   \
        bsrilu02Info_t info, size_t *pBufferSize);                                                                     \
    musparseStatus_t musparse##L##csrilu02_analysis(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t        \
        descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrilu02Info_t info,                   \
        musparseSolvePolicy_t policy, void *pBuffer);                                                                  \
    musparseStatus_t musparse##L##csrilu02(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t descrA, T       \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, csrilu02Info_t info, musparseSolvePolicy_t policy,     \
        void *pBuffer);                                                                                                \
    musparseStatus_t musparse##L##bsrilu02_analysis(musparseHandle_t handle, musparseDirection_t dirA, int mb, int     \
        nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, \
        bsrilu02Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                                             \
    musparseStatus_t musparse##L##bsrilu02(musparseHandle_t handle, musparseDirection_t dirA, int mb, int nnzb,        \
        musparseMatDescr_t descrA, T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,             \
        bsrilu02Info_t info, musparseSolvePolicy_t policy, void *pBuffer);                                             \
    musparseStatus_t musparse##L##csrilu02_numericBoost(musparseHandle_t handle, csrilu02Info_t info, int              \
        enable_boost, double *tol, T *boost_val);                                                                      \
    musparseStatus_t musparse##L##bsrilu02_numericBoost(musparseHandle_t handle, bsrilu02Info_t info, int              \
        enable_boost, double *tol, T *boost_val);                                                                      \
    musparseStatus_t musparse##L##csrgemm2_bufferSizeExt(musparseHandle_t handle, int m, int n, int k, const T *alpha, \
        musparseMatDescr_t descrA, int nnzA, const int *csrRowPtrA, const int *csrColIndA, musparseMatDescr_t descrB,  \
        int nnzB, const int *csrRowPtrB, const int *csrColIndB, const T *beta, musparseMatDescr_t descrD, int nnzD,    \
        const int *csrRowPtrD, const int *csrColIndD, csrgemm2Info_t info, size_t *pBufferSize);                       \
    musparseStatus_t musparse##L##csrgemm2(musparseHandle_t handle, int m, int n, int k, const T *alpha,               \
        musparseMatDescr_t descrA, int nnzA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA,           \
        musparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB, const int *csrColIndB, const T   \
        *beta, musparseMatDescr_t descrD, int nnzD, const T *csrValD, const int *csrRowPtrD, const int *csrColIndD,    \
        musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, const csrgemm2Info_t info, void \
        *pBuffer);                                                                                                     \
    musparseStatus_t musparse##L##csr2gebsr_bufferSize(musparseHandle_t handle, musparseDirection_t dir, int m, int n, \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, int rowBlockDim,    \
        int colBlockDim, int *pBufferSize);                                                                            \
    musparseStatus_t musparse##L##gebsr2gebsc_bufferSize(musparseHandle_t handle, int mb, int nb, int nnzb, const T    \
        *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim, int colBlockDim, int *pBufferSize);      \
    musparseStatus_t musparse##L##gebsr2gebsr_bufferSize(musparseHandle_t handle, musparseDirection_t dir, int mb, int \
        nb, int nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int   \
        rowBlockDimA, int colBlockDimA, int rowBlockDimC, int colBlockDimC, int *pBufferSize);                         \
    musparseStatus_t musparse##L##csr2gebsr_bufferSizeExt(musparseHandle_t handle, musparseDirection_t dir, int m, int \
        n, musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, int rowBlockDim, \
        int colBlockDim, size_t *pBufferSize);                                                                         \
    musparseStatus_t musparse##L##gebsr2gebsc_bufferSizeExt(musparseHandle_t handle, int mb, int nb, int nnzb, const T \
        *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim, int colBlockDim, size_t *pBufferSize);   \
    musparseStatus_t musparse##L##gebsr2gebsr_bufferSizeExt(musparseHandle_t handle, musparseDirection_t dir, int mb,  \
        int nb, int nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,   \
        int rowBlockDimA, int colBlockDimA, int rowBlockDimC, int colBlockDimC, size_t *pBufferSize);                  \
    musparseStatus_t musparse##L##csr2gebsr(musparseHandle_t handle, musparseDirection_t dir, int m, int n,            \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, musparseMatDescr_t  \
        descrC, T *bsrValC, int *bsrRowPtrC, int *bsrColIndC, int rowBlockDim, int colBlockDim, void *pBuffer);        \
    musparseStatus_t musparse##L##gebsr2csr(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb,          \
        musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDim,    \
        int colBlockDim, musparseMatDescr_t descrC, T *csrValC, int *csrRowPtrC, int *csrColIndC);                     \
    musparseStatus_t musparse##L##gebsr2gebsr(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb, int    \
        nnzb, musparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int           \
        rowBlockDimA, int colBlockDimA, musparseMatDescr_t descrC, T *bsrValC, int *bsrRowPtrC, int *bsrColIndC, int   \
        rowBlockDimC, int colBlockDimC, void *pBuffer);                                                                \
    musparseStatus_t musparse##L##gebsr2gebsc(musparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrVal,      \
        const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim, int colBlockDim, T *bscVal, int *bscRowInd, int   \
        *bscColPtr, musparseAction_t copyValues, musparseIndexBase_t idxBase, void *pBuffer);                          \
    musparseStatus_t musparse##L##gemvi_bufferSize(musparseHandle_t handle, musparseOperation_t transA, int m, int n,  \
        int nnz, int *pBufferSize);                                                                                    \
    musparseStatus_t musparse##L##gemvi(musparseHandle_t handle, musparseOperation_t transA, int m, int n, const T     \
        *alpha, const T *A, int lda, int nnz, const T *xVal, const int *xInd, const T *beta, T *y, musparseIndexBase_t \
        idxBase, void *pBuffer);                                                                                       \
    musparseStatus_t musparse##L##gemmi(musparseHandle_t handle, int m, int n, int k, int nnz, const T *alpha, const T \
        *A, int lda, const T *cscValB, const int *cscColPtrB, const int *cscRowIndB, const T *beta, T *C, int ldc);    \
    musparseStatus_t musparse##L##bsrxmv(musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t        \
        transA, int sizeOfMask, int mb, int nb, int nnzb, const T *alpha, musparseMatDescr_t descrA, const T *bsrValA, \
        const int *bsrMaskPtrA, const int *bsrRowPtrA, const int *bsrEndPtrA, const int *bsrColIndA, int blockDim,     \
        const T *x, const T *beta, T *y);                                                                              \
    musparseStatus_t musparse##L##nnz_compress(musparseHandle_t handle, int m, musparseMatDescr_t descr, const T       \
        *csrValA, const int *csrRowPtrA, int *nnzPerRow, int *nnzC, T tol);                                            \
    musparseStatus_t musparse##L##csr2csr_compress(musparseHandle_t handle, int m, int n, musparseMatDescr_t descrA,   \
        const T *csrValA, const int *csrColIndA, const int *csrRowPtrA, int nnzA, const int *nnzPerRow, T *csrValC,    \
        int *csrColIndC, int *csrRowPtrC, T tol);                                                                      \
    musparseStatus_t musparse##L##csru2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz, T *csrVal,    \
        const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, size_t *pBufferSize);                               \
    musparseStatus_t musparse##L##csru2csr(musparseHandle_t handle, int m, int n, int nnz, musparseMatDescr_t descrA,  \
        T *csrVal, const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *pBuffer);                          \
    musparseStatus_t musparse##L##csr2csru(musparseHandle_t handle, int m, int n, int nnz, musparseMatDescr_t descrA,  \
        T *csrVal, const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *pBuffer);                          \
    musparseStatus_t musparse##L##csrcolor(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t descrA, const T \
        *csrValA, const int *csrRowPtrA, const int *csrColIndA, const R *fractionToColor, int *ncolors, int *coloring, \
        int *reordering, const musparseColorInfo_t info)
MUSA_SIM_OLDER(S, float, float);
MUSA_SIM_OLDER(D, double, double);
MUSA_SIM_OLDER(C, muComplex, float);
MUSA_SIM_OLDER(Z, muDoubleComplex, double);
#undef MUSA_SIM_OLDER

#define MUSA_SIM_OLDER(L, T)                                                                                           \
    musparseStatus_t musparse##L##roti(musparseHandle_t handle, int nnz, T *xVal, const int *xInd, T *y, const T *c,   \
        const T *s, musparseIndexBase_t idxBase)
MUSA_SIM_OLDER(S, float);
MUSA_SIM_OLDER(D, double);
#undef MUSA_SIM_OLDER

#if defined(__cplusplus)
#define MUSA_SIM_OLDER(L, T)                                                                                           \
    musparseStatus_t musparse##L##pruneDense2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, const T *A, int  \
        lda, const T *threshold, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int         \
        *csrColIndC, size_t *pBufferSize);                                                                             \
    musparseStatus_t musparse##L##pruneDense2csrNnz(musparseHandle_t handle, int m, int n, const T *A, int lda, const  \
        T *threshold, musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *pBuffer);             \
    musparseStatus_t musparse##L##pruneDense2csr(musparseHandle_t handle, int m, int n, const T *A, int lda, const T   \
        *threshold, musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, void *pBuffer);     \
    musparseStatus_t musparse##L##pruneDense2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m, int n,      \
        const T *A, int lda, float percentage, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,     \
        const int *csrColIndC, pruneInfo_t info, size_t *pBufferSize);                                                 \
    musparseStatus_t musparse##L##pruneDense2csrNnzByPercentage(musparseHandle_t handle, int m, int n, const T *A, int \
        lda, float percentage, musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info,  \
        void *pBuffer);                                                                                                \
    musparseStatus_t musparse##L##pruneDense2csrByPercentage(musparseHandle_t handle, int m, int n, const T *A, int    \
        lda, float percentage, musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,          \
        pruneInfo_t info, void *pBuffer);                                                                              \
    musparseStatus_t musparse##L##pruneCsr2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnzA,          \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, \
        musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int *csrColIndC, size_t              \
        *pBufferSize);                                                                                                 \
    musparseStatus_t musparse##L##pruneCsr2csrNnz(musparseHandle_t handle, int m, int n, int nnzA, musparseMatDescr_t  \
        descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, musparseMatDescr_t \
        descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *pBuffer);                                              \
    musparseStatus_t musparse##L##pruneCsr2csr(musparseHandle_t handle, int m, int n, int nnzA, musparseMatDescr_t     \
        descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, musparseMatDescr_t \
        descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, void *pBuffer);                                    \
    musparseStatus_t musparse##L##pruneCsr2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m, int n, int    \
        nnzA, musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float         \
        percentage, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int *csrColIndC,         \
        pruneInfo_t info, size_t *pBufferSize);                                                                        \
    musparseStatus_t musparse##L##pruneCsr2csrNnzByPercentage(musparseHandle_t handle, int m, int n, int nnzA,         \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,   \
        musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info, void *pBuffer);         \
    musparseStatus_t musparse##L##pruneCsr2csrByPercentage(musparseHandle_t handle, int m, int n, int nnzA,            \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,   \
        musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, pruneInfo_t info, void          \
        *pBuffer)
MUSA_SIM_OLDER(H, __half);
MUSA_SIM_OLDER(S, float);
MUSA_SIM_OLDER(D, double);
#undef MUSA_SIM_OLDER
#else
/* __half is a class */
#define MUSA_SIM_OLDER(L, T)                                                                                           \
    musparseStatus_t musparse##L##pruneDense2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, const T *A, int  \
        lda, const T *threshold, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int         \
        *csrColIndC, size_t *pBufferSize);                                                                             \
    musparseStatus_t musparse##L##pruneDense2csrNnz(musparseHandle_t handle, int m, int n, const T *A, int lda, const  \
        T *threshold, musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *pBuffer);             \
    musparseStatus_t musparse##L##pruneDense2csr(musparseHandle_t handle, int m, int n, const T *A, int lda, const T   \
        *threshold, musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, void *pBuffer);     \
    musparseStatus_t musparse##L##pruneDense2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m, int n,      \
        const T *A, int lda, float percentage, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC,     \
        const int *csrColIndC, pruneInfo_t info, size_t *pBufferSize);                                                 \
    musparseStatus_t musparse##L##pruneDense2csrNnzByPercentage(musparseHandle_t handle, int m, int n, const T *A, int \
        lda, float percentage, musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info,  \
        void *pBuffer);                                                                                                \
    musparseStatus_t musparse##L##pruneDense2csrByPercentage(musparseHandle_t handle, int m, int n, const T *A, int    \
        lda, float percentage, musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,          \
        pruneInfo_t info, void *pBuffer);                                                                              \
    musparseStatus_t musparse##L##pruneCsr2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnzA,          \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, \
        musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int *csrColIndC, size_t              \
        *pBufferSize);                                                                                                 \
    musparseStatus_t musparse##L##pruneCsr2csrNnz(musparseHandle_t handle, int m, int n, int nnzA, musparseMatDescr_t  \
        descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, musparseMatDescr_t \
        descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *pBuffer);                                              \
    musparseStatus_t musparse##L##pruneCsr2csr(musparseHandle_t handle, int m, int n, int nnzA, musparseMatDescr_t     \
        descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold, musparseMatDescr_t \
        descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, void *pBuffer);                                    \
    musparseStatus_t musparse##L##pruneCsr2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m, int n, int    \
        nnzA, musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float         \
        percentage, musparseMatDescr_t descrC, const T *csrValC, const int *csrRowPtrC, const int *csrColIndC,         \
        pruneInfo_t info, size_t *pBufferSize);                                                                        \
    musparseStatus_t musparse##L##pruneCsr2csrNnzByPercentage(musparseHandle_t handle, int m, int n, int nnzA,         \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,   \
        musparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info, void *pBuffer);         \
    musparseStatus_t musparse##L##pruneCsr2csrByPercentage(musparseHandle_t handle, int m, int n, int nnzA,            \
        musparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,   \
        musparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC, pruneInfo_t info, void          \
        *pBuffer)
MUSA_SIM_OLDER(S, float);
MUSA_SIM_OLDER(D, double);
#undef MUSA_SIM_OLDER
#endif

#ifdef __cplusplus
}
#endif

#endif
