// Dense factorisations by LAPACK, in the order of streams. See include/musolverDn.h.
#include <cmath>
#include <vector>

#include "solver.h"

using namespace musolver;

namespace {

// Factor without pivoting, which LAPACK does not offer; return the first zero pivot, counted from one, or zero.
template <class T>
int factor_without_pivots(int m, int n, T* elements, int ld) {
    using Number = typename Type<T>::Number;
    auto* const a = reinterpret_cast<Number*>(elements);
    const auto at = [=](int row, int column) -> Number& { return a[row + static_cast<std::size_t>(column) * ld]; };
    int info = 0;
    for (int k = 0; k < std::min(m, n); ++k) {
        if (at(k, k) == Number(0)) {
            if (info == 0) info = k + 1;
            continue;
        }
        for (int row = k + 1; row < m; ++row) at(row, k) /= at(k, k);
        for (int column = k + 1; column < n; ++column) {
            for (int row = k + 1; row < m; ++row) at(row, column) -= at(row, k) * at(k, column);
        }
    }
    return info;
}

template <class T>
musolverStatus_t getrf(musolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
    const bool valid = is_matrix(m, n, lda) && a && work && info;
    return enqueue(handle, valid, [=] {
        *info = pivots ? run_lapack<T>("getrf", m, n, a, lda, pivots) : factor_without_pivots(m, n, a, lda);
    });
}

template <class T>
musolverStatus_t getrs(musolverDnHandle_t handle, mublasOperation_t trans, int n, int nrhs, const T* a, int lda,
                       const int* pivots, T* b, int ldb, int* info) {
    const bool valid = is_operation(trans) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && a && b && info;
    return enqueue(handle, valid, [=] {
        std::vector<int> none;
        if (!pivots) {
            for (int row = 1; row <= n; ++row) none.push_back(row);
        }
        const int* const rows = pivots ? pivots : none.data();
        *info = run_lapack<T>("getrs", letter_of<T>(trans), n, nrhs, a, lda, rows, b, ldb);
    });
}

template <class T>
musolverStatus_t potrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* a, int lda, T* work, int lwork,
                       int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && a && work && lwork >= 1 && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>("potrf", letter_of(uplo), n, a, lda); });
}

template <class T>
musolverStatus_t potrs(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, int nrhs, const T* a, int lda, T* b,
                       int ldb, int* info) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && a && b && info;
    return enqueue(handle, valid,
                   [=] { *info = run_lapack<T>("potrs", letter_of(uplo), n, nrhs, a, lda, b, ldb); });
}

// The arrays of pointers are in device memory.
template <class T>
musolverStatus_t potrf_batched(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* const a[], int lda,
                               int* info, int batch) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && batch >= 0 && (batch == 0 || (a && info));
    return enqueue(handle, valid, [=] {
        for (int i = 0; i < batch; ++i) info[i] = run_lapack<T>("potrf", letter_of(uplo), n, a[i], lda);
    });
}

template <class T>
musolverStatus_t potrs_batched(musolverDnHandle_t handle, mublasFillMode_t uplo, int n, int nrhs, T* const a[],
                               int lda, T* const b[], int ldb, int* info, int batch) {
    const bool valid = is_fill(uplo) && is_matrix(n, n, lda) && nrhs == 1 && ldb >= std::max(1, n) && batch >= 0 &&
                       (batch == 0 || (a && b)) && info;
    return enqueue(handle, valid, [=] {
        *info = 0;
        for (int i = 0; i < batch; ++i) {
            const T* const factor = a[i];
            run_lapack<T>("potrs", letter_of(uplo), n, nrhs, factor, lda, b[i], ldb);
        }
    });
}

template <class T>
musolverStatus_t geqrf(musolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T* work, int lwork, int* info) {
    const bool valid =
        is_matrix(m, n, lda) && a && tau && work && lwork >= std::max(1LL, panel_size(m, n)) && info;
    return enqueue(handle, valid, [=] { *info = run_lapack<T>("geqrf", m, n, a, lda, tau); });
}

template <class T>
musolverStatus_t orgqr(musolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau, T* work, int lwork,
                       int* info) {
    const bool valid = is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n && a && tau && work &&
                       lwork >= std::max(1LL, panel_size(m, n)) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(Type<T>::is_complex ? "ungqr" : "orgqr", m, n, k, a, lda, tau);
    });
}

// Complex matrices have no plain transpose here, as in LAPACK.
template <class T>
bool is_product(mublasSideMode_t side, mublasOperation_t trans, int m, int n, int k, int lda, int ldc) {
    const int order = side == MUBLAS_SIDE_LEFT ? m : n;
    return (side == MUBLAS_SIDE_LEFT || side == MUBLAS_SIDE_RIGHT) && is_operation(trans) &&
           !(Type<T>::is_complex && trans == MUBLAS_OP_T) && is_matrix(m, n, ldc) && k >= 0 && k <= order &&
           lda >= std::max(1, order);
}

template <class T>
musolverStatus_t ormqr(musolverDnHandle_t handle, mublasSideMode_t side, mublasOperation_t trans, int m, int n, int k,
                       const T* a, int lda, const T* tau, T* c, int ldc, T* work, int lwork, int* info) {
    const bool has_room = work ? lwork >= std::max(1LL, panel_size(m, n)) && info : Type<T>::is_complex;
    const bool valid = is_product<T>(side, trans, m, n, k, lda, ldc) && a && tau && c && has_room;
    return enqueue(handle, valid, [=] {
        const int result = run_lapack<T>(Type<T>::is_complex ? "unmqr" : "ormqr", side == MUBLAS_SIDE_LEFT ? 'L' : 'R',
                                         letter_of<T>(trans), m, n, k, a, lda, tau, c, ldc);
        if (info) *info = result;
    });
}

long long syevd_size(int n) { return 1 + 6LL * n + 2LL * n * n; }

template <class T>
musolverStatus_t syevd(musolverDnHandle_t handle, musolverEigMode_t jobz, mublasFillMode_t uplo, int n, T* a, int lda,
                       Real<T>* w, T* work, int lwork, int* info) {
    const bool valid = is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && a && w && work &&
                       lwork >= std::min(syevd_size(n), 2147483647LL) && info;
    return enqueue(handle, valid, [=] {
        *info = run_lapack<T>(Type<T>::is_complex ? "heevd" : "syevd", letter_of(jobz), letter_of(uplo), n, a, lda, w);
    });
}

bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

// As in cuSOLVER, for matrices with at least as many rows as columns. `rwork`: the superdiagonal that did not converge.
template <class T>
musolverStatus_t gesvd(musolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* a, int lda,
                       Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int lwork, Real<T>* rwork, int* info) {
    const bool has_u = jobu == 'A' || jobu == 'S', has_vt = jobvt == 'A' || jobvt == 'S';
    const bool valid = is_job(jobu) && is_job(jobvt) && !(jobu == 'O' && jobvt == 'O') && is_matrix(m, n, lda) &&
                       m >= n && a && s && work && lwork >= std::max(1LL, panel_size(m, n)) && info &&
                       (!has_u || (u && ldu >= std::max(1, m))) && (!has_vt || (vt && ldvt >= std::max(1, n)));
    return enqueue(handle, valid, [=] {
        std::vector<Real<T>> unconverged(static_cast<std::size_t>(std::max(1, n)));
        *info = run_lapack<T>("gesvd", static_cast<char>(jobu), static_cast<char>(jobvt), m, n, a, lda, s, u,
                              std::max(1, ldu), vt, std::max(1, ldvt), unconverged.data());
        if (rwork && n > 1) std::copy_n(unconverged.begin(), n - 1, rwork);
    });
}

}  // namespace

MUSA_EXPORT musolverStatus_t musolverDnCreate(musolverDnHandle_t* handle) {
    int count = 0;
    if (handle && musaGetDeviceCount(&count) != musaSuccess) return MUSOLVER_STATUS_NOT_INITIALIZED;
    return status_of(mublasCreate(handle));
}

MUSA_EXPORT musolverStatus_t musolverDnDestroy(musolverDnHandle_t handle) {
    return status_of(mublasDestroy(handle));
}

MUSA_EXPORT musolverStatus_t musolverDnSetStream(musolverDnHandle_t handle, musaStream_t stream) {
    return status_of(mublasSetStream(handle, stream));
}

MUSA_EXPORT musolverStatus_t musolverDnGetStream(musolverDnHandle_t handle, musaStream_t* stream) {
    return status_of(mublasGetStream(handle, stream));
}

// L: the letter in the names; T: the elements; R: their real type; OR: orthogonal or unitary; SY: symmetric or hermitian
#define MUSA_SIM_SOLVER(L, T, R, OR, SY)                                                                            \
    MUSA_EXPORT musolverStatus_t musolverDn##L##getrf_bufferSize(musolverDnHandle_t handle, int m, int n, T* A,     \
                                                                 int lda, int* Lwork) {                             \
        return give_size(handle, A && is_matrix(m, n, lda), panel_size(m, n), Lwork);                               \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##getrf(musolverDnHandle_t handle, int m, int n, T* A, int lda,       \
                                                      T* Workspace, int* devIpiv, int* devInfo) {                   \
        return getrf(handle, m, n, A, lda, Workspace, devIpiv, devInfo);                                            \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##getrs(musolverDnHandle_t handle, mublasOperation_t trans, int n,    \
                                                      int nrhs, const T* A, int lda, const int* devIpiv, T* B,      \
                                                      int ldb, int* devInfo) {                                      \
        return getrs(handle, trans, n, nrhs, A, lda, devIpiv, B, ldb, devInfo);                                     \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potrf_bufferSize(                                                   \
        musolverDnHandle_t handle, mublasFillMode_t uplo, int n, T* A, int lda, int* Lwork) {                       \
        return give_size(handle, A && is_fill(uplo) && is_matrix(n, n, lda), 1, Lwork);                             \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potrf(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,      \
                                                      T* A, int lda, T* Workspace, int Lwork, int* devInfo) {       \
        return potrf(handle, uplo, n, A, lda, Workspace, Lwork, devInfo);                                           \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potrs(musolverDnHandle_t handle, mublasFillMode_t uplo, int n,      \
                                                      int nrhs, const T* A, int lda, T* B, int ldb,                 \
                                                      int* devInfo) {                                               \
        return potrs(handle, uplo, n, nrhs, A, lda, B, ldb, devInfo);                                               \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potrfBatched(musolverDnHandle_t handle, mublasFillMode_t uplo,      \
                                                             int n, T* Aarray[], int lda, int* infoArray,           \
                                                             int batchSize) {                                       \
        return potrf_batched<T>(handle, uplo, n, Aarray, lda, infoArray, batchSize);                                \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##potrsBatched(musolverDnHandle_t handle, mublasFillMode_t uplo,      \
                                                             int n, int nrhs, T* Aarray[], int lda, T* Barray[],    \
                                                             int ldb, int* devInfo, int batchSize) {                \
        return potrs_batched<T>(handle, uplo, n, nrhs, Aarray, lda, Barray, ldb, devInfo, batchSize);               \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##geqrf_bufferSize(musolverDnHandle_t handle, int m, int n, T* A,     \
                                                                 int lda, int* Lwork) {                             \
        return give_size(handle, A && is_matrix(m, n, lda), panel_size(m, n), Lwork);                               \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##geqrf(musolverDnHandle_t handle, int m, int n, T* A, int lda,       \
                                                      T* TAU, T* Workspace, int Lwork, int* devInfo) {              \
        return geqrf(handle, m, n, A, lda, TAU, Workspace, Lwork, devInfo);                                         \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##gqr_bufferSize(                                                 \
        musolverDnHandle_t handle, int m, int n, int k, const T* A, int lda, const T* tau, int* lwork) {            \
        return give_size(handle, A && tau && is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n, panel_size(m, n),  \
                         lwork);                                                                                    \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##gqr(musolverDnHandle_t handle, int m, int n, int k, T* A,       \
                                                        int lda, const T* tau, T* work, int lwork,                  \
                                                        int* devInfo) {                                             \
        return orgqr(handle, m, n, k, A, lda, tau, work, lwork, devInfo);                                           \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##mqr_bufferSize(                                                 \
        musolverDnHandle_t handle, mublasSideMode_t side, mublasOperation_t trans, int m, int n, int k, const T* A, \
        int lda, const T* tau, const T* C, int ldc, int* lwork) {                                                   \
        return give_size(handle, A && tau && C && is_product<T>(side, trans, m, n, k, lda, ldc), panel_size(m, n),  \
                         lwork);                                                                                    \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##OR##mqr(                                                            \
        musolverDnHandle_t handle, mublasSideMode_t side, mublasOperation_t trans, int m, int n, int k, const T* A, \
        int lda, const T* tau, T* C, int ldc, T* work, int lwork, int* devInfo) {                                   \
        return ormqr(handle, side, trans, m, n, k, A, lda, tau, C, ldc, work, lwork, devInfo);                      \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##evd_bufferSize(                                                 \
        musolverDnHandle_t handle, musolverEigMode_t jobz, mublasFillMode_t uplo, int n, const T* A, int lda,       \
        const R* W, int* lwork) {                                                                                   \
        return give_size(handle, A && W && is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda), syevd_size(n),   \
                         lwork);                                                                                    \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##SY##evd(musolverDnHandle_t handle, musolverEigMode_t jobz,          \
                                                        mublasFillMode_t uplo, int n, T* A, int lda, R* W,          \
                                                        T* work, int lwork, int* devInfo) {                         \
        return syevd(handle, jobz, uplo, n, A, lda, W, work, lwork, devInfo);                                       \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvd_bufferSize(musolverDnHandle_t handle, int m, int n,           \
                                                                 int* lwork) {                                      \
        return give_size(handle, n >= 0 && m >= n, panel_size(m, n), lwork);                                        \
    }                                                                                                               \
    MUSA_EXPORT musolverStatus_t musolverDn##L##gesvd(                                                              \
        musolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* A, int lda, R* S, T* U,    \
        int ldu, T* VT, int ldvt, T* work, int lwork, R* rwork, int* devInfo) {                                     \
        return gesvd(handle, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, work, lwork, rwork, devInfo);          \
    }
MUSA_SIM_SOLVER(S, float, float, or, sy)
MUSA_SIM_SOLVER(D, double, double, or, sy)
MUSA_SIM_SOLVER(C, muComplex, float, un, he)
MUSA_SIM_SOLVER(Z, muDoubleComplex, double, un, he)
#undef MUSA_SIM_SOLVER
