// Solutions by the names of iterative refinement, which are computed in full precision at once.
#include <vector>

#include "solver.h"

using namespace musolver;

namespace {

// Copy a matrix without what its leading dimension skips.
template <class T>
std::vector<T> dense(const T* from, int rows, int columns, int ld) {
    std::vector<T> all;
    all.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
        const T* const at = from + static_cast<std::size_t>(column) * static_cast<std::size_t>(ld);
        all.insert(all.end(), at, at + rows);
    }
    return all;
}

// Write the first rows of each column.
template <class T>
void put(const std::vector<T>& from, int rows_there, int rows, int columns, T* to, int ld) {
    for (int column = 0; column < columns; ++column)
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(column) * rows_there, rows,
                    to + static_cast<std::size_t>(column) * static_cast<std::size_t>(ld));
}

// The workspace is not used, but programs must allocate it.
musolverStatus_t give_bytes(musolverDnHandle_t handle, bool valid, std::size_t* bytes) {
    const musolverStatus_t status = check(handle, valid && bytes);
    if (status == MUSOLVER_STATUS_SUCCESS) *bytes = 1;
    return status;
}

template <class T>
musolverStatus_t gesv(musolverDnHandle_t handle, int n, int nrhs, const T* a, int lda, int* pivots, const T* b, int ldb, T* x,
                      int ldx, int* iterations, int* info) {
    const bool valid = is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && is_matrix(n, nrhs, ldx) && a && b && x &&
                       iterations && info;
    const musolverStatus_t status = enqueue(handle, valid, [=] {
        std::vector<T> factors = dense(a, n, n, lda), solution = dense(b, n, nrhs, ldb);
        std::vector<int> own(static_cast<std::size_t>(n));
        int* const rows = pivots ? pivots : own.data();
        *info = run_lapack<T>("gesv", n, nrhs, factors.data(), std::max(1, n), rows, solution.data(), std::max(1, n));
        if (*info == 0) put(solution, n, n, nrhs, x, ldx);
    });
    if (status == MUSOLVER_STATUS_SUCCESS) *iterations = 0;
    return status;
}

template <class T>
musolverStatus_t gels(musolverDnHandle_t handle, int m, int n, int nrhs, const T* a, int lda, const T* b, int ldb, T* x,
                      int ldx, int* iterations, int* info) {
    const bool valid = m >= n && is_matrix(m, n, lda) && is_matrix(m, nrhs, ldb) && is_matrix(n, nrhs, ldx) && a && b && x &&
                       iterations && info;
    const musolverStatus_t status = enqueue(handle, valid, [=] {
        std::vector<T> factors = dense(a, m, n, lda), solution = dense(b, m, nrhs, ldb);
        *info = run_lapack<T>("gels", 'N', m, n, nrhs, factors.data(), std::max(1, m), solution.data(), std::max(1, m));
        if (*info == 0) put(solution, m, n, nrhs, x, ldx);
    });
    if (status == MUSOLVER_STATUS_SUCCESS) *iterations = 0;
    return status;
}

}  // namespace

#define MUSOLVER_REFINED(P, T)                                                                                        \
    MUSA_EXPORT musolverStatus_t musolverDn##P##gesv_bufferSize(                                                      \
        musolverDnHandle_t handle, int n, int nrhs, T*, int lda, int*, T*, int ldb, T*, int ldx, void*, size_t* bytes) { \
        return give_bytes(handle, is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && is_matrix(n, nrhs, ldx), bytes); \
    }                                                                                                                 \
    MUSA_EXPORT musolverStatus_t musolverDn##P##gesv(musolverDnHandle_t handle, int n, int nrhs, T* a, int lda,       \
                                                     int* pivots, T* b, int ldb, T* x, int ldx, void*, size_t,        \
                                                     int* iterations, int* info) {                                    \
        return gesv(handle, n, nrhs, a, lda, pivots, b, ldb, x, ldx, iterations, info);                               \
    }                                                                                                                 \
    MUSA_EXPORT musolverStatus_t musolverDn##P##gels_bufferSize(musolverDnHandle_t handle, int m, int n, int nrhs, T*, \
                                                                int lda, T*, int ldb, T*, int ldx, void*,             \
                                                                size_t* bytes) {                                      \
        return give_bytes(handle, m >= n && is_matrix(m, n, lda) && is_matrix(m, nrhs, ldb) && is_matrix(n, nrhs, ldx), \
                          bytes);                                                                                     \
    }                                                                                                                 \
    MUSA_EXPORT musolverStatus_t musolverDn##P##gels(musolverDnHandle_t handle, int m, int n, int nrhs, T* a, int lda, \
                                                     T* b, int ldb, T* x, int ldx, void*, size_t, int* iterations,    \
                                                     int* info) {                                                     \
        return gels(handle, m, n, nrhs, a, lda, b, ldb, x, ldx, iterations, info);                                    \
    }

MUSOLVER_REFINED(SS, float)
MUSOLVER_REFINED(SH, float)
MUSOLVER_REFINED(SB, float)
MUSOLVER_REFINED(SX, float)
MUSOLVER_REFINED(DD, double)
MUSOLVER_REFINED(DS, double)
MUSOLVER_REFINED(DH, double)
MUSOLVER_REFINED(DB, double)
MUSOLVER_REFINED(DX, double)
MUSOLVER_REFINED(CC, muComplex)
MUSOLVER_REFINED(CK, muComplex)
MUSOLVER_REFINED(CY, muComplex)
MUSOLVER_REFINED(CE, muComplex)
MUSOLVER_REFINED(ZZ, muDoubleComplex)
MUSOLVER_REFINED(ZC, muDoubleComplex)
MUSOLVER_REFINED(ZK, muDoubleComplex)
MUSOLVER_REFINED(ZY, muDoubleComplex)
MUSOLVER_REFINED(ZE, muDoubleComplex)

MUSA_EXPORT musolverStatus_t musolverGetVersion(int* version) {
    if (!version) return MUSOLVER_STATUS_INVALID_VALUE;
    *version = MUSOLVER_VERSION;
    return MUSOLVER_STATUS_SUCCESS;
}

MUSA_EXPORT musolverStatus_t musolverGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MUSOLVER_STATUS_INVALID_VALUE;
    switch (type) {
        case MAJOR_VERSION: *value = MUSOLVER_VER_MAJOR; return MUSOLVER_STATUS_SUCCESS;
        case MINOR_VERSION: *value = MUSOLVER_VER_MINOR; return MUSOLVER_STATUS_SUCCESS;
        case PATCH_LEVEL: *value = MUSOLVER_VER_PATCH; return MUSOLVER_STATUS_SUCCESS;
    }
    return MUSOLVER_STATUS_INVALID_VALUE;
}
