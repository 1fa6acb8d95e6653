// Inverses from factors, symmetric indefinite factors, row exchanges, and products of triangles.
#include <musolverDn.h>

#include "solver.h"

using namespace musolver;

namespace {

// Run potri or lauum, which work in place on a triangle.
template <class T>
musolverStatus_t in_place(musolverDnHandle_t handle, const char* routine, mublasFillMode_t uplo, int n, T* a, int lda,
                          T* work, int lwork, int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && a && work && lwork >= 1 && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>(routine, letter_of(uplo), n, a, lda); });
}

// A = L D L^T with pivoting; complex matrices are symmetric, not Hermitian.
template <class T>
musolverStatus_t sytrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* a, int lda, int* pivots, T* work,
                       int lwork, int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && a && pivots && work &&
                       lwork >= std::max(1LL, panel_size(n, n)) && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>("sytrf", letter_of(uplo), n, a, lda, pivots); });
}

template <class T>
musolverStatus_t sytri(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* a, int lda, const int* pivots, T* work,
                       int lwork, int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && a && pivots && work &&
                       lwork >= std::max(1LL, panel_size(n, n)) && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>("sytri", letter_of(uplo), n, a, lda, pivots); });
}

template <class T>
musolverStatus_t laswp(musolverDnHandle_t handle, int n, T* a, int lda, int k1, int k2, const int* pivots, int increment) {
    const bool valid = n >= 0 && a && lda >= std::max(1, k2) && k1 >= 1 && k2 >= k1 && pivots && increment != 0;
    return enqueue(handle, valid, [=] { run_lapack<T>("laswp", n, a, lda, k1, k2, pivots, increment); });
}

}  // namespace

#define MUSA_SIM_TRIANGLES(L, T)                                                                                 \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potri_bufferSize(                                                \
        musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* A, int lda, int* lwork) {                    \
        return give_size(handle, A && is_fill(uplo) && is_matrix(n, n, lda), 1, lwork);                          \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potri(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,   \
                                                      T* A, int lda, T* work, int lwork, int* devInfo) {         \
        return in_place<T>(handle, "potri", uplo, n, A, lda, work, lwork, devInfo);                              \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##lauum_bufferSize(                                                \
        musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* A, int lda, int* lwork) {                    \
        return give_size(handle, A && is_fill(uplo) && is_matrix(n, n, lda), 1, lwork);                          \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##lauum(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,   \
                                                      T* A, int lda, T* work, int lwork, int* devInfo) {         \
        return in_place<T>(handle, "lauum", uplo, n, A, lda, work, lwork, devInfo);                              \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##sytrf_bufferSize(musolverDnHandle_t handle, int n, T* A,         \
                                                                 int lda, int* lwork) {                          \
        return give_size(handle, A && is_matrix(n, n, lda), panel_size(n, n), lwork);                            \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##sytrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,   \
                                                      T* A, int lda, int* ipiv, T* work, int lwork, int* info) { \
        return sytrf<T>(handle, uplo, n, A, lda, ipiv, work, lwork, info);                                       \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##sytri_bufferSize(                                                \
        musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* A, int lda, const int* ipiv, int* lwork) {   \
        return give_size(handle, A && ipiv && is_fill(uplo) && is_matrix(n, n, lda), panel_size(n, n), lwork);   \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##sytri(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,   \
                                                      T* A, int lda, const int* ipiv, T* work, int lwork,        \
                                                      int* info) {                                               \
        return sytri<T>(handle, uplo, n, A, lda, ipiv, work, lwork, info);                                       \
    }                                                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##laswp(musolverDnHandle_t handle, int n, T* A, int lda, int k1,   \
                                                      int k2, const int* devIpiv, int incx) {                    \
        return laswp<T>(handle, n, A, lda, k1, k2, devIpiv, incx);                                               \
    }
MUSA_SIM_TRIANGLES(S, float)
MUSA_SIM_TRIANGLES(D, double)
MUSA_SIM_TRIANGLES(C, muComplex)
MUSA_SIM_TRIANGLES(Z, muDoubleComplex)
#undef MUSA_SIM_TRIANGLES
