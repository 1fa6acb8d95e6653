// Counters, which a CPU does not have: these functions fail.
#include <mupti.h>
#include <mupti_profiler_target.h>
#include <mupti_target.h>

#include "state.h"

#define REFUSED(name, ...) \
    MUPTI_EXPORT name(__VA_ARGS__) { return MUPTI_ERROR_NOT_SUPPORTED; }

REFUSED(muptiSetEventCollectionMode, MUcontext, MUpti_EventCollectionMode)
REFUSED(muptiDeviceGetNumEventDomains, MUdevice, uint32_t*)
REFUSED(muptiEventGetAttribute, MUpti_EventID, MUpti_EventAttribute, size_t*, void*)
REFUSED(muptiEventGetIdFromName, MUdevice, const char*, MUpti_EventID*)
REFUSED(muptiEventGroupCreate, MUcontext, MUpti_EventGroup*, uint32_t)
REFUSED(muptiEventGroupDestroy, MUpti_EventGroup)
REFUSED(muptiEventGroupGetAttribute, MUpti_EventGroup, MUpti_EventGroupAttribute, size_t*, void*)
REFUSED(muptiEventGroupSetAttribute, MUpti_EventGroup, MUpti_EventGroupAttribute, size_t, void*)
REFUSED(muptiEventGroupAddEvent, MUpti_EventGroup, MUpti_EventID)
REFUSED(muptiEventGroupRemoveEvent, MUpti_EventGroup, MUpti_EventID)
REFUSED(muptiEventGroupRemoveAllEvents, MUpti_EventGroup)
REFUSED(muptiEventGroupResetAllEvents, MUpti_EventGroup)
REFUSED(muptiEventGroupEnable, MUpti_EventGroup)
REFUSED(muptiEventGroupDisable, MUpti_EventGroup)
REFUSED(muptiEventGroupReadEvent, MUpti_EventGroup, MUpti_ReadEventFlags, MUpti_EventID, size_t*, uint64_t*)
REFUSED(muptiEventGroupReadAllEvents, MUpti_EventGroup, MUpti_ReadEventFlags, size_t*, uint64_t*, size_t*,
        MUpti_EventID*, size_t*)
REFUSED(muptiEventGroupSetsCreate, MUcontext, size_t, MUpti_EventID*, MUpti_EventGroupSets**)
REFUSED(muptiEventGroupSetsDestroy, MUpti_EventGroupSets*)
REFUSED(muptiEventGroupSetEnable, MUpti_EventGroupSet*)
REFUSED(muptiEventGroupSetDisable, MUpti_EventGroupSet*)
REFUSED(muptiDeviceGetNumMetrics, MUdevice, uint32_t*)
REFUSED(muptiMetricGetAttribute, MUpti_MetricID, MUpti_MetricAttribute, size_t*, void*)
REFUSED(muptiMetricGetIdFromName, MUdevice, const char*, MUpti_MetricID*)
REFUSED(muptiMetricGetNumEvents, MUpti_MetricID, uint32_t*)
REFUSED(muptiMetricEnumEvents, MUpti_MetricID, size_t*, MUpti_EventID*)
REFUSED(muptiMetricGetValue, MUdevice, MUpti_MetricID, size_t, MUpti_EventID*, size_t, uint64_t*, uint64_t,
        MUpti_MetricValue*)
REFUSED(muptiDeviceGetChipName, MUpti_Device_GetChipName_Params*)
REFUSED(muptiProfilerInitialize, MUpti_Profiler_Initialize_Params*)
REFUSED(muptiProfilerDeInitialize, MUpti_Profiler_DeInitialize_Params*)
REFUSED(muptiProfilerCounterDataImageCalculateSize, MUpti_Profiler_CounterDataImage_CalculateSize_Params*)
REFUSED(muptiProfilerCounterDataImageInitialize, MUpti_Profiler_CounterDataImage_Initialize_Params*)
REFUSED(muptiProfilerCounterDataImageCalculateScratchBufferSize,
        MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params*)
REFUSED(muptiProfilerCounterDataImageInitializeScratchBuffer,
        MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params*)
REFUSED(muptiProfilerBeginSession, MUpti_Profiler_BeginSession_Params*)
REFUSED(muptiProfilerEndSession, MUpti_Profiler_EndSession_Params*)
REFUSED(muptiProfilerSetConfig, MUpti_Profiler_SetConfig_Params*)
REFUSED(muptiProfilerUnsetConfig, MUpti_Profiler_UnsetConfig_Params*)
REFUSED(muptiProfilerBeginPass, MUpti_Profiler_BeginPass_Params*)
REFUSED(muptiProfilerEndPass, MUpti_Profiler_EndPass_Params*)
REFUSED(muptiProfilerEnableProfiling, MUpti_Profiler_EnableProfiling_Params*)
REFUSED(muptiProfilerDisableProfiling, MUpti_Profiler_DisableProfiling_Params*)
REFUSED(muptiProfilerIsPassCollected, MUpti_Profiler_IsPassCollected_Params*)
REFUSED(muptiProfilerFlushCounterData, MUpti_Profiler_FlushCounterData_Params*)
REFUSED(muptiProfilerPushRange, MUpti_Profiler_PushRange_Params*)
REFUSED(muptiProfilerPopRange, MUpti_Profiler_PopRange_Params*)
REFUSED(muptiProfilerGetCounterAvailability, MUpti_Profiler_GetCounterAvailability_Params*)

#undef REFUSED
