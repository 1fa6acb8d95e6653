// Handles, modes, and copies between host and device.
#include "context.h"
#include "status_names.h"

#include <mutex>
#include <unordered_set>

#include "base/lifetime.h"

namespace {

std::mutex live_mutex;

std::unordered_set<mublasHandle_t>& live_handles() {
    static auto& handles = musa_sim::leaked<std::unordered_set<mublasHandle_t>>();
    return handles;
}

// Change a valid handle.
template <class Change>
mublasStatus with(mublasHandle_t handle, Change change) {
    const mublasStatus status = mublas::check_handle(handle);
    if (status == MUBLAS_STATUS_SUCCESS) change(*handle);
    return status;
}

// Without a stream, the copy is complete on return.
mublasStatus copy(int rows, int columns, int size, const void* from, int ld_from, void* to, int ld_to,
                  const musaStream_t* stream = nullptr) {
    if (rows < 0 || columns < 0 || size <= 0 || ld_from < rows || ld_to < rows) return MUBLAS_STATUS_INVALID_SIZE;
    if (rows == 0 || columns == 0) return MUBLAS_STATUS_SUCCESS;
    if (!from || !to) return MUBLAS_STATUS_INVALID_POINTER;
    const auto bytes = [size](int count) { return static_cast<std::size_t>(count) * static_cast<std::size_t>(size); };
    const auto count = static_cast<std::size_t>(columns);
    const musaError_t error =
        stream ? musaMemcpy2DAsync(to, bytes(ld_to), from, bytes(ld_from), bytes(rows), count, musaMemcpyDefault,
                                   *stream)
               : musaMemcpy2D(to, bytes(ld_to), from, bytes(ld_from), bytes(rows), count, musaMemcpyDefault);
    return error == musaSuccess ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INTERNAL_ERROR;
}

}  // namespace

mublasStatus mublas::check_handle(mublasHandle_t handle) {
    std::lock_guard<std::mutex> lock(live_mutex);
    return live_handles().count(handle) ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_HANDLE;
}

MUSA_EXPORT mublasStatus mublasCreate(mublasHandle_t* handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_POINTER;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    *handle = new mublasContext();
    std::lock_guard<std::mutex> lock(live_mutex);
    live_handles().insert(*handle);
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT mublasStatus mublasDestroy(mublasHandle_t handle) {
    std::lock_guard<std::mutex> lock(live_mutex);
    if (live_handles().erase(handle) == 0) return MUBLAS_STATUS_INVALID_HANDLE;
    delete handle;  // enqueued operations do not refer to it
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT size_t mublasGetCudartVersion(void) {
    int version = 0;
    return musaRuntimeGetVersion(&version) == musaSuccess ? static_cast<size_t>(version) : 0;
}

MUSA_EXPORT mublasStatus mublasGetVersion(mublasHandle_t handle, int* version) {
    if (!version) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext&) { *version = MUBLAS_VERSION; });
}

MUSA_EXPORT mublasStatus mublasGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MUBLAS_STATUS_INVALID_POINTER;
    switch (type) {
        case MAJOR_VERSION: *value = MUBLAS_VER_MAJOR; return MUBLAS_STATUS_SUCCESS;
        case MINOR_VERSION: *value = MUBLAS_VER_MINOR; return MUBLAS_STATUS_SUCCESS;
        case PATCH_LEVEL: *value = MUBLAS_VER_PATCH; return MUBLAS_STATUS_SUCCESS;
    }
    return MUBLAS_STATUS_INVALID_VALUE;
}

MUSA_EXPORT mublasStatus mublasSetStream(mublasHandle_t handle, musaStream_t stream) {
    return with(handle, [&](mublasContext& context) { context.stream = stream; });
}

MUSA_EXPORT mublasStatus mublasGetStream(mublasHandle_t handle, musaStream_t* stream) {
    if (!stream) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext& context) { *stream = context.stream; });
}

MUSA_EXPORT mublasStatus mublasSetPointerMode(mublasHandle_t handle, mublasPointerMode_t mode) {
    if (mode != MUBLAS_POINTER_MODE_HOST && mode != MUBLAS_POINTER_MODE_DEVICE) return MUBLAS_STATUS_INVALID_VALUE;
    return with(handle, [&](mublasContext& context) { context.pointer_mode = mode; });
}

MUSA_EXPORT mublasStatus mublasGetPointerMode(mublasHandle_t handle, mublasPointerMode_t* mode) {
    if (!mode) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext& context) { *mode = context.pointer_mode; });
}

MUSA_EXPORT mublasStatus mublasSetMathMode(mublasHandle_t handle, mublasMath_t mode) {
    return with(handle, [&](mublasContext& context) { context.math_mode = mode; });
}

MUSA_EXPORT mublasStatus mublasGetMathMode(mublasHandle_t handle, mublasMath_t* mode) {
    if (!mode) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext& context) { *mode = context.math_mode; });
}

// Both modes add in the same order.
MUSA_EXPORT mublasStatus mublasSetAtomicsMode(mublasHandle_t handle, mublasAtomicsMode_t mode) {
    return with(handle, [&](mublasContext& context) { context.atomics_mode = mode; });
}

MUSA_EXPORT mublasStatus mublasGetAtomicsMode(mublasHandle_t handle, mublasAtomicsMode_t* mode) {
    if (!mode) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext& context) { *mode = context.atomics_mode; });
}

// Keep the number: the simulator has no multiprocessors to limit.
MUSA_EXPORT mublasStatus mublasSetSmCountTarget(mublasHandle_t handle, int count) {
    if (count < 0) return MUBLAS_STATUS_INVALID_VALUE;
    return with(handle, [&](mublasContext& context) { context.multiprocessors = count; });
}

MUSA_EXPORT mublasStatus mublasGetSmCountTarget(mublasHandle_t handle, int* count) {
    if (!count) return MUBLAS_STATUS_INVALID_POINTER;
    return with(handle, [&](mublasContext& context) { *count = context.multiprocessors; });
}

// The library allocates its own workspace and ignores the caller's.
MUSA_EXPORT mublasStatus mublasSetWorkspace(mublasHandle_t handle, void*, size_t) {
    return mublas::check_handle(handle);
}

MUSA_EXPORT const char* mublasGetStatusString(mublasStatus status) { return mublas::status_name(status); }

MUSA_EXPORT const char* mublasGetStatusName(mublasStatus status) { return mublasGetStatusString(status); }

MUSA_EXPORT const char* mublasStatus_to_string(mublasStatus status) { return mublasGetStatusString(status); }

// A vector with a stride is a matrix of one row.
MUSA_EXPORT mublasStatus mublasSetVector(int n, int element_size, const void* x, int incx, void* device_y,
                                         int incy) {
    return copy(1, n, element_size, x, incx, device_y, incy);
}

MUSA_EXPORT mublasStatus mublasGetVector(int n, int element_size, const void* device_x, int incx, void* y,
                                         int incy) {
    return copy(1, n, element_size, device_x, incx, y, incy);
}

MUSA_EXPORT mublasStatus mublasSetMatrix(int rows, int columns, int element_size, const void* A, int lda,
                                         void* device_B, int ldb) {
    return copy(rows, columns, element_size, A, lda, device_B, ldb);
}

MUSA_EXPORT mublasStatus mublasGetMatrix(int rows, int columns, int element_size, const void* device_A, int lda,
                                         void* B, int ldb) {
    return copy(rows, columns, element_size, device_A, lda, B, ldb);
}

MUSA_EXPORT mublasStatus mublasSetVectorAsync(int n, int element_size, const void* x, int incx, void* device_y, int incy, musaStream_t stream) {
    return copy(1, n, element_size, x, incx, device_y, incy, &stream);
}

MUSA_EXPORT mublasStatus mublasGetVectorAsync(int n, int element_size, const void* device_x, int incx, void* y, int incy, musaStream_t stream) {
    return copy(1, n, element_size, device_x, incx, y, incy, &stream);
}

MUSA_EXPORT mublasStatus mublasSetMatrixAsync(int rows, int columns, int element_size, const void* A, int lda, void* device_B, int ldb, musaStream_t stream) {
    return copy(rows, columns, element_size, A, lda, device_B, ldb, &stream);
}

MUSA_EXPORT mublasStatus mublasGetMatrixAsync(int rows, int columns, int element_size, const void* device_A, int lda, void* B, int ldb, musaStream_t stream) {
    return copy(rows, columns, element_size, device_A, lda, B, ldb, &stream);
}
