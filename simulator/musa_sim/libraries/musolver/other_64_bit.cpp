// More functions whose types are arguments: parts of the spectrum, singular values by other methods, symmetric systems, refined
// solutions; and the names without X, which have one workspace.
#include <vector>

#include "sizes.h"

using namespace musolver;

struct musolverDnIRSParams {
    musolverPrecType_t precision = static_cast<musolverPrecType_t>(0);  // of the data; none
    int most = 50;  // iterations
};
struct musolverDnIRSInfos {
    int iterations = 0, most = 50;
};

namespace {

template <class T>
struct Typed;
#define MUSOLVER_TYPED(L, T, P, SY)                                            \
    template <>                                                                \
    struct Typed<T> {                                                          \
        static constexpr auto syevdx = musolverDn##L##SY##evdx;                \
        static constexpr auto gesvdj = musolverDn##L##gesvdj;                  \
        static constexpr auto gesvda = musolverDn##L##gesvdaStridedBatched;    \
        static constexpr auto gesv = musolverDn##P##gesv;                      \
        static constexpr auto gels = musolverDn##P##gels;                      \
    };
MUSOLVER_TYPED(S, float, SS, sy)
MUSOLVER_TYPED(D, double, DD, sy)
MUSOLVER_TYPED(C, muComplex, CC, he)
MUSOLVER_TYPED(Z, muDoubleComplex, ZZ, he)
#undef MUSOLVER_TYPED

// The functions of one type check their workspace and do not use it.
template <class T>
T* no_workspace() {
    static T element;
    return &element;
}

template <class T>
Real<T> read_limit(const void* limit) {
    return limit ? *static_cast<const Real<T>*>(limit) : Real<T>();
}

template <class Visit>
musolverStatus_t with_precision(const musolverDnIRSParams* params, Visit visit) {
    if (!params) return MUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    switch (params->precision) {
        case MUSOLVER_R_32F: return visit(float());
        case MUSOLVER_R_64F: return visit(double());
        case MUSOLVER_C_32F: return visit(muComplex());
        case MUSOLVER_C_64F: return visit(muDoubleComplex());
        default: return MUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    }
}

template <class T>
musolverStatus_t set(T* object, int T::*field, int value) {
    if (!object) return MUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    object->*field = value;
    return MUSOLVER_STATUS_SUCCESS;
}
template <class T>
musolverStatus_t get(const T* object, int T::*field, int* value, musolverStatus_t without) {
    if (!object) return without;
    if (!value) return MUSOLVER_STATUS_INVALID_VALUE;
    *value = object->*field;
    return MUSOLVER_STATUS_SUCCESS;
}

musolverStatus_t hint(const musolverDnIRSParams* params) {
    return params ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
}

musolverStatus_t give_one(musolverDnHandle_t handle, bool valid, std::size_t* bytes) {
    const musolverStatus_t status = check(handle, valid && bytes);
    if (status == MUSOLVER_STATUS_SUCCESS) *bytes = 1;
    return status;
}

}  // namespace

// --- parts of the spectrum ---

MUSA_EXPORT musolverStatus_t musolverDnXsyevdx_bufferSize(
    musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz, musolverEigRange_t, mublasFillMode_t uplo, int64_t n,
    musaDataType_t type, const void* A, int64_t lda, void*, void*, int64_t, int64_t, int64_t*, musaDataType_t type_w,
    const void* W, musaDataType_t computed, size_t* on_device, size_t* on_host) {
    const bool valid = is_mode(jobz) && is_fill(uplo) && A && W && Sizes{n, n, lda}.valid() && same(type, {computed}) &&
                       type_w == real_type(type);
    return give_sizes(handle, valid, type, on_device, on_host);
}

// The number of eigenvalues is there on return, as from syevdx.
MUSA_EXPORT musolverStatus_t musolverDnXsyevdx(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz,
                                               musolverEigRange_t range, mublasFillMode_t uplo, int64_t n,
                                               musaDataType_t type, void* A, int64_t lda, void* vl, void* vu, int64_t il,
                                               int64_t iu, int64_t* meig, musaDataType_t type_w, void* W,
                                               musaDataType_t computed, void*, size_t, void*, size_t, int* info) {
    const Sizes a{n, n, lda};
    const bool limits = range != MUSOLVER_EIG_RANGE_V || (vl && vu);
    if (!a.valid() || !meig || !limits || !same(type, {computed}) || type_w != real_type(type)) return MUSOLVER_STATUS_INVALID_VALUE;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        int found = 0;
        const musolverStatus_t status =
            Typed<T>::syevdx(handle, jobz, range, uplo, a.n(), static_cast<T*>(A), a.lda(), read_limit<T>(vl), read_limit<T>(vu),
                             static_cast<int>(il), static_cast<int>(iu), &found, static_cast<Real<T>*>(W), no_workspace<T>(),
                             INT_MAX, info);
        if (status == MUSOLVER_STATUS_SUCCESS) *meig = found;
        return status;
    });
}

// --- singular values ---

MUSA_EXPORT musolverStatus_t musolverDnXgesvdp_bufferSize(
    musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz, int, int64_t m, int64_t n, musaDataType_t type,
    const void* A, int64_t lda, musaDataType_t type_s, const void* S, musaDataType_t type_u, const void*, int64_t,
    musaDataType_t type_v, const void*, int64_t, musaDataType_t computed, size_t* on_device, size_t* on_host) {
    const bool valid = is_mode(jobz) && A && S && Sizes{m, n, lda}.valid() && same(type, {type_u, type_v, computed}) &&
                       type_s == real_type(type);
    return give_sizes(handle, valid, type, on_device, on_host);
}

// V is not transposed. Nothing is perturbed, so the error that is reported is 0.
MUSA_EXPORT musolverStatus_t musolverDnXgesvdp(musolverDnHandle_t handle, musolverDnParams_t, musolverEigMode_t jobz, int econ,
                                               int64_t m, int64_t n, musaDataType_t type, void* A, int64_t lda,
                                               musaDataType_t type_s, void* S, musaDataType_t type_u, void* U, int64_t ldu,
                                               musaDataType_t type_v, void* V, int64_t ldv, musaDataType_t computed, void*,
                                               size_t, void*, size_t, int* info, double* error) {
    const Sizes a{m, n, lda}, u{0, 0, ldu}, v{0, 0, ldv};
    const bool vectors = jobz == MUSOLVER_EIG_MODE_VECTOR;
    if (!a.valid() || (vectors && !(u.valid() && v.valid())) || !same(type, {type_u, type_v, computed}) || type_s != real_type(type))
        return MUSOLVER_STATUS_INVALID_VALUE;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        gesvdjInfo_t parameters = nullptr;
        musolverDnCreateGesvdjInfo(&parameters);
        const musolverStatus_t status = Typed<T>::gesvdj(handle, jobz, econ, a.m(), a.n(), static_cast<T*>(A), a.lda(),
                                                         static_cast<Real<T>*>(S), static_cast<T*>(U), vectors ? u.lda() : 1,
                                                         static_cast<T*>(V), vectors ? v.lda() : 1, no_workspace<T>(), INT_MAX,
                                                         info, parameters);
        musolverDnDestroyGesvdjInfo(parameters);
        if (status == MUSOLVER_STATUS_SUCCESS && error) *error = 0;
        return status;
    });
}

MUSA_EXPORT musolverStatus_t musolverDnXgesvdr_bufferSize(
    musolverDnHandle_t handle, musolverDnParams_t, signed char, signed char, int64_t m, int64_t n, int64_t k, int64_t p,
    int64_t niters, musaDataType_t type, const void* A, int64_t lda, musaDataType_t type_s, const void* S,
    musaDataType_t type_u, const void*, int64_t, musaDataType_t type_v, const void*, int64_t, musaDataType_t computed,
    size_t* on_device, size_t* on_host) {
    const bool valid = A && S && m >= n && k >= 0 && k <= n && p >= 0 && niters >= 0 && Sizes{m, n, lda}.valid() &&
                       same(type, {type_u, type_v, computed}) && type_s == real_type(type);
    return give_sizes(handle, valid, type, on_device, on_host);
}

// The k largest singular values of a matrix with at least as many rows as columns: exactly, where randomness is promised. V is
// not transposed.
MUSA_EXPORT musolverStatus_t musolverDnXgesvdr(musolverDnHandle_t handle, musolverDnParams_t, signed char jobu, signed char jobv,
                                               int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, musaDataType_t type,
                                               void* A, int64_t lda, musaDataType_t type_s, void* S, musaDataType_t type_u,
                                               void* U, int64_t ldu, musaDataType_t type_v, void* V, int64_t ldv,
                                               musaDataType_t computed, void*, size_t, void*, size_t, int* info) {
    const Sizes a{m, n, lda};
    const bool has_u = jobu == 'S', has_v = jobv == 'S';
    const bool jobs = (has_u || jobu == 'N') && (has_v || jobv == 'N');
    if (!jobs || !a.valid() || k < 0 || k > n || p < 0 || niters < 0 || !same(type, {type_u, type_v, computed}) ||
        type_s != real_type(type) || (has_u && !(U && Sizes{m, k, ldu}.valid())) || (has_v && !(V && Sizes{n, k, ldv}.valid())))
        return MUSOLVER_STATUS_INVALID_VALUE;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        const auto size = [&](bool there, int rows) { return there ? 0 : static_cast<std::size_t>(rows) * static_cast<std::size_t>(k) + 1; };
        std::vector<T> u(size(has_u, a.m())), v(size(has_v, a.n()));  // gesvda wants both, and is done when it returns
        const auto jobz = has_u || has_v ? MUSOLVER_EIG_MODE_VECTOR : MUSOLVER_EIG_MODE_NOVECTOR;
        return Typed<T>::gesvda(handle, jobz, static_cast<int>(k), a.m(), a.n(), static_cast<T*>(A), a.lda(), 0,
                                static_cast<Real<T>*>(S), 0, has_u ? static_cast<T*>(U) : u.data(),
                                has_u ? static_cast<int>(ldu) : std::max(1, a.m()), 0, has_v ? static_cast<T*>(V) : v.data(),
                                has_v ? static_cast<int>(ldv) : std::max(1, a.n()), 0, no_workspace<T>(), INT_MAX, info, nullptr, 1);
    });
}

// --- symmetric systems ---

MUSA_EXPORT musolverStatus_t musolverDnXsytrs_bufferSize(musolverDnHandle_t handle, mublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                                         musaDataType_t type, const void* A, int64_t lda, const int64_t*,
                                                         musaDataType_t type_b, void* B, int64_t ldb, size_t* on_device,
                                                         size_t* on_host) {
    const bool valid = is_fill(uplo) && A && B && Sizes{n, n, lda}.valid() && Sizes{n, nrhs, ldb}.valid() && same(type, {type_b});
    return give_sizes(handle, valid, type, on_device, on_host);
}

// A null ipiv means factors without pivoting, which LAPACK does not have.
MUSA_EXPORT musolverStatus_t musolverDnXsytrs(musolverDnHandle_t handle, mublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                              musaDataType_t type, const void* A, int64_t lda, const int64_t* ipiv,
                                              musaDataType_t type_b, void* B, int64_t ldb, void*, size_t, void*, size_t,
                                              int* info) {
    const Sizes a{n, n, lda}, b{n, nrhs, ldb};
    if (!ipiv) return MUSOLVER_STATUS_NOT_SUPPORTED;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, is_fill(uplo) && A && B && info && a.valid() && b.valid() && same(type, {type_b}), [=] {
            const std::vector<int> pivots(ipiv, ipiv + a.n());
            *info = run_lapack<T>("sytrs", letter_of(uplo), a.n(), b.n(), static_cast<const T*>(A), a.lda(), pivots.data(),
                                  static_cast<T*>(B), b.lda());
        });
    });
}

// --- refined solutions: parameters choose the type; there are no iterations ---

MUSA_EXPORT musolverStatus_t musolverDnIRSParamsCreate(musolverDnIRSParams_t* params) { return create_object(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsDestroy(musolverDnIRSParams_t params) { return destroy_object(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetRefinementSolver(musolverDnIRSParams_t params, musolverIRSRefinement_t) {
    return hint(params);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetSolverMainPrecision(musolverDnIRSParams_t params, musolverPrecType_t precision) {
    if (!params) return MUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->precision = precision;
    return with_precision(params, [](auto) { return MUSOLVER_STATUS_SUCCESS; });
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetSolverLowestPrecision(musolverDnIRSParams_t params, musolverPrecType_t) {
    return hint(params);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetSolverPrecisions(musolverDnIRSParams_t params, musolverPrecType_t precision,
                                                                    musolverPrecType_t) {
    return musolverDnIRSParamsSetSolverMainPrecision(params, precision);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetTol(musolverDnIRSParams_t params, double) { return hint(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetTolInner(musolverDnIRSParams_t params, double) { return hint(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetMaxIters(musolverDnIRSParams_t params, int most) {
    return set(params, &musolverDnIRSParams::most, most);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsSetMaxItersInner(musolverDnIRSParams_t params, int) { return hint(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsGetMaxIters(musolverDnIRSParams_t params, int* most) {
    return get(params, &musolverDnIRSParams::most, most, MUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsEnableFallback(musolverDnIRSParams_t params) { return hint(params); }
MUSA_EXPORT musolverStatus_t musolverDnIRSParamsDisableFallback(musolverDnIRSParams_t params) { return hint(params); }

MUSA_EXPORT musolverStatus_t musolverDnIRSInfosCreate(musolverDnIRSInfos_t* infos) { return create_object(infos); }
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosDestroy(musolverDnIRSInfos_t infos) { return destroy_object(infos); }
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosGetNiters(musolverDnIRSInfos_t infos, int* iterations) {
    return get(infos, &musolverDnIRSInfos::iterations, iterations, MUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosGetOuterNiters(musolverDnIRSInfos_t infos, int* iterations) {
    return musolverDnIRSInfosGetNiters(infos, iterations);
}
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosGetMaxIters(musolverDnIRSInfos_t infos, int* most) {
    return get(infos, &musolverDnIRSInfos::most, most, MUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
}
// Without iterations there is no history.
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosRequestResidual(musolverDnIRSInfos_t) { return MUSOLVER_STATUS_NOT_SUPPORTED; }
MUSA_EXPORT musolverStatus_t musolverDnIRSInfosGetResidualHistory(musolverDnIRSInfos_t, void**) {
    return MUSOLVER_STATUS_NOT_SUPPORTED;
}

MUSA_EXPORT musolverStatus_t musolverDnIRSXgesv_bufferSize(musolverDnHandle_t handle, musolverDnIRSParams_t params, int n, int nrhs,
                                                           size_t* bytes) {
    return with_precision(params, [=](auto) { return give_one(handle, n >= 0 && nrhs >= 0, bytes); });
}

MUSA_EXPORT musolverStatus_t musolverDnIRSXgesv(musolverDnHandle_t handle, musolverDnIRSParams_t params, musolverDnIRSInfos_t infos,
                                                int n, int nrhs, void* A, int lda, void* B, int ldb, void* X, int ldx,
                                                void* workspace, size_t bytes, int* iterations, int* info) {
    if (!infos) return MUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    return with_precision(params, [=](auto element) {
        using T = decltype(element);
        infos->most = params->most;
        return Typed<T>::gesv(handle, n, nrhs, static_cast<T*>(A), lda, nullptr, static_cast<T*>(B), ldb, static_cast<T*>(X), ldx,
                              workspace, bytes, iterations, info);
    });
}

MUSA_EXPORT musolverStatus_t musolverDnIRSXgels_bufferSize(musolverDnHandle_t handle, musolverDnIRSParams_t params, int m, int n,
                                                           int nrhs, size_t* bytes) {
    return with_precision(params, [=](auto) { return give_one(handle, m >= n && n >= 0 && nrhs >= 0, bytes); });
}

MUSA_EXPORT musolverStatus_t musolverDnIRSXgels(musolverDnHandle_t handle, musolverDnIRSParams_t params, musolverDnIRSInfos_t infos,
                                                int m, int n, int nrhs, void* A, int lda, void* B, int ldb, void* X, int ldx,
                                                void* workspace, size_t bytes, int* iterations, int* info) {
    if (!infos) return MUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    return with_precision(params, [=](auto element) {
        using T = decltype(element);
        infos->most = params->most;
        return Typed<T>::gels(handle, m, n, nrhs, static_cast<T*>(A), lda, static_cast<T*>(B), ldb, static_cast<T*>(X), ldx,
                              workspace, bytes, iterations, info);
    });
}

// --- the older names without X ---

MUSA_EXPORT musolverStatus_t musolverDnGetrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
                                                        musaDataType_t type, const void* A, int64_t lda, musaDataType_t computed,
                                                        size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXgetrf_bufferSize(handle, params, m, n, type, A, lda, computed, bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnGetrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
                                             musaDataType_t type, void* A, int64_t lda, int64_t* ipiv, musaDataType_t computed,
                                             void* buffer, size_t bytes, int* info) {
    return musolverDnXgetrf(handle, params, m, n, type, A, lda, ipiv, computed, buffer, bytes, nullptr, 0, info);
}
MUSA_EXPORT musolverStatus_t musolverDnGetrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasOperation_t trans, int64_t n,
                                             int64_t nrhs, musaDataType_t type, const void* A, int64_t lda, const int64_t* ipiv,
                                             musaDataType_t type_b, void* B, int64_t ldb, int* info) {
    return musolverDnXgetrs(handle, params, trans, n, nrhs, type, A, lda, ipiv, type_b, B, ldb, info);
}
MUSA_EXPORT musolverStatus_t musolverDnGeqrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
                                                        musaDataType_t type, const void* A, int64_t lda, musaDataType_t type_tau,
                                                        const void* tau, musaDataType_t computed, size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXgeqrf_bufferSize(handle, params, m, n, type, A, lda, type_tau, tau, computed, bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnGeqrf(musolverDnHandle_t handle, musolverDnParams_t params, int64_t m, int64_t n,
                                             musaDataType_t type, void* A, int64_t lda, musaDataType_t type_tau, void* tau,
                                             musaDataType_t computed, void* buffer, size_t bytes, int* info) {
    return musolverDnXgeqrf(handle, params, m, n, type, A, lda, type_tau, tau, computed, buffer, bytes, nullptr, 0, info);
}
MUSA_EXPORT musolverStatus_t musolverDnPotrf_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo,
                                                        int64_t n, musaDataType_t type, const void* A, int64_t lda,
                                                        musaDataType_t computed, size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXpotrf_bufferSize(handle, params, uplo, n, type, A, lda, computed, bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnPotrf(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo, int64_t n,
                                             musaDataType_t type, void* A, int64_t lda, musaDataType_t computed, void* buffer,
                                             size_t bytes, int* info) {
    return musolverDnXpotrf(handle, params, uplo, n, type, A, lda, computed, buffer, bytes, nullptr, 0, info);
}
MUSA_EXPORT musolverStatus_t musolverDnPotrs(musolverDnHandle_t handle, musolverDnParams_t params, mublasFillMode_t uplo, int64_t n,
                                             int64_t nrhs, musaDataType_t type, const void* A, int64_t lda, musaDataType_t type_b,
                                             void* B, int64_t ldb, int* info) {
    return musolverDnXpotrs(handle, params, uplo, n, nrhs, type, A, lda, type_b, B, ldb, info);
}
MUSA_EXPORT musolverStatus_t musolverDnSyevd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
                                                        mublasFillMode_t uplo, int64_t n, musaDataType_t type, const void* A,
                                                        int64_t lda, musaDataType_t type_w, const void* W, musaDataType_t computed,
                                                        size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXsyevd_bufferSize(handle, params, jobz, uplo, n, type, A, lda, type_w, W, computed, bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnSyevd(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
                                             mublasFillMode_t uplo, int64_t n, musaDataType_t type, void* A, int64_t lda,
                                             musaDataType_t type_w, void* W, musaDataType_t computed, void* buffer, size_t bytes,
                                             int* info) {
    return musolverDnXsyevd(handle, params, jobz, uplo, n, type, A, lda, type_w, W, computed, buffer, bytes, nullptr, 0, info);
}
MUSA_EXPORT musolverStatus_t musolverDnSyevdx_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
                                                         musolverEigRange_t range, mublasFillMode_t uplo, int64_t n,
                                                         musaDataType_t type, const void* A, int64_t lda, void* vl, void* vu,
                                                         int64_t il, int64_t iu, int64_t* meig, musaDataType_t type_w,
                                                         const void* W, musaDataType_t computed, size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXsyevdx_bufferSize(handle, params, jobz, range, uplo, n, type, A, lda, vl, vu, il, iu, meig, type_w, W, computed,
                                        bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnSyevdx(musolverDnHandle_t handle, musolverDnParams_t params, musolverEigMode_t jobz,
                                              musolverEigRange_t range, mublasFillMode_t uplo, int64_t n, musaDataType_t type, void* A,
                                              int64_t lda, void* vl, void* vu, int64_t il, int64_t iu, int64_t* meig,
                                              musaDataType_t type_w, void* W, musaDataType_t computed, void* buffer, size_t bytes,
                                              int* info) {
    return musolverDnXsyevdx(handle, params, jobz, range, uplo, n, type, A, lda, vl, vu, il, iu, meig, type_w, W, computed, buffer,
                             bytes, nullptr, 0, info);
}
MUSA_EXPORT musolverStatus_t musolverDnGesvd_bufferSize(musolverDnHandle_t handle, musolverDnParams_t params, signed char jobu,
                                                        signed char jobvt, int64_t m, int64_t n, musaDataType_t type, const void* A,
                                                        int64_t lda, musaDataType_t type_s, const void* S, musaDataType_t type_u,
                                                        const void* U, int64_t ldu, musaDataType_t type_vt, const void* VT,
                                                        int64_t ldvt, musaDataType_t computed, size_t* bytes) {
    size_t on_host = 0;
    return musolverDnXgesvd_bufferSize(handle, params, jobu, jobvt, m, n, type, A, lda, type_s, S, type_u, U, ldu, type_vt, VT, ldvt,
                                       computed, bytes, &on_host);
}
MUSA_EXPORT musolverStatus_t musolverDnGesvd(musolverDnHandle_t handle, musolverDnParams_t params, signed char jobu, signed char jobvt,
                                             int64_t m, int64_t n, musaDataType_t type, void* A, int64_t lda, musaDataType_t type_s,
                                             void* S, musaDataType_t type_u, void* U, int64_t ldu, musaDataType_t type_vt, void* VT,
                                             int64_t ldvt, musaDataType_t computed, void* buffer, size_t bytes, int* info) {
    return musolverDnXgesvd(handle, params, jobu, jobvt, m, n, type, A, lda, type_s, S, type_u, U, ldu, type_vt, VT, ldvt, computed,
                            buffer, bytes, nullptr, 0, info);
}
