// Singular values: Jacobi's functions for one matrix or many, and reduction to bidiagonal form.
#include <musolverDn.h>

#include <cmath>
#include <vector>

#include "solver.h"

using namespace musolver;

struct musolverGesvdjInfo {};

namespace {

// A decomposition A = U diag(S) V^H that stores V, not its transpose.
template <class T>
struct Singular {
    musolverEigMode_t jobz;
    bool economic;  // U and V have min(m, n) columns
    int m, n;
    T* a;
    int lda;
    Real<T>* s;
    T* u;
    int ldu;
    T* v;
    int ldv;

    int smaller() const { return std::min(m, n); }
    bool valid() const {
        const bool vectors = jobz == MUSOLVER_EIG_MODE_VECTOR;
        return is_mode(jobz) && is_matrix(m, n, lda) && a && s &&
               (!vectors || (u && v && ldu >= std::max(1, m) && ldv >= std::max(1, n)));
    }
    int run() const {
        const char job = jobz == MUSOLVER_EIG_MODE_NOVECTOR ? 'N' : economic ? 'S' : 'A';
        const int columns = economic ? smaller() : n;
        const int rows = std::max(1, columns);
        std::vector<T> transposed(job == 'N' ? 1 : static_cast<std::size_t>(rows) * static_cast<std::size_t>(std::max(1, n)));
        std::vector<Real<T>> unconverged(static_cast<std::size_t>(std::max(1, smaller())));
        const int info = run_lapack<T>("gesvd", job, job, m, n, a, lda, s, u, std::max(1, ldu), transposed.data(), rows,
                                       unconverged.data());
        for (std::ptrdiff_t j = 0; j < columns && job != 'N'; ++j) {
            for (std::ptrdiff_t i = 0; i < n; ++i) v[i + j * ldv] = conjugated(transposed[static_cast<std::size_t>(j + i * rows)]);
        }
        return info;
    }
    static float conjugated(float x) { return x; }
    static double conjugated(double x) { return x; }
    static muComplex conjugated(muComplex x) { return {x.x, -x.y}; }
    static muDoubleComplex conjugated(muDoubleComplex x) { return {x.x, -x.y}; }
};

template <class T>
musolverStatus_t gesvdj(musolverDnHandle_t handle, const Singular<T>& svd, T* work, int lwork, int* info,
                        gesvdjInfo_t parameters) {
    const bool valid = svd.valid() && work && lwork >= std::max(1LL, panel_size(svd.m, svd.n)) && info && parameters;
    return enqueue(handle, valid, [=] { *info = svd.run(); });
}

// The matrices follow each other; both dimensions are at most 32, as in cuSOLVER.
template <class T>
musolverStatus_t gesvdj_batched(musolverDnHandle_t handle, const Singular<T>& first, T* work, int lwork, int* info,
                                gesvdjInfo_t parameters, int batch) {
    const bool valid = first.valid() && first.m <= 32 && first.n <= 32 && work &&
                       lwork >= std::max(1LL, panel_size(first.m, first.n)) && info && parameters && batch >= 0;
    return enqueue(handle, valid, [=] {
        for (std::ptrdiff_t i = 0; i < batch; ++i) {
            Singular<T> svd = first;
            svd.a += i * svd.lda * svd.n;
            svd.s += i * svd.smaller();
            if (svd.u) svd.u += i * svd.ldu * svd.m;
            if (svd.v) svd.v += i * svd.ldv * svd.n;
            info[i] = svd.run();
        }
    });
}

struct Strides {
    long long a, s, u, v;
};

// Compute the `rank` largest singular values of matrices with at least as many rows as columns, which are preserved.
// Write |A - U S V^H| in Frobenius' norm to `residuals`, in host memory.
template <class T>
struct Given {
    musolverEigMode_t jobz;
    int m, n;
    const T* a;
    int lda, ldu, ldv;
};

template <class T>
musolverStatus_t gesvda(musolverDnHandle_t handle, int rank, const Given<T>& given, Real<T>* s, T* u, T* v,
                        const Strides& strides, T* work, int lwork, int* info, double* residuals, int batch) {
    const bool valid = given.m >= given.n && rank >= 0 && rank <= given.n && s && batch >= 0 && info && work &&
                       lwork >= std::max(1LL, panel_size(given.m, given.n)) && is_mode(given.jobz) &&
                       is_matrix(given.m, given.n, given.lda) && given.a &&
                       (given.jobz == MUSOLVER_EIG_MODE_NOVECTOR ||
                        (u && v && given.ldu >= std::max(1, given.m) && given.ldv >= std::max(1, given.n)));
    return finish(handle, enqueue(handle, valid, [=] {
        const int m = given.m, n = given.n, rows = std::max(1, m), columns = std::max(1, n);
        std::vector<T> copy(static_cast<std::size_t>(rows) * columns), left(copy.size());
        std::vector<T> right(static_cast<std::size_t>(columns) * columns);
        std::vector<Real<T>> values(static_cast<std::size_t>(columns));
        for (std::ptrdiff_t i = 0; i < batch; ++i) {
            const T* const a = given.a + i * strides.a;
            for (std::ptrdiff_t j = 0; j < n; ++j) std::copy_n(a + j * given.lda, m, copy.begin() + j * rows);
            const Singular<T> svd{given.jobz, true, m, n, copy.data(), rows, values.data(), left.data(), rows,
                                  right.data(), columns};
            info[i] = svd.run();
            std::copy_n(values.begin(), rank, s + i * strides.s);
            if (given.jobz == MUSOLVER_EIG_MODE_NOVECTOR) continue;
            for (std::ptrdiff_t j = 0; j < rank; ++j) {
                std::copy_n(left.begin() + j * rows, m, u + i * strides.u + j * given.ldu);
                std::copy_n(right.begin() + j * columns, n, v + i * strides.v + j * given.ldv);
            }
            double square = 0;  // of the singular values beyond the rank
            for (int j = rank; j < n; ++j) square += double(values[static_cast<std::size_t>(j)]) * values[static_cast<std::size_t>(j)];
            if (residuals) residuals[i] = std::sqrt(square);
        }
    }));
}

// A = Q B P^H, where B is bidiagonal.
template <class T>
musolverStatus_t gebrd(musolverDnHandle_t handle, int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau_q, T* tau_p,
                       T* work, int lwork, int* info) {
    const bool valid = is_matrix(m, n, lda) && m >= n && a && d && e && tau_q && tau_p && work &&
                       lwork >= std::max(1LL, panel_size(m, n)) && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>("gebrd", m, n, a, lda, d, e, tau_q, tau_p); });
}

// On the left Q, on the right P^H.
template <class T>
musolverStatus_t orgbr(musolverDnHandle_t handle, mublasSideMode_t side, int m, int n, int k, T* a, int lda, const T* tau,
                       T* work, int lwork, int* info) {
    const bool valid = is_side(side) && is_matrix(m, n, lda) && k >= 0 && a && tau && work &&
                       lwork >= std::max(1LL, panel_size(m, n)) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(Type<T>::is_complex ? "ungbr" : "orgbr", side == MUBLAS_SIDE_LEFT ? 'Q' : 'P', m, n, k, a,
                              lda, tau);
    });
}

}  // namespace

MUSA_EXPORT musolverStatus_t musolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
    return create_object(info);
}
MUSA_EXPORT musolverStatus_t musolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
    return destroy_object(info);
}
// The tolerance is LAPACK's, which is as small as possible, and singular values are always sorted.
MUSA_EXPORT musolverStatus_t musolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}
MUSA_EXPORT musolverStatus_t musolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}
MUSA_EXPORT musolverStatus_t musolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int) {
    return info ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}

#define MUSA_SIM_SINGULAR(L, T, R, OR)                                                                                 \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdj_bufferSize(                                                     \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int econ, int m, int n, const T* A, int lda, const R* S,    \
        const T* U, int ldu, const T* V, int ldv, int* lwork, gesvdjInfo_t params) {                                   \
        (void)econ, (void)U, (void)ldu, (void)V, (void)ldv;                                                            \
        return give_size(handle, is_mode(jobz) && is_matrix(m, n, lda) && A && S && params, panel_size(m, n), lwork);  \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdj(                                                                \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int econ, int m, int n, T* A, int lda, R* S, T* U, int ldu, \
        T* V, int ldv, T* work, int lwork, int* info, gesvdjInfo_t params) {                                           \
        return gesvdj<T>(handle, {jobz, econ != 0, m, n, A, lda, S, U, ldu, V, ldv}, work, lwork, info, params);       \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdjBatched_bufferSize(                                              \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int m, int n, const T* A, int lda, const R* S, const T* U,  \
        int ldu, const T* V, int ldv, int* lwork, gesvdjInfo_t params, int batchSize) {                                \
        (void)U, (void)ldu, (void)V, (void)ldv;                                                                        \
        return give_size(handle, is_mode(jobz) && is_matrix(m, n, lda) && A && S && params && batchSize >= 0,          \
                         panel_size(m, n), lwork);                                                                     \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdjBatched(                                                         \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int m, int n, T* A, int lda, R* S, T* U, int ldu, T* V,     \
        int ldv, T* work, int lwork, int* info, gesvdjInfo_t params, int batchSize) {                                  \
        return gesvdj_batched<T>(handle, {jobz, false, m, n, A, lda, S, U, ldu, V, ldv}, work, lwork, info, params,    \
                                 batchSize);                                                                           \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdaStridedBatched_bufferSize(                                       \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int rank, int m, int n, const T* d_A, int lda,              \
        long long strideA, const R* d_S, long long strideS, const T* d_U, int ldu, long long strideU, const T* d_V,    \
        int ldv, long long strideV, int* lwork, int batchSize) {                                                       \
        (void)strideA, (void)strideS, (void)strideU, (void)strideV, (void)d_U, (void)d_V, (void)ldu, (void)ldv;        \
        return give_size(handle,                                                                                       \
                         is_mode(jobz) && rank >= 0 && rank <= n && m >= n && is_matrix(m, n, lda) && d_A && d_S &&    \
                             batchSize >= 0,                                                                           \
                         panel_size(m, n), lwork);                                                                     \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvdaStridedBatched(                                                  \
        musolverDnHandle_t handle, musolverEigMode_t jobz, int rank, int m, int n, const T* d_A, int lda,              \
        long long strideA, R* d_S, long long strideS, T* d_U, int ldu, long long strideU, T* d_V, int ldv,             \
        long long strideV, T* work, int lwork, int* info, double* h_R_nrmF, int batchSize) {                           \
        return gesvda<T>(handle, rank, {jobz, m, n, d_A, lda, ldu, ldv}, d_S, d_U, d_V,                                \
                         {strideA, strideS, strideU, strideV}, work, lwork, info, h_R_nrmF, batchSize);                \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gebrd_bufferSize(musolverDnHandle_t handle, int m, int n,              \
                                                                 int* Lwork) {                                         \
        return give_size(handle, n >= 0 && m >= n, panel_size(m, n), Lwork);                                           \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gebrd(musolverDnHandle_t handle, int m, int n, T* A, int lda,          \
                                                      R* D, R* E, T* TAUQ, T* TAUP, T* Work, int Lwork,                \
                                                      int* devInfo) {                                                  \
        return gebrd<T>(handle, m, n, A, lda, D, E, TAUQ, TAUP, Work, Lwork, devInfo);                                 \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##gbr_bufferSize(                                                    \
        musolverDnHandle_t handle, mublasSideMode_t side, int m, int n, int k, const T* A, int lda, const T* tau,      \
        int* lwork) {                                                                                                  \
        return give_size(handle, is_side(side) && is_matrix(m, n, lda) && k >= 0 && A && tau, panel_size(m, n),        \
                         lwork);                                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##gbr(musolverDnHandle_t handle, mublasSideMode_t side, int m,       \
                                                        int n, int k, T* A, int lda, const T* tau, T* work,            \
                                                        int lwork, int* info) {                                        \
        return orgbr<T>(handle, side, m, n, k, A, lda, tau, work, lwork, info);                                        \
    }
MUSA_SIM_SINGULAR(S, float, float, or)
MUSA_SIM_SINGULAR(D, double, double, or)
MUSA_SIM_SINGULAR(C, muComplex, float, un)
MUSA_SIM_SINGULAR(Z, muDoubleComplex, double, un)
#undef MUSA_SIM_SINGULAR
