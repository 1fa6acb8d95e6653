// muSPARSE: handles. See include/musparse.h.
#include "context.h"

namespace {

template <class T>
musparseStatus_t give(musparseHandle_t handle, T musparseContext::*field, T* result) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!result) return MUSPARSE_STATUS_INVALID_VALUE;
    *result = handle->*field;
    return MUSPARSE_STATUS_SUCCESS;
}

template <class T>
musparseStatus_t take(musparseHandle_t handle, T musparseContext::*field, T value) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    handle->*field = value;
    return MUSPARSE_STATUS_SUCCESS;
}

struct Words {
    const char* name;
    const char* sentence;
};

Words words_of(musparseStatus_t status) {
    switch (status) {
        case MUSPARSE_STATUS_SUCCESS: return {"MUSPARSE_STATUS_SUCCESS", "success"};
        case MUSPARSE_STATUS_NOT_INITIALIZED: return {"MUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"};
        case MUSPARSE_STATUS_ALLOC_FAILED: return {"MUSPARSE_STATUS_ALLOC_FAILED", "out of memory"};
        case MUSPARSE_STATUS_INVALID_VALUE: return {"MUSPARSE_STATUS_INVALID_VALUE", "invalid value"};
        case MUSPARSE_STATUS_ARCH_MISMATCH: return {"MUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"};
        case MUSPARSE_STATUS_MAPPING_ERROR: return {"MUSPARSE_STATUS_MAPPING_ERROR", "texture binding error"};
        case MUSPARSE_STATUS_EXECUTION_FAILED: return {"MUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"};
        case MUSPARSE_STATUS_INTERNAL_ERROR: return {"MUSPARSE_STATUS_INTERNAL_ERROR", "internal error"};
        case MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
            return {"MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"};
        case MUSPARSE_STATUS_ZERO_PIVOT: return {"MUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"};
        case MUSPARSE_STATUS_NOT_SUPPORTED: return {"MUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"};
        case MUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
            return {"MUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"};
    }
    return {"unrecognized error code", "unrecognized error code"};
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseCreate(musparseHandle_t* handle) {
    if (!handle) return MUSPARSE_STATUS_INVALID_VALUE;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUSPARSE_STATUS_NOT_INITIALIZED;
    *handle = new musparseContext();
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDestroy(musparseHandle_t handle) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    delete handle;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSetStream(musparseHandle_t handle, musaStream_t stream) {
    return take(handle, &musparseContext::stream, stream);
}

MUSA_EXPORT musparseStatus_t musparseGetStream(musparseHandle_t handle, musaStream_t* stream) {
    return give(handle, &musparseContext::stream, stream);
}

MUSA_EXPORT musparseStatus_t musparseSetPointerMode(musparseHandle_t handle, musparsePointerMode_t mode) {
    return take(handle, &musparseContext::pointer_mode, mode);
}

MUSA_EXPORT musparseStatus_t musparseGetPointerMode(musparseHandle_t handle, musparsePointerMode_t* mode) {
    return give(handle, &musparseContext::pointer_mode, mode);
}

MUSA_EXPORT musparseStatus_t musparseGetVersion(musparseHandle_t handle, int* version) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!version) return MUSPARSE_STATUS_INVALID_VALUE;
    *version = MUSPARSE_VERSION;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT const char* musparseGetErrorName(musparseStatus_t status) { return words_of(status).name; }
MUSA_EXPORT const char* musparseGetErrorString(musparseStatus_t status) { return words_of(status).sentence; }
