// muSOLVER: handles, and the functions that fail. See include/musolverDn.h.
#include <musolverDn.h>

#include "../refused.h"

struct musolverDnContext {
    musaStream_t stream = nullptr;
};

MUSA_SIM_EXPORTED musolverStatus_t musolverDnCreate(musolverDnHandle_t* handle) {
    if (!handle) return MUSOLVER_STATUS_INVALID_VALUE;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUSOLVER_STATUS_NOT_INITIALIZED;
    *handle = new musolverDnContext();
    return MUSOLVER_STATUS_SUCCESS;
}

MUSA_SIM_EXPORTED musolverStatus_t musolverDnDestroy(musolverDnHandle_t handle) {
    if (!handle) return MUSOLVER_STATUS_NOT_INITIALIZED;
    delete handle;
    return MUSOLVER_STATUS_SUCCESS;
}

MUSA_SIM_EXPORTED musolverStatus_t musolverDnSetStream(musolverDnHandle_t handle, musaStream_t stream) {
    if (!handle) return MUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return MUSOLVER_STATUS_SUCCESS;
}

MUSA_SIM_EXPORTED musolverStatus_t musolverDnGetStream(musolverDnHandle_t handle, musaStream_t* stream) {
    if (!handle) return MUSOLVER_STATUS_NOT_INITIALIZED;
    if (!stream) return MUSOLVER_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return MUSOLVER_STATUS_SUCCESS;
}

#define MUSA_SIM_REFUSED(name, parameters) \
    MUSA_SIM_REFUSE(musolverStatus_t, MUSOLVER_STATUS_NOT_SUPPORTED, name, parameters)
#include <musa_sim/musolver_refused.h>
