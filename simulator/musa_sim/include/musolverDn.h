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

#ifdef __cplusplus
}
#endif

#endif
