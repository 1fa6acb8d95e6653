// Eigenvalues of symmetric and Hermitian matrices: Jacobi's functions, ranges of eigenvalues, generalised problems, and
// reduction to tridiagonal form.
#include <musolverDn.h>

#include <vector>

#include "solver.h"

using namespace musolver;

struct musolverSyevjInfo {};

namespace {

// Return LAPACK's name of a routine for real or for complex matrices.
template <class T>
const char* named(const char* real, const char* complex) {
    return Type<T>::is_complex ? complex : real;
}

long long eigen_size(int n) { return 1 + 6LL * n + 2LL * n * n; }

bool is_range(musolverEigRange_t range) {
    return range == MUSOLVER_EIG_RANGE_ALL || range == MUSOLVER_EIG_RANGE_V || range == MUSOLVER_EIG_RANGE_I;
}

bool is_problem(musolverEigType_t type) { return type >= MUSOLVER_EIG_TYPE_1 && type <= MUSOLVER_EIG_TYPE_3; }

// A triangle of a symmetric matrix, and the requested results.
template <class T>
struct Symmetric {
    musolverEigMode_t jobz;
    mublasFillMode_t uplo;
    int n;
    T* a;
    int lda;

    bool valid() const { return is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && a; }
};

// The requested eigenvalues.
template <class R>
struct Range {
    musolverEigRange_t kind;
    R vl, vu;
    int il, iu;

    bool valid(int n) const {
        if (!is_range(kind)) return false;
        if (kind == MUSOLVER_EIG_RANGE_V) return vl < vu;
        return kind == MUSOLVER_EIG_RANGE_ALL || n == 0 || (1 <= il && il <= iu && iu <= n);
    }
};

template <class T>
musolverStatus_t syevj_batched(musolverDnHandle_t handle, const Symmetric<T>& m, Real<T>* w, T* work, int lwork, int* info,
                               syevjInfo_t parameters, int batch) {
    const bool valid = m.valid() && w && work && lwork >= eigen_size(m.n) && info && parameters && batch >= 0;
    return enqueue(handle, valid, [=] {
        for (std::ptrdiff_t i = 0; i < batch; ++i) {
            info[i] = run_lapack<T>(named<T>("syevd", "heevd"), letter_of(m.jobz), letter_of(m.uplo), m.n,
                                    m.a + i * m.n * m.lda, m.lda, w + i * m.n);
        }
    });
}

// A x = w B x, A B x = w x or B A x = w x. B is replaced by its Cholesky factor.
template <class T>
musolverStatus_t sygvd(musolverDnHandle_t handle, musolverEigType_t type, const Symmetric<T>& m, T* b, int ldb, Real<T>* w,
                       T* work, int lwork, int* info) {
    const bool valid = is_problem(type) && m.valid() && b && is_matrix(m.n, m.n, ldb) && w && work &&
                       lwork >= eigen_size(m.n) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(named<T>("sygvd", "hegvd"), static_cast<int>(type), letter_of(m.jobz),
                              letter_of(m.uplo), m.n, m.a, m.lda, b, ldb, w);
    });
}

// Store the vectors of the `found` eigenvalues in A's first columns.
template <class T>
void put_vectors(const Symmetric<T>& m, const std::vector<T>& vectors, int found) {
    if (m.jobz != MUSOLVER_EIG_MODE_VECTOR) return;
    for (std::ptrdiff_t j = 0; j < found; ++j) std::copy_n(vectors.begin() + j * m.n, m.n, m.a + j * m.lda);
}

// `found` is in host memory: the call waits for it, as cuSOLVER's does.
template <class T>
musolverStatus_t syevdx(musolverDnHandle_t handle, const Symmetric<T>& m, const Range<Real<T>>& range, int* found,
                        Real<T>* w, T* work, int lwork, int* info) {
    const bool valid = m.valid() && range.valid(m.n) && found && w && work && lwork >= eigen_size(m.n) && info;
    return finish(handle, enqueue(handle, valid, [=] {
        const int n = std::max(1, m.n);
        std::vector<T> vectors(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
        std::vector<int> support(2 * static_cast<std::size_t>(n));
        *info = run_lapack<T>(named<T>("syevr", "heevr"), letter_of(m.jobz), letter_of(range.kind),
                              letter_of(m.uplo), m.n, m.a, m.lda, range.vl, range.vu, range.il, range.iu,
                              Real<T>(0), found, w, vectors.data(), n, support.data());
        if (*info == 0) put_vectors(m, vectors, *found);
    }));
}

template <class T>
musolverStatus_t sygvdx(musolverDnHandle_t handle, musolverEigType_t type, const Symmetric<T>& m,
                        const Range<Real<T>>& range, T* b, int ldb, int* found, Real<T>* w, T* work, int lwork,
                        int* info) {
    const bool valid = is_problem(type) && m.valid() && range.valid(m.n) && b && is_matrix(m.n, m.n, ldb) && found && w &&
                       work && lwork >= eigen_size(m.n) && info;
    return finish(handle, enqueue(handle, valid, [=] {
        const int n = std::max(1, m.n);
        std::vector<T> vectors(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
        std::vector<int> failed(static_cast<std::size_t>(n));
        *info = run_lapack<T>(named<T>("sygvx", "hegvx"), static_cast<int>(type), letter_of(m.jobz),
                              letter_of(range.kind), letter_of(m.uplo), m.n, m.a, m.lda, b, ldb, range.vl,
                              range.vu, range.il, range.iu, Real<T>(0), found, w, vectors.data(), n, failed.data());
        if (*info == 0) put_vectors(m, vectors, *found);
    }));
}

// A = Q T Q^H, where T is tridiagonal: d and e.
template <class T>
musolverStatus_t sytrd(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* a, int lda, Real<T>* d, Real<T>* e,
                       T* tau, T* work, int lwork, int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && a && d && (n < 2 || (e && tau)) && work &&
                       lwork >= eigen_size(n) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(named<T>("sytrd", "hetrd"), letter_of(uplo), n, a, lda, d, e, tau);
    });
}

template <class T>
musolverStatus_t orgtr(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* a, int lda, const T* tau, T* work,
                       int lwork, int* info) {
    const bool valid =
        is_fill(uplo) && is_matrix(n, n, lda) && a && (n < 2 || tau) && work && lwork >= eigen_size(n) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(named<T>("orgtr", "ungtr"), letter_of(uplo), n, a, lda, tau);
    });
}

template <class T>
musolverStatus_t ormtr(musolverDnHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, mublasOperation_t trans,
                       int m, int n, const T* a, int lda, const T* tau, T* c, int ldc, T* work, int lwork, int* info) {
    const int order = side == MUBLAS_SIDE_LEFT ? m : n;
    const bool valid = is_side(side) && is_fill(uplo) && is_operation(trans) &&
                       !(Type<T>::is_complex && trans == MUBLAS_OP_T) && is_matrix(m, n, ldc) &&
                       is_matrix(order, order, lda) && a && tau && c && work && lwork >= panel_size(m, n) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(named<T>("ormtr", "unmtr"), letter_of(side), letter_of(uplo),
                              letter_of<T>(trans), m, n, a, lda, tau, c, ldc);
    });
}

}  // namespace

MUSA_EXPORT musolverStatus_t musolverDnCreateSyevjInfo(syevjInfo_t* info) {
    return create_object(info);
}
MUSA_EXPORT musolverStatus_t musolverDnDestroySyevjInfo(syevjInfo_t info) {
    return destroy_object(info);
}
// The tolerance is LAPACK's, which is as small as possible, and eigenvalues are always sorted.
MUSA_EXPORT musolverStatus_t musolverDnXsyevjSetTolerance(syevjInfo_t info, double) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}
MUSA_EXPORT musolverStatus_t musolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}
MUSA_EXPORT musolverStatus_t musolverDnXsyevjSetSortEig(syevjInfo_t info, int) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}

#define MUSA_SIM_SIZE(name, valid, size, ...)                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##name(musolverDnHandle_t handle, __VA_ARGS__) { \
        return give_size(handle, valid, size, lwork);                                       \
    }

#define MUSA_SIM_EIGEN(L, T, R, OR, SY)                                                                                \
    MUSA_SIM_SIZE(L##SY##evj_bufferSize, (Symmetric<const T>{jobz, uplo, n, A, lda}.valid() && W && params),           \
                  eigen_size(n), musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T* A, int lda,            \
                  const R* W, int* lwork, syevjInfo_t params)                                                          \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##evj(                                                               \
        musolverDnHandle_t handle, musolverEigMode_t jobz, mublasFillMode_t uplo, int n, T* A, int lda, R* W, T* work, \
        int lwork, int* info, syevjInfo_t params) {                                                                    \
        return syevj_batched<T>(handle, {jobz, uplo, n, A, lda}, W, work, lwork, info, params, 1);                     \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##evjBatched_bufferSize,                                                                        \
                  (Symmetric<const T>{jobz, uplo, n, A, lda}.valid() && W && params && batchSize >= 0),                \
                  eigen_size(n), musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T* A, int lda,            \
                  const R* W, int* lwork, syevjInfo_t params, int batchSize)                                           \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##evjBatched(                                                        \
        musolverDnHandle_t handle, musolverEigMode_t jobz, mublasFillMode_t uplo, int n, T* A, int lda, R* W, T* work, \
        int lwork, int* info, syevjInfo_t params, int batchSize) {                                                     \
        return syevj_batched<T>(handle, {jobz, uplo, n, A, lda}, W, work, lwork, info, params, batchSize);             \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##gvd_bufferSize,                                                                               \
                  (is_problem(itype) && Symmetric<const T>{jobz, uplo, n, A, lda}.valid() && B && W),                  \
                  eigen_size(n), musolverEigType_t itype, musolverEigMode_t jobz, mublasFillMode_t uplo, int n,        \
                  const T* A, int lda, const T* B, int, const R* W, int* lwork)                                        \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##gvd(                                                               \
        musolverDnHandle_t handle, musolverEigType_t itype, musolverEigMode_t jobz, mublasFillMode_t uplo, int n,      \
        T* A, int lda, T* B, int ldb, R* W, T* work, int lwork, int* devInfo) {                                        \
        return sygvd<T>(handle, itype, {jobz, uplo, n, A, lda}, B, ldb, W, work, lwork, devInfo);                      \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##gvj_bufferSize,                                                                               \
                  (is_problem(itype) && Symmetric<const T>{jobz, uplo, n, A, lda}.valid() && B && W && params),        \
                  eigen_size(n), musolverEigType_t itype, musolverEigMode_t jobz, mublasFillMode_t uplo, int n,        \
                  const T* A, int lda, const T* B, int, const R* W, int* lwork, syevjInfo_t params)                    \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##gvj(                                                               \
        musolverDnHandle_t handle, musolverEigType_t itype, musolverEigMode_t jobz, mublasFillMode_t uplo, int n,      \
        T* A, int lda, T* B, int ldb, R* W, T* work, int lwork, int* info, syevjInfo_t params) {                       \
        if (!params) return check(handle, false);                                                                      \
        return sygvd<T>(handle, itype, {jobz, uplo, n, A, lda}, B, ldb, W, work, lwork, info);                         \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##evdx_bufferSize,                                                                              \
                  (Symmetric<const T>{jobz, uplo, n, A, lda}.valid() && Range<R>{range, vl, vu, il, iu}.valid(n) &&    \
                   W),                                                                                                 \
                  eigen_size(n), musolverEigMode_t jobz, musolverEigRange_t range, mublasFillMode_t uplo, int n,       \
                  const T* A, int lda, R vl, R vu, int il, int iu, int*, const R* W, int* lwork)                       \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##evdx(                                                              \
        musolverDnHandle_t handle, musolverEigMode_t jobz, musolverEigRange_t range, mublasFillMode_t uplo, int n,     \
        T* A, int lda, R vl, R vu, int il, int iu, int* meig, R* W, T* work, int lwork, int* devInfo) {                \
        return syevdx<T>(handle, {jobz, uplo, n, A, lda}, {range, vl, vu, il, iu}, meig, W, work, lwork, devInfo);     \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##gvdx_bufferSize,                                                                              \
                  (is_problem(itype) && Symmetric<const T>{jobz, uplo, n, A, lda}.valid() &&                           \
                   Range<R>{range, vl, vu, il, iu}.valid(n) && B && W),                                                \
                  eigen_size(n), musolverEigType_t itype, musolverEigMode_t jobz, musolverEigRange_t range,            \
                  mublasFillMode_t uplo, int n, const T* A, int lda, const T* B, int, R vl, R vu, int il, int iu,      \
                  int*, const R* W, int* lwork)                                                                        \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##gvdx(                                                              \
        musolverDnHandle_t handle, musolverEigType_t itype, musolverEigMode_t jobz, musolverEigRange_t range,          \
        mublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, R vl, R vu, int il, int iu, int* meig, R* W,       \
        T* work, int lwork, int* devInfo) {                                                                            \
        return sygvdx<T>(handle, itype, {jobz, uplo, n, A, lda}, {range, vl, vu, il, iu}, B, ldb, meig, W, work,       \
                         lwork, devInfo);                                                                              \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##SY##trd_bufferSize, (is_fill(uplo) && is_matrix(n, n, lda) && A && d), eigen_size(n),             \
                  mublasFillMode_t uplo, int n, const T* A, int lda, const R* d, const R*, const T*, int* lwork)       \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##trd(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,       \
                                                        T* A, int lda, R* d, R* e, T* tau, T* work, int lwork,         \
                                                        int* devInfo) {                                                \
        return sytrd<T>(handle, uplo, n, A, lda, d, e, tau, work, lwork, devInfo);                                     \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##OR##gtr_bufferSize, (is_fill(uplo) && is_matrix(n, n, lda) && A), eigen_size(n),                  \
                  mublasFillMode_t uplo, int n, const T* A, int lda, const T*, int* lwork)                             \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##gtr(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,       \
                                                        T* A, int lda, const T* tau, T* work, int lwork,               \
                                                        int* info) {                                                   \
        return orgtr<T>(handle, uplo, n, A, lda, tau, work, lwork, info);                                              \
    }                                                                                                                  \
    MUSA_SIM_SIZE(L##OR##mtr_bufferSize,                                                                               \
                  (is_side(side) && is_fill(uplo) && is_operation(trans) && is_matrix(m, n, ldc) && A && tau && C),    \
                  panel_size(m, n), mublasSideMode_t side, mublasFillMode_t uplo, mublasOperation_t trans, int m,      \
                  int n, const T* A, int, const T* tau, const T* C, int ldc, int* lwork)                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##mtr(                                                               \
        musolverDnHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, mublasOperation_t trans, int m,       \
        int n, T* A, int lda, T* tau, T* C, int ldc, T* work, int lwork, int* info) {                                  \
        return ormtr<T>(handle, side, uplo, trans, m, n, A, lda, tau, C, ldc, work, lwork, info);                      \
    }
MUSA_SIM_EIGEN(S, float, float, or, sy)
MUSA_SIM_EIGEN(D, double, double, or, sy)
MUSA_SIM_EIGEN(C, muComplex, float, un, he)
MUSA_SIM_EIGEN(Z, muDoubleComplex, double, un, he)
#undef MUSA_SIM_EIGEN
#undef MUSA_SIM_SIZE
