/* The name of a device's chip, for the range profiler: MUPTI_ERROR_NOT_SUPPORTED, as all of that.
 *
 * Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_TARGET_H_
#define _MUPTI_TARGET_H_

#include <mupti_result.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MUPTI_PROFILER_STRUCT_SIZE
#define MUPTI_PROFILER_STRUCT_SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))
#endif

typedef struct MUpti_Device_GetChipName_Params {
    size_t structSize;
    void* pPriv;
    size_t deviceIndex;
    const char* pChipName;
} MUpti_Device_GetChipName_Params;
#define MUpti_Device_GetChipName_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Device_GetChipName_Params, pChipName)

MUptiResult MUPTIAPI muptiDeviceGetChipName(MUpti_Device_GetChipName_Params* pParams);

#ifdef __cplusplus
}
#endif

#endif
