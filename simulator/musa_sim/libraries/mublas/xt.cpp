// Products of matrices of the host or the device: muBLAS's functions of level 3, which wait. Their work runs on the host, so the
// host's memory serves as the device's does.
#include <mublasXt.h>

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <vector>

#include "context.h"

struct mublasXtContext {
    mublasHandle_t blas = nullptr;
    int block = 2048;
    mublasXtPinnedMemMode_t pinning = MUBLASXT_PINNING_DISABLED;
};

namespace mublas::xt {
namespace {

bool are_integers(std::initializer_list<std::size_t> sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](std::size_t size) { return size <= INT_MAX; });
}
int int_of(std::size_t size) { return static_cast<int>(size); }

mublasStatus done(mublasStatus status) {
    return status == MUBLAS_STATUS_SUCCESS ? status_of(musaStreamSynchronize(nullptr)) : status;
}

// Run `work` with a packed triangle as a full matrix.
template <class T, class Work>
mublasStatus run_with_full(const T* packed, mublasFillMode_t uplo, int order, Work work) {
    const mublasStatus before = status_of(musaStreamSynchronize(nullptr));  // which may write the triangle
    if (before != MUBLAS_STATUS_SUCCESS) return before;
    const auto lines = static_cast<std::size_t>(order);
    std::vector<T> full(lines * lines + 1);
    for (std::size_t column = 0; column < lines; ++column) {
        const std::size_t first = uplo == MUBLAS_FILL_MODE_LOWER ? column : 0, end = uplo == MUBLAS_FILL_MODE_LOWER ? lines : column + 1;
        for (std::size_t row = first; row < end; ++row) full[row + column * lines] = *packed++;
    }
    return done(work(full.data()));
}

template <class T>
mublasStatus set(mublasXtHandle_t handle, T mublasXtContext::*field, T value, bool valid) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!valid) return MUBLAS_STATUS_INVALID_VALUE;
    handle->*field = value;
    return MUBLAS_STATUS_SUCCESS;
}
template <class T>
mublasStatus get(mublasXtHandle_t handle, T mublasXtContext::*field, T* value) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!value) return MUBLAS_STATUS_INVALID_POINTER;
    *value = handle->*field;
    return MUBLAS_STATUS_SUCCESS;
}

mublasStatus check_devices(int count, const int* devices) {
    int there = 0;
    if (musaGetDeviceCount(&there) != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    const bool valid = count > 0 && devices && std::all_of(devices, devices + count, [=](int device) { return device >= 0 && device < there; });
    return valid ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace
}  // namespace mublas::xt

using namespace mublas::xt;
using mublas::is_fill;
using mublas::is_side;

MUSA_EXPORT mublasStatus mublasXtCreate(mublasXtHandle_t* handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_POINTER;
    mublasHandle_t blas = nullptr;
    const mublasStatus status = mublasCreate(&blas);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    *handle = new mublasXtContext;
    (*handle)->blas = blas;
    return status;
}
MUSA_EXPORT mublasStatus mublasXtDestroy(mublasXtHandle_t handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    const mublasStatus status = mublasDestroy(handle->blas);
    delete handle;
    return status;
}
// A device is a board.
MUSA_EXPORT mublasStatus mublasXtGetNumBoards(int nbDevices, int deviceId[], int* nbBoards) {
    if (!nbBoards) return MUBLAS_STATUS_INVALID_POINTER;
    const mublasStatus status = check_devices(nbDevices, deviceId);
    if (status == MUBLAS_STATUS_SUCCESS) *nbBoards = nbDevices;
    return status;
}
MUSA_EXPORT mublasStatus mublasXtMaxBoards(int* nbGpuBoards) {
    if (!nbGpuBoards) return MUBLAS_STATUS_INVALID_POINTER;
    return mublas::status_of(musaGetDeviceCount(nbGpuBoards));
}
MUSA_EXPORT mublasStatus mublasXtDeviceSelect(mublasXtHandle_t handle, int nbDevices, int deviceId[]) {
    return handle ? check_devices(nbDevices, deviceId) : MUBLAS_STATUS_INVALID_HANDLE;
}
MUSA_EXPORT mublasStatus mublasXtSetBlockDim(mublasXtHandle_t handle, int blockDim) {
    return set(handle, &mublasXtContext::block, blockDim, blockDim > 0);
}
MUSA_EXPORT mublasStatus mublasXtGetBlockDim(mublasXtHandle_t handle, int* blockDim) {
    return get(handle, &mublasXtContext::block, blockDim);
}
MUSA_EXPORT mublasStatus mublasXtSetPinningMemMode(mublasXtHandle_t handle, mublasXtPinnedMemMode_t mode) {
    return set(handle, &mublasXtContext::pinning, mode, mode == MUBLASXT_PINNING_DISABLED || mode == MUBLASXT_PINNING_ENABLED);
}
MUSA_EXPORT mublasStatus mublasXtGetPinningMemMode(mublasXtHandle_t handle, mublasXtPinnedMemMode_t* mode) {
    return get(handle, &mublasXtContext::pinning, mode);
}
MUSA_EXPORT mublasStatus mublasXtSetCpuRoutine(mublasXtHandle_t handle, mublasXtBlasOp_t, mublasXtOpType_t, void*) {
    return handle ? MUBLAS_STATUS_NOT_IMPLEMENTED : MUBLAS_STATUS_INVALID_HANDLE;
}
MUSA_EXPORT mublasStatus mublasXtSetCpuRatio(mublasXtHandle_t handle, mublasXtBlasOp_t, mublasXtOpType_t, float ratio) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    return ratio == 0 ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_NOT_IMPLEMENTED;
}

#define MUBLAS_XT(L, T, R)                                                                                             \
    MUSA_EXPORT mublasStatus mublasXt##L##gemm(mublasXtHandle_t handle, mublasOperation_t transa, mublasOperation_t    \
    transb, size_t m, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T*     \
    beta, T* C, size_t ldc) {                                                                                          \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                             \
        return done(mublas##L##gemm(handle->blas, transa, transb, int_of(m), int_of(n), int_of(k), alpha, A,           \
            int_of(lda), B, int_of(ldb), beta, C, int_of(ldc)));                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##symm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
    size_t m, size_t n, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C, size_t    \
    ldc) {                                                                                                             \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##symm(handle->blas, side, uplo, int_of(m), int_of(n), alpha, A, int_of(lda), B,          \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##syrk(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t       \
    trans, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* beta, T* C, size_t ldc) {              \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                     \
        return done(mublas##L##syrk(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), beta, C,   \
            int_of(ldc)));                                                                                             \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##syr2k(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t      \
    trans, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,    \
    size_t ldc) {                                                                                                      \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##syr2k(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), B,        \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##syrkx(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t      \
    trans, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C,    \
    size_t ldc) {                                                                                                      \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##syrkx(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), B,        \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##trmm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
    mublasOperation_t trans, mublasDiagType_t diag, size_t m, size_t n, const T* alpha, const T* A, size_t lda, const  \
    T* B, size_t ldb, T* C, size_t ldc) {                                                                              \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##trmm(handle->blas, side, uplo, trans, diag, int_of(m), int_of(n), alpha, A,             \
            int_of(lda), B, int_of(ldb), C, int_of(ldc)));                                                             \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##trsm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
    mublasOperation_t trans, mublasDiagType_t diag, size_t m, size_t n, const T* alpha, const T* A, size_t lda, T* B,  \
    size_t ldb) {                                                                                                      \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, lda, ldb})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                     \
        return done(mublas##L##trsm(handle->blas, side, uplo, trans, diag, int_of(m), int_of(n), alpha, A,             \
            int_of(lda), B, int_of(ldb)));                                                                             \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##spmm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
    size_t m, size_t n, const T* alpha, const T* AP, const T* B, size_t ldb, const T* beta, T* C, size_t ldc) {        \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                     \
        if (!AP || !is_side(side) || !is_fill(uplo)) return MUBLAS_STATUS_INVALID_VALUE;                               \
        const int order = int_of(side == MUBLAS_SIDE_LEFT ? m : n);                                                    \
        return run_with_full<T>(AP, uplo, order, [&](const T* A) { return mublas##L##symm(handle->blas, side,  \
            uplo, int_of(m), int_of(n), alpha, A, std::max(1, order), B, int_of(ldb), beta, C, int_of(ldc)); });       \
    }
MUBLAS_XT(S, float, float)
MUBLAS_XT(D, double, double)
MUBLAS_XT(C, muComplex, float)
MUBLAS_XT(Z, muDoubleComplex, double)
#undef MUBLAS_XT

#define MUBLAS_XT(L, T, R)                                                                                             \
    MUSA_EXPORT mublasStatus mublasXt##L##hemm(mublasXtHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
    size_t m, size_t n, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const T* beta, T* C, size_t    \
    ldc) {                                                                                                             \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({m, n, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##hemm(handle->blas, side, uplo, int_of(m), int_of(n), alpha, A, int_of(lda), B,          \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##herk(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t       \
    trans, size_t n, size_t k, const R* alpha, const T* A, size_t lda, const R* beta, T* C, size_t ldc) {              \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                     \
        return done(mublas##L##herk(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), beta, C,   \
            int_of(ldc)));                                                                                             \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##her2k(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t      \
    trans, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const R* beta, T* C,    \
    size_t ldc) {                                                                                                      \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##her2k(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), B,        \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }                                                                                                                  \
    MUSA_EXPORT mublasStatus mublasXt##L##herkx(mublasXtHandle_t handle, mublasFillMode_t uplo, mublasOperation_t      \
    trans, size_t n, size_t k, const T* alpha, const T* A, size_t lda, const T* B, size_t ldb, const R* beta, T* C,    \
    size_t ldc) {                                                                                                      \
        if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;                                                              \
        if (!are_integers({n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_IMPLEMENTED;                                \
        return done(mublas##L##herkx(handle->blas, uplo, trans, int_of(n), int_of(k), alpha, A, int_of(lda), B,        \
            int_of(ldb), beta, C, int_of(ldc)));                                                                       \
    }
MUBLAS_XT(C, muComplex, float)
MUBLAS_XT(Z, muDoubleComplex, double)
#undef MUBLAS_XT
