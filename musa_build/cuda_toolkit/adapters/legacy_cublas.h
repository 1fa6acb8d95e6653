/* cuBLAS's first interface: one handle for the program, which cublasInit makes, and the status of the last call. The
 * functions of matrices and vectors are written by legacy_cublas.py. In CUDA, too, a source includes cublas.h or cublas_v2.h,
 * not both.
 */
#ifndef MUSA_CUDA_ADAPTER_LEGACY_CUBLAS_H
#define MUSA_CUDA_ADAPTER_LEGACY_CUBLAS_H

#include "cublas.h"

#undef cublasInit
#undef cublasShutdown
#undef cublasGetError
#undef cublasGetVersion
#undef cublasAlloc
#undef cublasFree
#undef cublasSetKernelStream

typedef cublasStatus_t cublasStatus;

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: each source of a program defines them, and the linker keeps one. */
__attribute__((weak)) cublasHandle_t musa_cuda_cublas_handle = NULL;
__attribute__((weak)) cublasStatus_t musa_cuda_cublas_status = CUBLAS_STATUS_SUCCESS;

/* Keep a failure until cublasGetError tells it. muBLAS has finer statuses: without a name of CUDA's they would be none. */
static inline cublasStatus_t musa_cuda_cublas_note(cublasStatus_t status) {
    if (status == MUBLAS_STATUS_INVALID_HANDLE) status = CUBLAS_STATUS_NOT_INITIALIZED;
    if (status == MUBLAS_STATUS_INVALID_POINTER || status == MUBLAS_STATUS_INVALID_SIZE) status = CUBLAS_STATUS_INVALID_VALUE;
    if (status == MUBLAS_STATUS_MEMORY_ERROR) status = CUBLAS_STATUS_ALLOC_FAILED;
    if (status == MUBLAS_STATUS_NOT_IMPLEMENTED) status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (status != CUBLAS_STATUS_SUCCESS) musa_cuda_cublas_status = status;
    return status;
}

/* The library refuses a value that no enumerator has, as cuBLAS refuses another letter. */
static inline cublasOperation_t musa_cuda_cublas_operation(char letter) {
    if (letter == 'N' || letter == 'n') return CUBLAS_OP_N;
    if (letter == 'T' || letter == 't') return CUBLAS_OP_T;
    return letter == 'C' || letter == 'c' ? CUBLAS_OP_C : (cublasOperation_t)0x7f;
}
static inline cublasFillMode_t musa_cuda_cublas_fill(char letter) {
    if (letter == 'U' || letter == 'u') return CUBLAS_FILL_MODE_UPPER;
    return letter == 'L' || letter == 'l' ? CUBLAS_FILL_MODE_LOWER : (cublasFillMode_t)0x7f;
}
static inline cublasDiagType_t musa_cuda_cublas_diagonal(char letter) {
    if (letter == 'U' || letter == 'u') return CUBLAS_DIAG_UNIT;
    return letter == 'N' || letter == 'n' ? CUBLAS_DIAG_NON_UNIT : (cublasDiagType_t)0x7f;
}
static inline cublasSideMode_t musa_cuda_cublas_side(char letter) {
    if (letter == 'L' || letter == 'l') return CUBLAS_SIDE_LEFT;
    return letter == 'R' || letter == 'r' ? CUBLAS_SIDE_RIGHT : (cublasSideMode_t)0x7f;
}

static inline cublasStatus_t cublasInit(void) {
    return musa_cuda_cublas_handle ? CUBLAS_STATUS_SUCCESS
                                   : musa_cuda_cublas_note(cublasCreate(&musa_cuda_cublas_handle));
}
static inline cublasStatus_t cublasShutdown(void) {
    cublasHandle_t handle = musa_cuda_cublas_handle;
    musa_cuda_cublas_handle = NULL;
    return handle ? cublasDestroy(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}
static inline cublasStatus_t cublasGetError(void) {
    cublasStatus_t status = musa_cuda_cublas_status;
    musa_cuda_cublas_status = CUBLAS_STATUS_SUCCESS;
    return status;
}
static inline cublasStatus_t cublasGetVersion(int *version) {
    return mublasGetVersion(musa_cuda_cublas_handle, version);
}
static inline cublasStatus_t cublasAlloc(int n, int elemSize, void **devicePtr) {
    if (!musa_cuda_cublas_handle) return musa_cuda_cublas_note(CUBLAS_STATUS_NOT_INITIALIZED);
    if (n <= 0 || elemSize <= 0) return musa_cuda_cublas_note(CUBLAS_STATUS_INVALID_VALUE);
    return musa_cuda_cublas_note(cudaMalloc(devicePtr, (size_t)n * (size_t)elemSize) == cudaSuccess
                                     ? CUBLAS_STATUS_SUCCESS
                                     : CUBLAS_STATUS_ALLOC_FAILED);
}
static inline cublasStatus_t cublasFree(void *devicePtr) {
    if (!musa_cuda_cublas_handle) return musa_cuda_cublas_note(CUBLAS_STATUS_NOT_INITIALIZED);
    return musa_cuda_cublas_note(cudaFree(devicePtr) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                    : CUBLAS_STATUS_INTERNAL_ERROR);
}
static inline cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
    return musa_cuda_cublas_note(cublasSetStream(musa_cuda_cublas_handle, stream));
}

#include <musa_cuda/legacy_cublas.h>

#ifdef __cplusplus
}
#endif

#endif
