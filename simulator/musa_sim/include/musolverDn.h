/* muSOLVER for dense matrices, column by column in device memory: LAPACK's factorisations, in the order of the handle's
 * stream. Names and signatures are cuSOLVER's, renamed.
 *
 * devInfo reports numerical failures, with LAPACK's values. LAPACK itself comes from a shared library of
 * the machine (docs/libraries.md); without one the functions return MUSOLVER_STATUS_NOT_SUPPORTED. The workspace must be
 * as large as the buffer-size functions say; nothing is written there.
 */
#ifndef MUSOLVERDN_H_
#define MUSOLVERDN_H_

#include <musolver_common.h>

/* muBLAS's handle: torch_musa gives the functions of SDK 4.3.0 and newer one that mublasCreate made. */
typedef mublasHandle_t musolverDnHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

musolverStatus_t musolverDnCreate(musolverDnHandle_t *handle);
musolverStatus_t musolverDnDestroy(musolverDnHandle_t handle);
musolverStatus_t musolverDnSetStream(musolverDnHandle_t handle, musaStream_t stream);
musolverStatus_t musolverDnGetStream(musolverDnHandle_t handle, musaStream_t *stream);

/* L: the letter in the names; T: the elements; R: their real type; OR: orthogonal or unitary; SY: symmetric or hermitian.
 * getrf without devIpiv exchanges no rows, and neither does getrs then. potrsBatched takes one right side. gesvd wants
 * m >= n. WORKSPACE: torch_musa passes none to Cunmqr and Zunmqr; in C++ they can be called with and without. */
#ifdef __cplusplus
#define MUSA_SIM_NO_WORKSPACE(T) T *work = nullptr, int lwork = 0, int *devInfo = nullptr
#else
#define MUSA_SIM_NO_WORKSPACE(T) T *work, int lwork, int *devInfo
#endif
#define MUSA_SIM_WORKSPACE(T) T *work, int lwork, int *devInfo
#define MUSA_SIM_SOLVER(L, T, R, OR, SY, WORKSPACE)                                                         \
    musolverStatus_t musolverDn##L##getrf_bufferSize(musolverDnHandle_t handle, int m, int n, T *A, int     \
        lda, int *Lwork);                                                                                   \
    musolverStatus_t musolverDn##L##getrf(musolverDnHandle_t handle, int m, int n, T *A, int lda,           \
        T *Workspace, int *devIpiv, int *devInfo);                                                          \
    musolverStatus_t musolverDn##L##getrs(musolverDnHandle_t handle, mublasOperation_t trans, int n, int    \
        nrhs, const T *A, int lda, const int *devIpiv, T *B, int ldb, int *devInfo);                        \
    musolverStatus_t musolverDn##L##potrf_bufferSize( musolverDnHandle_t handle, mublasFillMode_t uplo,     \
        int n, T *A, int lda, int *Lwork);                                                                  \
    musolverStatus_t musolverDn##L##potrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T *A,    \
        int lda, T *Workspace, int Lwork, int *devInfo);                                                    \
    musolverStatus_t musolverDn##L##potrs(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, int      \
        nrhs, const T *A, int lda, T *B, int ldb, int *devInfo);                                            \
    musolverStatus_t musolverDn##L##potrfBatched(musolverDnHandle_t handle, mublasFillMode_t uplo, int      \
        n, T *Aarray[], int lda, int *infoArray, int batchSize);                                            \
    musolverStatus_t musolverDn##L##potrsBatched(musolverDnHandle_t handle, mublasFillMode_t uplo, int      \
        n, int nrhs, T *Aarray[], int lda, T *Barray[], int ldb, int *devInfo, int batchSize);              \
    musolverStatus_t musolverDn##L##geqrf_bufferSize(musolverDnHandle_t handle, int m, int n, T *A, int     \
        lda, int *Lwork);                                                                                   \
    musolverStatus_t musolverDn##L##geqrf(musolverDnHandle_t handle, int m, int n, T *A, int lda,           \
        T *TAU, T *Workspace, int Lwork, int *devInfo);                                                     \
    musolverStatus_t musolverDn##L##OR##gqr_bufferSize( musolverDnHandle_t handle, int m, int n, int k,     \
        const T *A, int lda, const T *tau, int *lwork);                                                     \
    musolverStatus_t musolverDn##L##OR##gqr(musolverDnHandle_t handle, int m, int n, int k, T *A, int       \
        lda, const T *tau, T *work, int lwork, int *devInfo);                                               \
    musolverStatus_t musolverDn##L##OR##mqr_bufferSize( musolverDnHandle_t handle, mublasSideMode_t         \
        side, mublasOperation_t trans, int m, int n, int k, const T *A, int lda, const T *tau, const        \
        T *C, int ldc, int *lwork);                                                                         \
    musolverStatus_t musolverDn##L##OR##mqr( musolverDnHandle_t handle, mublasSideMode_t side,              \
        mublasOperation_t trans, int m, int n, int k, const T *A, int lda, const T *tau, T *C, int ldc,     \
        WORKSPACE(T));                                                                                      \
    musolverStatus_t musolverDn##L##SY##evd_bufferSize( musolverDnHandle_t handle, musolverEigMode_t        \
        jobz, mublasFillMode_t uplo, int n, const T *A, int lda, const R *W, int *lwork);                   \
    musolverStatus_t musolverDn##L##SY##evd(musolverDnHandle_t handle, musolverEigMode_t jobz,              \
        mublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *devInfo);               \
    musolverStatus_t musolverDn##L##gesvd_bufferSize(musolverDnHandle_t handle, int m, int n,               \
        int *lwork);                                                                                        \
    musolverStatus_t musolverDn##L##gesvd( musolverDnHandle_t handle, signed char jobu, signed char         \
        jobvt, int m, int n, T *A, int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int lwork,       \
        R *rwork, int *devInfo)
MUSA_SIM_SOLVER(S, float, float, or, sy, MUSA_SIM_WORKSPACE);
MUSA_SIM_SOLVER(D, double, double, or, sy, MUSA_SIM_WORKSPACE);
MUSA_SIM_SOLVER(C, muComplex, float, un, he, MUSA_SIM_NO_WORKSPACE);
MUSA_SIM_SOLVER(Z, muDoubleComplex, double, un, he, MUSA_SIM_NO_WORKSPACE);
#undef MUSA_SIM_SOLVER
#undef MUSA_SIM_WORKSPACE
#undef MUSA_SIM_NO_WORKSPACE

typedef struct musolverSyevjInfo *syevjInfo_t;
typedef struct musolverGesvdjInfo *gesvdjInfo_t;
typedef struct musolverDnParams *musolverDnParams_t;
typedef struct musolverDnIRSParams *musolverDnIRSParams_t;
typedef struct musolverDnIRSInfos *musolverDnIRSInfos_t;

musolverStatus_t musolverDnCreateSyevjInfo(syevjInfo_t *info);
musolverStatus_t musolverDnDestroySyevjInfo(syevjInfo_t info);
musolverStatus_t musolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
musolverStatus_t musolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps);
musolverStatus_t musolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig);
musolverStatus_t musolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
musolverStatus_t musolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
musolverStatus_t musolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
musolverStatus_t musolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps);
musolverStatus_t musolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd);
musolverStatus_t musolverDnCreateParams(musolverDnParams_t *params);
musolverStatus_t musolverDnDestroyParams(musolverDnParams_t params);
musolverStatus_t musolverDnSetAdvOptions(musolverDnParams_t params, musolverDnFunction_t function,
    musolverAlgMode_t algorithm);

/* Eigenvalues. evj and gvj, by Jacobi on a card, are LAPACK's other ones; evdx and gvdx write meig on the host before they
 * return; gvd, gvj and gvdx overwrite B with its factor. */
#define MUSA_SIM_EIGEN(L, T, R, OR, SY)                                                                     \
    musolverStatus_t musolverDn##L##SY##evj_bufferSize(musolverDnHandle_t handle, musolverEigMode_t jobz,   \
        mublasFillMode_t uplo, int n, const T *A, int lda, const R *W, int *lwork, syevjInfo_t params);     \
    musolverStatus_t musolverDn##L##SY##evj(musolverDnHandle_t handle, musolverEigMode_t jobz,              \
        mublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *info,                   \
        syevjInfo_t params);                                                                                \
    musolverStatus_t musolverDn##L##SY##evjBatched_bufferSize(musolverDnHandle_t handle,                    \
        musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T *A, int lda, const R *W,              \
        int *lwork, syevjInfo_t params, int batchSize);                                                     \
    musolverStatus_t musolverDn##L##SY##evjBatched(musolverDnHandle_t handle, musolverEigMode_t jobz,       \
        mublasFillMode_t uplo, int n, T *A, int lda, R *W, T *work, int lwork, int *info,                   \
        syevjInfo_t params, int batchSize);                                                                 \
    musolverStatus_t musolverDn##L##SY##gvd_bufferSize(musolverDnHandle_t handle, musolverEigType_t itype,  \
        musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb,     \
        const R *W, int *lwork);                                                                            \
    musolverStatus_t musolverDn##L##SY##gvd(musolverDnHandle_t handle, musolverEigType_t itype,             \
        musolverEigMode_t jobz, mublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W,           \
        T *work, int lwork, int *devInfo);                                                                  \
    musolverStatus_t musolverDn##L##SY##gvj_bufferSize(musolverDnHandle_t handle, musolverEigType_t itype,  \
        musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb,     \
        const R *W, int *lwork, syevjInfo_t params);                                                        \
    musolverStatus_t musolverDn##L##SY##gvj(musolverDnHandle_t handle, musolverEigType_t itype,             \
        musolverEigMode_t jobz, mublasFillMode_t uplo, int n, T *A, int lda, T *B, int ldb, R *W,           \
        T *work, int lwork, int *info, syevjInfo_t params);                                                 \
    musolverStatus_t musolverDn##L##SY##evdx_bufferSize(musolverDnHandle_t handle, musolverEigMode_t jobz,  \
        musolverEigRange_t range, mublasFillMode_t uplo, int n, const T *A, int lda, R vl, R vu, int il,    \
        int iu, int *meig, const R *W, int *lwork);                                                         \
    musolverStatus_t musolverDn##L##SY##evdx(musolverDnHandle_t handle, musolverEigMode_t jobz,             \
        musolverEigRange_t range, mublasFillMode_t uplo, int n, T *A, int lda, R vl, R vu, int il,          \
        int iu, int *meig, R *W, T *work, int lwork, int *devInfo);                                         \
    musolverStatus_t musolverDn##L##SY##gvdx_bufferSize(musolverDnHandle_t handle,                          \
        musolverEigType_t itype, musolverEigMode_t jobz, musolverEigRange_t range,                          \
        mublasFillMode_t uplo, int n, const T *A, int lda, const T *B, int ldb, R vl, R vu, int il, int iu, \
        int *, const R *W, int *lwork);                                                                     \
    musolverStatus_t musolverDn##L##SY##gvdx(musolverDnHandle_t handle, musolverEigType_t itype,            \
        musolverEigMode_t jobz, musolverEigRange_t range, mublasFillMode_t uplo, int n, T *A, int lda,      \
        T *B, int ldb, R vl, R vu, int il, int iu, int *meig, R *W, T *work, int lwork, int *devInfo);      \
    musolverStatus_t musolverDn##L##SY##trd_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,    \
        int n, const T *A, int lda, const R *d, const R *e, const T *tau, int *lwork);                      \
    musolverStatus_t musolverDn##L##SY##trd(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,        \
        T *A, int lda, R *d, R *e, T *tau, T *work, int lwork, int *devInfo);                               \
    musolverStatus_t musolverDn##L##OR##gtr_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,    \
        int n, const T *A, int lda, const T *tau, int *lwork);                                              \
    musolverStatus_t musolverDn##L##OR##gtr(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,        \
        T *A, int lda, const T *tau, T *work, int lwork, int *info);                                        \
    musolverStatus_t musolverDn##L##OR##mtr_bufferSize(musolverDnHandle_t handle, mublasSideMode_t side,    \
        mublasFillMode_t uplo, mublasOperation_t trans, int m, int n, const T *A, int lda, const T *tau,    \
        const T *C, int ldc, int *lwork);                                                                   \
    musolverStatus_t musolverDn##L##OR##mtr(musolverDnHandle_t handle, mublasSideMode_t side,               \
        mublasFillMode_t uplo, mublasOperation_t trans, int m, int n, T *A, int lda, T *tau, T *C,          \
        int ldc, T *work, int lwork, int *info)
MUSA_SIM_EIGEN(S, float, float, or, sy);
MUSA_SIM_EIGEN(D, double, double, or, sy);
MUSA_SIM_EIGEN(C, muComplex, float, un, he);
MUSA_SIM_EIGEN(Z, muDoubleComplex, double, un, he);
#undef MUSA_SIM_EIGEN

/* Singular values. gesvdj and gesvda give V and not its transpose; gesvdjBatched takes at most 32 rows and columns, gesvda and
 * gebrd want m >= n. */
#define MUSA_SIM_SINGULAR(L, T, R, OR)                                                                      \
    musolverStatus_t musolverDn##L##gesvdj_bufferSize(musolverDnHandle_t handle, musolverEigMode_t jobz,    \
        int econ, int m, int n, const T *A, int lda, const R *S, const T *U, int ldu, const T *V,           \
        int ldv, int *lwork, gesvdjInfo_t params);                                                          \
    musolverStatus_t musolverDn##L##gesvdj(musolverDnHandle_t handle, musolverEigMode_t jobz, int econ,     \
        int m, int n, T *A, int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info,     \
        gesvdjInfo_t params);                                                                               \
    musolverStatus_t musolverDn##L##gesvdjBatched_bufferSize(musolverDnHandle_t handle,                     \
        musolverEigMode_t jobz, int m, int n, const T *A, int lda, const R *S, const T *U, int ldu,         \
        const T *V, int ldv, int *lwork, gesvdjInfo_t params, int batchSize);                               \
    musolverStatus_t musolverDn##L##gesvdjBatched(musolverDnHandle_t handle, musolverEigMode_t jobz,        \
        int m, int n, T *A, int lda, R *S, T *U, int ldu, T *V, int ldv, T *work, int lwork, int *info,     \
        gesvdjInfo_t params, int batchSize);                                                                \
    musolverStatus_t musolverDn##L##gesvdaStridedBatched_bufferSize(musolverDnHandle_t handle,              \
        musolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda, long long strideA,           \
        const R *d_S, long long strideS, const T *d_U, int ldu, long long strideU, const T *d_V,            \
        int ldv, long long strideV, int *lwork, int batchSize);                                             \
    musolverStatus_t musolverDn##L##gesvdaStridedBatched(musolverDnHandle_t handle,                         \
        musolverEigMode_t jobz, int rank, int m, int n, const T *d_A, int lda, long long strideA,           \
        R *d_S, long long strideS, T *d_U, int ldu, long long strideU, T *d_V, int ldv,                     \
        long long strideV, T *work, int lwork, int *info, double *h_R_nrmF, int batchSize);                 \
    musolverStatus_t musolverDn##L##gebrd_bufferSize(musolverDnHandle_t handle, int m, int n,               \
        int *Lwork);                                                                                        \
    musolverStatus_t musolverDn##L##gebrd(musolverDnHandle_t handle, int m, int n, T *A, int lda, R *D,     \
        R *E, T *TAUQ, T *TAUP, T *Work, int Lwork, int *devInfo);                                          \
    musolverStatus_t musolverDn##L##OR##gbr_bufferSize(musolverDnHandle_t handle, mublasSideMode_t side,    \
        int m, int n, int k, const T *A, int lda, const T *tau, int *lwork);                                \
    musolverStatus_t musolverDn##L##OR##gbr(musolverDnHandle_t handle, mublasSideMode_t side, int m,        \
        int n, int k, T *A, int lda, const T *tau, T *work, int lwork, int *info)
MUSA_SIM_SINGULAR(S, float, float, or);
MUSA_SIM_SINGULAR(D, double, double, or);
MUSA_SIM_SINGULAR(C, muComplex, float, un);
MUSA_SIM_SINGULAR(Z, muDoubleComplex, double, un);
#undef MUSA_SIM_SINGULAR

/* Triangles: inverses from factors, symmetric indefinite factors, exchanges of rows */
#define MUSA_SIM_TRIANGLES(L, T)                                                                            \
    musolverStatus_t musolverDn##L##potri_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,      \
        int n, T *A, int lda, int *lwork);                                                                  \
    musolverStatus_t musolverDn##L##potri(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T *A,    \
        int lda, T *work, int lwork, int *devInfo);                                                         \
    musolverStatus_t musolverDn##L##lauum_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,      \
        int n, T *A, int lda, int *lwork);                                                                  \
    musolverStatus_t musolverDn##L##lauum(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T *A,    \
        int lda, T *work, int lwork, int *devInfo);                                                         \
    musolverStatus_t musolverDn##L##sytrf_bufferSize(musolverDnHandle_t handle, int n, T *A, int lda,       \
        int *lwork);                                                                                        \
    musolverStatus_t musolverDn##L##sytrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T *A,    \
        int lda, int *ipiv, T *work, int lwork, int *info);                                                 \
    musolverStatus_t musolverDn##L##sytri_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,      \
        int n, T *A, int lda, const int *ipiv, int *lwork);                                                 \
    musolverStatus_t musolverDn##L##sytri(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T *A,    \
        int lda, const int *ipiv, T *work, int lwork, int *info);                                           \
    musolverStatus_t musolverDn##L##laswp(musolverDnHandle_t handle, int n, T *A, int lda, int k1,          \
        int k2, const int *devIpiv, int incx)
MUSA_SIM_TRIANGLES(S, float);
MUSA_SIM_TRIANGLES(D, double);
MUSA_SIM_TRIANGLES(C, muComplex);
MUSA_SIM_TRIANGLES(Z, muDoubleComplex);
#undef MUSA_SIM_TRIANGLES

/* Types as arguments (of A, and the same for what is computed; real for singular values and eigenvalues), sizes of 64 bits.
 * The pairs of a pointer and a size without names are workspaces on the device and on the host, which are not used. */
musolverStatus_t musolverDnXgetrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m,
    int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t computed, size_t *on_device,
    size_t *on_host);
musolverStatus_t musolverDnXgetrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
    musaDataType_t type, void *A, int64_t lda, int64_t *ipiv, musaDataType_t computed, void *, size_t,
    void *, size_t, int *info);
musolverStatus_t musolverDnXgetrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasOperation_t trans,
    int64_t n, int64_t nrhs, musaDataType_t type, const void *A, int64_t lda, const int64_t *ipiv,
    musaDataType_t type_b, void *B, int64_t ldb, int *info);
musolverStatus_t musolverDnXpotrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params,
    mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void *A, int64_t lda,
    musaDataType_t computed, size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXpotrf(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo,
    int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t computed, void *, size_t, void *,
    size_t, int *info);
musolverStatus_t musolverDnXpotrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo,
    int64_t n, int64_t nrhs, musaDataType_t type, const void *A, int64_t lda, musaDataType_t type_b,
    void *B, int64_t ldb, int *info);
musolverStatus_t musolverDnXgeqrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m,
    int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t type_tau, const void *tau,
    musaDataType_t computed, size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXgeqrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
    musaDataType_t type, void *A, int64_t lda, musaDataType_t type_tau, void *tau, musaDataType_t computed,
    void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnXsyevd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params,
    musolverEigMode_t jobz, mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void *A,
    int64_t lda, musaDataType_t type_w, const void *W, musaDataType_t computed, size_t *on_device,
    size_t *on_host);
musolverStatus_t musolverDnXsyevd(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
    mublasFillMode_t uplo, int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t type_w,
    void *W, musaDataType_t computed, void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnXgesvd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, signed char,
    signed char, int64_t m, int64_t n, musaDataType_t type, const void *A, int64_t lda,
    musaDataType_t type_s, const void *S, musaDataType_t type_u, const void *, int64_t,
    musaDataType_t type_vt, const void *, int64_t, musaDataType_t computed, size_t *on_device,
    size_t *on_host);
musolverStatus_t musolverDnXgesvd(musolverDnHandle_t handle, musolverDnParams_t params, signed char jobu,
    signed char jobvt, int64_t m, int64_t n, musaDataType_t type, void *A, int64_t lda,
    musaDataType_t type_s, void *S, musaDataType_t type_u, void *U, int64_t ldu, musaDataType_t type_vt,
    void *VT, int64_t ldvt, musaDataType_t computed, void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnXtrtri_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,
    mublasDiagType_t, int64_t n, musaDataType_t type, void *A, int64_t lda, size_t *on_device,
    size_t *on_host);
musolverStatus_t musolverDnXtrtri(musolverDnHandle_t handle, mublasFillMode_t uplo, mublasDiagType_t diag,
    int64_t n, musaDataType_t type, void *A, int64_t lda, void *, size_t, void *, size_t, int *info);

/* Solutions of A X = B, and least squares, by the names of iterative refinement. They are computed in the precision of A, B
 * and X at once, which is as exact as the names promise: there are no iterations (`iter` is 0), and A stays as it is. */
#define MUSA_SIM_REFINED(P, T)                                                                                        \
    musolverStatus_t musolverDn##P##gesv_bufferSize(musolverDnHandle_t handle, musolver_int_t n, musolver_int_t nrhs, \
                                                    T *dA, musolver_int_t ldda, musolver_int_t *dipiv, T *dB,         \
                                                    musolver_int_t lddb, T *dX, musolver_int_t lddx,                  \
                                                    void *dWorkspace, size_t *lwork_bytes);                           \
    musolverStatus_t musolverDn##P##gesv(musolverDnHandle_t handle, musolver_int_t n, musolver_int_t nrhs, T *dA,     \
                                         musolver_int_t ldda, musolver_int_t *dipiv, T *dB, musolver_int_t lddb,      \
                                         T *dX, musolver_int_t lddx, void *dWorkspace, size_t lwork_bytes,            \
                                         musolver_int_t *iter, musolver_int_t *d_info);                               \
    musolverStatus_t musolverDn##P##gels_bufferSize(musolverDnHandle_t handle, musolver_int_t m, musolver_int_t n,    \
                                                    musolver_int_t nrhs, T *dA, musolver_int_t ldda, T *dB,           \
                                                    musolver_int_t lddb, T *dX, musolver_int_t lddx,                  \
                                                    void *dWorkspace, size_t *lwork_bytes);                           \
    musolverStatus_t musolverDn##P##gels(musolverDnHandle_t handle, musolver_int_t m, musolver_int_t n,               \
                                         musolver_int_t nrhs, T *dA, musolver_int_t ldda, T *dB, musolver_int_t lddb, \
                                         T *dX, musolver_int_t lddx, void *dWorkspace, size_t lwork_bytes,            \
                                         musolver_int_t *iter, musolver_int_t *d_info)
MUSA_SIM_REFINED(SS, float);
MUSA_SIM_REFINED(SH, float);
MUSA_SIM_REFINED(SB, float);
MUSA_SIM_REFINED(SX, float);
MUSA_SIM_REFINED(DD, double);
MUSA_SIM_REFINED(DS, double);
MUSA_SIM_REFINED(DH, double);
MUSA_SIM_REFINED(DB, double);
MUSA_SIM_REFINED(DX, double);
MUSA_SIM_REFINED(CC, muComplex);
MUSA_SIM_REFINED(CK, muComplex);
MUSA_SIM_REFINED(CY, muComplex);
MUSA_SIM_REFINED(CE, muComplex);
MUSA_SIM_REFINED(ZZ, muDoubleComplex);
MUSA_SIM_REFINED(ZC, muDoubleComplex);
MUSA_SIM_REFINED(ZK, muDoubleComplex);
MUSA_SIM_REFINED(ZY, muDoubleComplex);
MUSA_SIM_REFINED(ZE, muDoubleComplex);
#undef MUSA_SIM_REFINED

/* Parts of the spectrum, singular values by other methods (which compute the same), symmetric systems. Iterative refinement by
 * parameters: MainPrecision is the type of A, B and X, and there are no iterations. The names without X are older. */
musolverStatus_t musolverDnXsyevdx_bufferSize(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t
    jobz, musolverEigRange_t, mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void *A, int64_t lda,
    void *, void *, int64_t, int64_t, int64_t *, musaDataType_t type_w, const void *W, musaDataType_t computed,
    size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXsyevdx(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz,
    musolverEigRange_t range, mublasFillMode_t uplo, int64_t n, musaDataType_t type, void *A, int64_t lda, void
    *vl, void *vu, int64_t il, int64_t iu, int64_t *meig, musaDataType_t type_w, void *W, musaDataType_t
    computed, void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnXgesvdp_bufferSize(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t
    jobz, int, int64_t m, int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t type_s,
    const void *S, musaDataType_t type_u, const void *, int64_t, musaDataType_t type_v, const void *, int64_t,
    musaDataType_t computed, size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXgesvdp(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz, int
    econ, int64_t m, int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t type_s, void *S,
    musaDataType_t type_u, void *U, int64_t ldu, musaDataType_t type_v, void *V, int64_t ldv, musaDataType_t
    computed, void *, size_t, void *, size_t, int *info, double *error);
musolverStatus_t musolverDnXgesvdr_bufferSize(musolverDnHandle_t handle, musolverDnParams_t, signed char, signed
    char, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, musaDataType_t type, const void *A,
    int64_t lda, musaDataType_t type_s, const void *S, musaDataType_t type_u, const void *, int64_t,
    musaDataType_t type_v, const void *, int64_t, musaDataType_t computed, size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXgesvdr(musolverDnHandle_t handle, musolverDnParams_t, signed char jobu, signed char
    jobv, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, musaDataType_t type, void *A, int64_t lda,
    musaDataType_t type_s, void *S, musaDataType_t type_u, void *U, int64_t ldu, musaDataType_t type_v, void *V,
    int64_t ldv, musaDataType_t computed, void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnXsytrs_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo, int64_t n,
    int64_t nrhs, musaDataType_t type, const void *A, int64_t lda, const int64_t *, musaDataType_t type_b, void
    *B, int64_t ldb, size_t *on_device, size_t *on_host);
musolverStatus_t musolverDnXsytrs(musolverDnHandle_t handle, mublasFillMode_t uplo, int64_t n, int64_t nrhs,
    musaDataType_t type, const void *A, int64_t lda, const int64_t *ipiv, musaDataType_t type_b, void *B,
    int64_t ldb, void *, size_t, void *, size_t, int *info);
musolverStatus_t musolverDnIRSParamsCreate(musolverDnIRSParams_t *params);
musolverStatus_t musolverDnIRSParamsDestroy(musolverDnIRSParams_t params);
musolverStatus_t musolverDnIRSParamsSetRefinementSolver(musolverDnIRSParams_t params, musolverIRSRefinement_t);
musolverStatus_t musolverDnIRSParamsSetSolverMainPrecision(musolverDnIRSParams_t params, musolverPrecType_t
    precision);
musolverStatus_t musolverDnIRSParamsSetSolverLowestPrecision(musolverDnIRSParams_t params, musolverPrecType_t);
musolverStatus_t musolverDnIRSParamsSetSolverPrecisions(musolverDnIRSParams_t params, musolverPrecType_t
    precision, musolverPrecType_t);
musolverStatus_t musolverDnIRSParamsSetTol(musolverDnIRSParams_t params, double);
musolverStatus_t musolverDnIRSParamsSetTolInner(musolverDnIRSParams_t params, double);
musolverStatus_t musolverDnIRSParamsSetMaxIters(musolverDnIRSParams_t params, int most);
musolverStatus_t musolverDnIRSParamsSetMaxItersInner(musolverDnIRSParams_t params, int);
musolverStatus_t musolverDnIRSParamsGetMaxIters(musolverDnIRSParams_t params, int *most);
musolverStatus_t musolverDnIRSParamsEnableFallback(musolverDnIRSParams_t params);
musolverStatus_t musolverDnIRSParamsDisableFallback(musolverDnIRSParams_t params);
musolverStatus_t musolverDnIRSInfosCreate(musolverDnIRSInfos_t *infos);
musolverStatus_t musolverDnIRSInfosDestroy(musolverDnIRSInfos_t infos);
musolverStatus_t musolverDnIRSInfosGetNiters(musolverDnIRSInfos_t infos, int *iterations);
musolverStatus_t musolverDnIRSInfosGetOuterNiters(musolverDnIRSInfos_t infos, int *iterations);
musolverStatus_t musolverDnIRSInfosGetMaxIters(musolverDnIRSInfos_t infos, int *most);
musolverStatus_t musolverDnIRSInfosRequestResidual(musolverDnIRSInfos_t);
musolverStatus_t musolverDnIRSInfosGetResidualHistory(musolverDnIRSInfos_t, void **);
musolverStatus_t musolverDnIRSXgesv_bufferSize(musolverDnHandle_t handle, musolverDnIRSParams_t params, int n,
    int nrhs, size_t *bytes);
musolverStatus_t musolverDnIRSXgesv(musolverDnHandle_t handle, musolverDnIRSParams_t params,
    musolverDnIRSInfos_t infos, int n, int nrhs, void *A, int lda, void *B, int ldb, void *X, int ldx, void
    *workspace, size_t bytes, int *iterations, int *info);
musolverStatus_t musolverDnIRSXgels_bufferSize(musolverDnHandle_t handle, musolverDnIRSParams_t params, int m,
    int n, int nrhs, size_t *bytes);
musolverStatus_t musolverDnIRSXgels(musolverDnHandle_t handle, musolverDnIRSParams_t params,
    musolverDnIRSInfos_t infos, int m, int n, int nrhs, void *A, int lda, void *B, int ldb, void *X, int ldx,
    void *workspace, size_t bytes, int *iterations, int *info);
musolverStatus_t musolverDnGetrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m,
    int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t computed, size_t *bytes);
musolverStatus_t musolverDnGetrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
    musaDataType_t type, void *A, int64_t lda, int64_t *ipiv, musaDataType_t computed, void *buffer, size_t
    bytes, int *info);
musolverStatus_t musolverDnGetrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasOperation_t trans,
    int64_t n, int64_t nrhs, musaDataType_t type, const void *A, int64_t lda, const int64_t *ipiv,
    musaDataType_t type_b, void *B, int64_t ldb, int *info);
musolverStatus_t musolverDnGeqrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m,
    int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t type_tau, const void *tau,
    musaDataType_t computed, size_t *bytes);
musolverStatus_t musolverDnGeqrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
    musaDataType_t type, void *A, int64_t lda, musaDataType_t type_tau, void *tau, musaDataType_t computed, void
    *buffer, size_t bytes, int *info);
musolverStatus_t musolverDnPotrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params,
    mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void *A, int64_t lda, musaDataType_t computed,
    size_t *bytes);
musolverStatus_t musolverDnPotrf(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo,
    int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t computed, void *buffer, size_t bytes,
    int *info);
musolverStatus_t musolverDnPotrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo,
    int64_t n, int64_t nrhs, musaDataType_t type, const void *A, int64_t lda, musaDataType_t type_b, void *B,
    int64_t ldb, int *info);
musolverStatus_t musolverDnSyevd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params,
    musolverEigMode_t jobz, mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void *A, int64_t lda,
    musaDataType_t type_w, const void *W, musaDataType_t computed, size_t *bytes);
musolverStatus_t musolverDnSyevd(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
    mublasFillMode_t uplo, int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t type_w, void *W,
    musaDataType_t computed, void *buffer, size_t bytes, int *info);
musolverStatus_t musolverDnSyevdx_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params,
    musolverEigMode_t jobz, musolverEigRange_t range, mublasFillMode_t uplo, int64_t n, musaDataType_t type,
    const void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *meig, musaDataType_t
    type_w, const void *W, musaDataType_t computed, size_t *bytes);
musolverStatus_t musolverDnSyevdx(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
    musolverEigRange_t range, mublasFillMode_t uplo, int64_t n, musaDataType_t type, void *A, int64_t lda, void
    *vl, void *vu, int64_t il, int64_t iu, int64_t *meig, musaDataType_t type_w, void *W, musaDataType_t
    computed, void *buffer, size_t bytes, int *info);
musolverStatus_t musolverDnGesvd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, signed char
    jobu, signed char jobvt, int64_t m, int64_t n, musaDataType_t type, const void *A, int64_t lda,
    musaDataType_t type_s, const void *S, musaDataType_t type_u, const void *U, int64_t ldu, musaDataType_t
    type_vt, const void *VT, int64_t ldvt, musaDataType_t computed, size_t *bytes);
musolverStatus_t musolverDnGesvd(musolverDnHandle_t handle, musolverDnParams_t params, signed char jobu, signed
    char jobvt, int64_t m, int64_t n, musaDataType_t type, void *A, int64_t lda, musaDataType_t type_s, void *S,
    musaDataType_t type_u, void *U, int64_t ldu, musaDataType_t type_vt, void *VT, int64_t ldvt, musaDataType_t
    computed, void *buffer, size_t bytes, int *info);

musolverStatus_t musolverGetProperty(libraryPropertyType type, int *value);
musolverStatus_t musolverGetVersion(int *version);

#ifdef __cplusplus
}
#endif

#endif
