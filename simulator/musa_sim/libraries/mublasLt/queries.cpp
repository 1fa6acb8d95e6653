// Versions, the names of statuses, and the log that is not written.
#include <mublasLt.h>

#include "../exported.h"
#include "../mublas/status_names.h"

MUSA_EXPORT size_t mublasLtGetVersion(void) { return MUBLAS_VERSION; }

MUSA_EXPORT size_t mublasLtGetCudartVersion(void) { return MUSART_VERSION; }

MUSA_EXPORT mublasStatus_t mublasLtGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MUBLAS_STATUS_INVALID_VALUE;
    switch (type) {
        case MAJOR_VERSION: *value = MUBLAS_VER_MAJOR; return MUBLAS_STATUS_SUCCESS;
        case MINOR_VERSION: *value = MUBLAS_VER_MINOR; return MUBLAS_STATUS_SUCCESS;
        case PATCH_LEVEL: *value = MUBLAS_VER_PATCH; return MUBLAS_STATUS_SUCCESS;
    }
    return MUBLAS_STATUS_INVALID_VALUE;
}

MUSA_EXPORT const char* mublasLtGetStatusName(mublasStatus_t status) { return mublas::status_name(status); }

MUSA_EXPORT const char* mublasLtGetStatusString(mublasStatus_t status) { return mublas::status_name(status); }

MUSA_EXPORT mublasStatus_t mublasLtLoggerSetCallback(mublasLtLoggerCallback_t) { return MUBLAS_STATUS_SUCCESS; }
MUSA_EXPORT mublasStatus_t mublasLtLoggerSetFile(FILE*) { return MUBLAS_STATUS_SUCCESS; }
MUSA_EXPORT mublasStatus_t mublasLtLoggerOpenFile(const char*) { return MUBLAS_STATUS_SUCCESS; }
MUSA_EXPORT mublasStatus_t mublasLtLoggerSetLevel(int) { return MUBLAS_STATUS_SUCCESS; }
MUSA_EXPORT mublasStatus_t mublasLtLoggerSetMask(int) { return MUBLAS_STATUS_SUCCESS; }
MUSA_EXPORT mublasStatus_t mublasLtLoggerForceDisable(void) { return MUBLAS_STATUS_SUCCESS; }
