// muBLASLt: handles, and the functions that fail. See include/mublasLt.h.
#include <mublasLt.h>

#include "../refused.h"

struct mublasLtContext {};

MUSA_SIM_EXPORTED mublasStatus_t mublasLtCreate(mublasLtHandle_t* handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_VALUE;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    *handle = new mublasLtContext();
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_SIM_EXPORTED mublasStatus_t mublasLtDestroy(mublasLtHandle_t handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    delete handle;
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_SIM_EXPORTED size_t mublasLtGetVersion() { return 11300; }

#define MUSA_SIM_REFUSED(name, parameters) \
    MUSA_SIM_REFUSE(mublasStatus_t, MUBLAS_STATUS_NOT_IMPLEMENTED, name, parameters)
#include <musa_sim/mublasLt_refused.h>
