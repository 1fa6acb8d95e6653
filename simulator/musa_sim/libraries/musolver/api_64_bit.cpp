// Factorisations with types as arguments and sizes of 64 bits (cuSOLVER's names with X).
#include <vector>

#include "sizes.h"

using namespace musolver;

struct musolverDnParams {};

MUSA_EXPORT musolverStatus_t musolverDnCreateParams(musolverDnParams_t* params) {
    return create_object(params);
}

MUSA_EXPORT musolverStatus_t musolverDnDestroyParams(musolverDnParams_t params) {
    return destroy_object(params);
}

// Both algorithms are the same.
MUSA_EXPORT musolverStatus_t musolverDnSetAdvOptions(musolverDnParams_t params, musolverDnFunction_t,
                                                     musolverAlgMode_t algorithm) {
    const bool valid = params && (algorithm == MUSOLVER_ALG_0 || algorithm == MUSOLVER_ALG_1);
    return valid ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_INVALID_VALUE;
}

MUSA_EXPORT musolverStatus_t musolverDnXgetrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t,
                                                         int64_t m, int64_t n, musaDataType_t type,
                                                         const void* A, int64_t lda, musaDataType_t computed,
                                                         size_t* on_device, size_t* on_host) {
    return give_sizes(handle, A && Sizes{m, n, lda}.valid() && same(type, {computed}), type, on_device, on_host);
}

// A null ipiv requests no pivoting, which LAPACK does not offer.
MUSA_EXPORT musolverStatus_t musolverDnXgetrf(musolverDnHandle_t handle, musolverDnParams_t, int64_t m, int64_t n,
                                              musaDataType_t type, void* A, int64_t lda, int64_t* ipiv,
                                              musaDataType_t computed, void*, size_t, void*, size_t, int* info) {
    const Sizes a{m, n, lda};
    if (!ipiv) return MUSOLVER_STATUS_NOT_SUPPORTED;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, A && info && a.valid() && same(type, {computed}), [=] {
            std::vector<int> pivots(static_cast<std::size_t>(std::max(1, std::min(a.m(), a.n()))));
            *info = run_lapack<T>("getrf", a.m(), a.n(), static_cast<T*>(A), a.lda(), pivots.data());
            std::copy_n(pivots.begin(), std::min(a.m(), a.n()), ipiv);
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXgetrs(musolverDnHandle_t handle, musolverDnParams_t,
                                              mublasOperation_t trans, int64_t n, int64_t nrhs,
                                              musaDataType_t type, const void* A, int64_t lda,
                                              const int64_t* ipiv, musaDataType_t type_b, void* B, int64_t ldb,
                                              int* info) {
    const Sizes a{n, n, lda}, b{n, nrhs, ldb};
    if (!ipiv) return MUSOLVER_STATUS_NOT_SUPPORTED;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        const bool valid = is_operation(trans) && A && B && info && a.valid() && b.valid() && same(type, {type_b});
        return enqueue(handle, valid, [=] {
            std::vector<int> pivots(ipiv, ipiv + a.n());
            *info = run_lapack<T>("getrs", letter_of<T>(trans), a.n(), b.n(), static_cast<const T*>(A), a.lda(),
                                  pivots.data(), static_cast<T*>(B), b.lda());
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXpotrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t,
                                                         mublasFillMode_t uplo, int64_t n, musaDataType_t type,
                                                         const void* A, int64_t lda, musaDataType_t computed,
                                                         size_t* on_device, size_t* on_host) {
    const bool valid = is_fill(uplo) && A && Sizes{n, n, lda}.valid() && same(type, {computed});
    return give_sizes(handle, valid, type, on_device, on_host);
}

MUSA_EXPORT musolverStatus_t musolverDnXpotrf(musolverDnHandle_t handle, musolverDnParams_t,
                                              mublasFillMode_t uplo, int64_t n, musaDataType_t type, void* A,
                                              int64_t lda, musaDataType_t computed, void*, size_t, void*, size_t,
                                              int* info) {
    const Sizes a{n, n, lda};
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, is_fill(uplo) && A && info && a.valid() && same(type, {computed}), [=] {
            *info = run_lapack<T>("potrf", letter_of(uplo), a.n(), static_cast<T*>(A), a.lda());
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXpotrs(musolverDnHandle_t handle, musolverDnParams_t,
                                              mublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                              musaDataType_t type, const void* A, int64_t lda,
                                              musaDataType_t type_b, void* B, int64_t ldb, int* info) {
    const Sizes a{n, n, lda}, b{n, nrhs, ldb};
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        const bool valid = is_fill(uplo) && A && B && info && a.valid() && b.valid() && same(type, {type_b});
        return enqueue(handle, valid, [=] {
            *info = run_lapack<T>("potrs", letter_of(uplo), a.n(), b.n(), static_cast<const T*>(A), a.lda(),
                                  static_cast<T*>(B), b.lda());
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXgeqrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t,
                                                         int64_t m, int64_t n, musaDataType_t type,
                                                         const void* A, int64_t lda, musaDataType_t type_tau,
                                                         const void* tau, musaDataType_t computed,
                                                         size_t* on_device, size_t* on_host) {
    const bool valid = A && tau && Sizes{m, n, lda}.valid() && same(type, {type_tau, computed});
    return give_sizes(handle, valid, type, on_device, on_host);
}

MUSA_EXPORT musolverStatus_t musolverDnXgeqrf(musolverDnHandle_t handle, musolverDnParams_t, int64_t m, int64_t n,
                                              musaDataType_t type, void* A, int64_t lda, musaDataType_t type_tau,
                                              void* tau, musaDataType_t computed, void*, size_t, void*, size_t,
                                              int* info) {
    const Sizes a{m, n, lda};
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, A && tau && info && a.valid() && same(type, {type_tau, computed}), [=] {
            *info = run_lapack<T>("geqrf", a.m(), a.n(), static_cast<T*>(A), a.lda(), static_cast<T*>(tau));
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXsyevd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t,
                                                         musolverEigMode_t jobz, mublasFillMode_t uplo, int64_t n,
                                                         musaDataType_t type, const void* A, int64_t lda,
                                                         musaDataType_t type_w, const void* W,
                                                         musaDataType_t computed, size_t* on_device,
                                                         size_t* on_host) {
    const bool valid = is_mode(jobz) && is_fill(uplo) && A && W && Sizes{n, n, lda}.valid() &&
                       same(type, {computed}) && type_w == real_type(type);
    return give_sizes(handle, valid, type, on_device, on_host);
}

MUSA_EXPORT musolverStatus_t musolverDnXsyevd(musolverDnHandle_t handle, musolverDnParams_t,
                                              musolverEigMode_t jobz, mublasFillMode_t uplo, int64_t n,
                                              musaDataType_t type, void* A, int64_t lda, musaDataType_t type_w,
                                              void* W, musaDataType_t computed, void*, size_t, void*, size_t,
                                              int* info) {
    const Sizes a{n, n, lda};
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        const bool valid = is_mode(jobz) && is_fill(uplo) && A && W && info && a.valid() && same(type, {computed}) &&
                           type_w == real_type(type);
        return enqueue(handle, valid, [=] {
            *info = run_lapack<T>(Type<T>::is_complex ? "heevd" : "syevd", letter_of(jobz), letter_of(uplo), a.n(),
                                  static_cast<T*>(A), a.lda(), static_cast<Real<T>*>(W));
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXgesvd_bufferSize(
    musolverDnHandle_t handle, musolverDnParams_t, signed char, signed char, int64_t m, int64_t n, musaDataType_t type,
    const void* A, int64_t lda, musaDataType_t type_s, const void* S, musaDataType_t type_u, const void*, int64_t,
    musaDataType_t type_vt, const void*, int64_t, musaDataType_t computed, size_t* on_device, size_t* on_host) {
    const bool valid = A && S && m >= n && Sizes{m, n, lda}.valid() && same(type, {type_u, type_vt, computed}) &&
                       type_s == real_type(type);
    return give_sizes(handle, valid, type, on_device, on_host);
}

// As gesvd, for matrices with at least as many rows as columns.
MUSA_EXPORT musolverStatus_t musolverDnXgesvd(musolverDnHandle_t handle, musolverDnParams_t, signed char jobu,
                                              signed char jobvt, int64_t m, int64_t n, musaDataType_t type,
                                              void* A, int64_t lda, musaDataType_t type_s, void* S,
                                              musaDataType_t type_u, void* U, int64_t ldu, musaDataType_t type_vt,
                                              void* VT, int64_t ldvt, musaDataType_t computed, void*, size_t,
                                              void*, size_t, int* info) {
    const Sizes a{m, n, lda};
    const auto is_job = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
    const bool has_u = jobu == 'A' || jobu == 'S', has_vt = jobvt == 'A' || jobvt == 'S';
    const bool valid = is_job(jobu) && is_job(jobvt) && !(jobu == 'O' && jobvt == 'O') && A && S && info && m >= n &&
                       a.valid() && same(type, {type_u, type_vt, computed}) && type_s == real_type(type) &&
                       (!has_u || (U && Sizes{m, m, ldu}.valid())) && (!has_vt || (VT && Sizes{n, n, ldvt}.valid()));
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, valid, [=] {
            std::vector<Real<T>> unconverged(static_cast<std::size_t>(std::max(1, a.n())));
            *info = run_lapack<T>("gesvd", static_cast<char>(jobu), static_cast<char>(jobvt), a.m(), a.n(),
                                  static_cast<T*>(A), a.lda(), static_cast<Real<T>*>(S), static_cast<T*>(U),
                                  std::max(1, static_cast<int>(ldu)), static_cast<T*>(VT),
                                  std::max(1, static_cast<int>(ldvt)), unconverged.data());
        });
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXtrtri_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo,
                                                         mublasDiagType_t, int64_t n, musaDataType_t type,
                                                         void* A, int64_t lda, size_t* on_device,
                                                         size_t* on_host) {
    return give_sizes(handle, is_fill(uplo) && A && Sizes{n, n, lda}.valid(), type, on_device, on_host);
}

MUSA_EXPORT musolverStatus_t musolverDnXtrtri(musolverDnHandle_t handle, mublasFillMode_t uplo,
                                              mublasDiagType_t diag, int64_t n, musaDataType_t type, void* A,
                                              int64_t lda, void*, size_t, void*, size_t, int* info) {
    const Sizes a{n, n, lda};
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, is_fill(uplo) && A && info && a.valid(), [=] {
            *info = run_lapack<T>("trtri", letter_of(uplo), diag == MUBLAS_DIAG_UNIT ? 'U' : 'N', a.n(),
                                  static_cast<T*>(A), a.lda());
        });
    });
}
