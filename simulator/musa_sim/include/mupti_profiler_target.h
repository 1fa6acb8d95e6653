/* MUPTI's range profiler. A CPU has no such counters: every function returns MUPTI_ERROR_NOT_SUPPORTED.
 *
 * Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_PROFILER_TARGET_H_
#define _MUPTI_PROFILER_TARGET_H_

#include <musa.h>
#include <mupti_result.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MUPTI_PROFILER_STRUCT_SIZE
#define MUPTI_PROFILER_STRUCT_SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))
#endif

typedef enum {
    MUPTI_Range_INVALID = 0,
    MUPTI_AutoRange = 1,
    MUPTI_UserRange = 2,
    MUPTI_Range_COUNT = 3
} MUpti_ProfilerRange;

typedef enum {
    MUPTI_Replay_INVALID = 0,
    MUPTI_ApplicationReplay = 1,
    MUPTI_KernelReplay = 2,
    MUPTI_UserReplay = 3,
    MUPTI_Replay_COUNT = 4
} MUpti_ProfilerReplayMode;

typedef struct MUpti_Profiler_Initialize_Params {
    size_t structSize;
    void* pPriv;
} MUpti_Profiler_Initialize_Params;
#define MUpti_Profiler_Initialize_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_Initialize_Params, pPriv)

typedef struct MUpti_Profiler_DeInitialize_Params {
    size_t structSize;
    void* pPriv;
} MUpti_Profiler_DeInitialize_Params;
#define MUpti_Profiler_DeInitialize_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_DeInitialize_Params, pPriv)

typedef struct MUpti_Profiler_CounterDataImageOptions {
    size_t structSize;
    void* pPriv;
    const uint8_t* pCounterDataPrefix;
    size_t counterDataPrefixSize;
    uint32_t maxNumRanges;
    uint32_t maxNumRangeTreeNodes;
    uint32_t maxRangeNameLength;
} MUpti_Profiler_CounterDataImageOptions;
#define MUpti_Profiler_CounterDataImageOptions_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_CounterDataImageOptions, maxRangeNameLength)

typedef struct MUpti_Profiler_CounterDataImage_CalculateSize_Params {
    size_t structSize;
    void* pPriv;
    size_t sizeofCounterDataImageOptions;
    const MUpti_Profiler_CounterDataImageOptions* pOptions;
    size_t counterDataImageSize;
} MUpti_Profiler_CounterDataImage_CalculateSize_Params;
#define MUpti_Profiler_CounterDataImage_CalculateSize_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_CounterDataImage_CalculateSize_Params, counterDataImageSize)

typedef struct MUpti_Profiler_CounterDataImage_Initialize_Params {
    size_t structSize;
    void* pPriv;
    size_t sizeofCounterDataImageOptions;
    const MUpti_Profiler_CounterDataImageOptions* pOptions;
    size_t counterDataImageSize;
    uint8_t* pCounterDataImage;
} MUpti_Profiler_CounterDataImage_Initialize_Params;
#define MUpti_Profiler_CounterDataImage_Initialize_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_CounterDataImage_Initialize_Params, pCounterDataImage)

typedef struct MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params {
    size_t structSize;
    void* pPriv;
    size_t counterDataImageSize;
    uint8_t* pCounterDataImage;
    size_t counterDataScratchBufferSize;
} MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params;
#define MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params, \
                               counterDataScratchBufferSize)

typedef struct MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params {
    size_t structSize;
    void* pPriv;
    size_t counterDataImageSize;
    uint8_t* pCounterDataImage;
    size_t counterDataScratchBufferSize;
    uint8_t* pCounterDataScratchBuffer;
} MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params;
#define MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params, \
                               pCounterDataScratchBuffer)

typedef struct MUpti_Profiler_BeginSession_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    size_t counterDataImageSize;
    uint8_t* pCounterDataImage;
    size_t counterDataScratchBufferSize;
    uint8_t* pCounterDataScratchBuffer;
    uint8_t bDumpCounterDataInFile;
    const char* pCounterDataFilePath;
    MUpti_ProfilerRange range;
    MUpti_ProfilerReplayMode replayMode;
    size_t maxRangesPerPass;
    size_t maxLaunchesPerPass;
} MUpti_Profiler_BeginSession_Params;
#define MUpti_Profiler_BeginSession_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_BeginSession_Params, maxLaunchesPerPass)

typedef struct MUpti_Profiler_EndSession_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_EndSession_Params;
#define MUpti_Profiler_EndSession_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_EndSession_Params, ctx)

typedef struct MUpti_Profiler_SetConfig_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    const uint8_t* pConfig;
    size_t configSize;
    uint16_t minNestingLevel;
    uint16_t numNestingLevels;
    size_t passIndex;
    uint16_t targetNestingLevel;
} MUpti_Profiler_SetConfig_Params;
#define MUpti_Profiler_SetConfig_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_SetConfig_Params, targetNestingLevel)

typedef struct MUpti_Profiler_UnsetConfig_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_UnsetConfig_Params;
#define MUpti_Profiler_UnsetConfig_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_UnsetConfig_Params, ctx)

typedef struct MUpti_Profiler_BeginPass_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_BeginPass_Params;
#define MUpti_Profiler_BeginPass_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_BeginPass_Params, ctx)

typedef struct MUpti_Profiler_EndPass_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    uint16_t targetNestingLevel;
    size_t passIndex;
    uint8_t allPassesSubmitted;
} MUpti_Profiler_EndPass_Params;
#define MUpti_Profiler_EndPass_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_EndPass_Params, allPassesSubmitted)

typedef struct MUpti_Profiler_EnableProfiling_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_EnableProfiling_Params;
#define MUpti_Profiler_EnableProfiling_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_EnableProfiling_Params, ctx)

typedef struct MUpti_Profiler_DisableProfiling_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_DisableProfiling_Params;
#define MUpti_Profiler_DisableProfiling_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_DisableProfiling_Params, ctx)

typedef struct MUpti_Profiler_IsPassCollected_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    size_t numRangesDropped;
    size_t numTraceBytesDropped;
    uint8_t onePassCollected;
    uint8_t allPassesCollected;
} MUpti_Profiler_IsPassCollected_Params;
#define MUpti_Profiler_IsPassCollected_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_IsPassCollected_Params, allPassesCollected)

typedef struct MUpti_Profiler_FlushCounterData_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    size_t numRangesDropped;
    size_t numTraceBytesDropped;
} MUpti_Profiler_FlushCounterData_Params;
#define MUpti_Profiler_FlushCounterData_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_FlushCounterData_Params, numTraceBytesDropped)

typedef struct MUpti_Profiler_PushRange_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    const char* pRangeName;
    size_t rangeNameLength;
} MUpti_Profiler_PushRange_Params;
#define MUpti_Profiler_PushRange_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_PushRange_Params, rangeNameLength)

typedef struct MUpti_Profiler_PopRange_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
} MUpti_Profiler_PopRange_Params;
#define MUpti_Profiler_PopRange_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_PopRange_Params, ctx)

typedef struct MUpti_Profiler_GetCounterAvailability_Params {
    size_t structSize;
    void* pPriv;
    MUcontext ctx;
    size_t counterAvailabilityImageSize;
    uint8_t* pCounterAvailabilityImage;
} MUpti_Profiler_GetCounterAvailability_Params;
#define MUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE \
    MUPTI_PROFILER_STRUCT_SIZE(MUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage)

MUptiResult MUPTIAPI muptiProfilerInitialize(MUpti_Profiler_Initialize_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerDeInitialize(MUpti_Profiler_DeInitialize_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerCounterDataImageCalculateSize(
    MUpti_Profiler_CounterDataImage_CalculateSize_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerCounterDataImageInitialize(
    MUpti_Profiler_CounterDataImage_Initialize_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerCounterDataImageCalculateScratchBufferSize(
    MUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerCounterDataImageInitializeScratchBuffer(
    MUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerBeginSession(MUpti_Profiler_BeginSession_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerEndSession(MUpti_Profiler_EndSession_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerSetConfig(MUpti_Profiler_SetConfig_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerUnsetConfig(MUpti_Profiler_UnsetConfig_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerBeginPass(MUpti_Profiler_BeginPass_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerEndPass(MUpti_Profiler_EndPass_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerEnableProfiling(MUpti_Profiler_EnableProfiling_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerDisableProfiling(MUpti_Profiler_DisableProfiling_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerIsPassCollected(MUpti_Profiler_IsPassCollected_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerFlushCounterData(MUpti_Profiler_FlushCounterData_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerPushRange(MUpti_Profiler_PushRange_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerPopRange(MUpti_Profiler_PopRange_Params* pParams);
MUptiResult MUPTIAPI muptiProfilerGetCounterAvailability(MUpti_Profiler_GetCounterAvailability_Params* pParams);

#ifdef __cplusplus
}
#endif

#endif
