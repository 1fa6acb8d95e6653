// Queries: the version, error texts, the time, devices, contexts and streams.
#include <musa.h>
#include <musa_runtime_api.h>
#include <time.h>

#include "state.h"

namespace mupti {
namespace {

std::int64_t read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

const char* text_of(MUptiResult result) {
#define RESULT(name) \
    case name: return #name
    switch (result) {
        RESULT(MUPTI_SUCCESS);
        RESULT(MUPTI_ERROR_INVALID_PARAMETER);
        RESULT(MUPTI_ERROR_INVALID_DEVICE);
        RESULT(MUPTI_ERROR_INVALID_CONTEXT);
        RESULT(MUPTI_ERROR_INVALID_EVENT_DOMAIN_ID);
        RESULT(MUPTI_ERROR_INVALID_EVENT_ID);
        RESULT(MUPTI_ERROR_INVALID_EVENT_NAME);
        RESULT(MUPTI_ERROR_INVALID_OPERATION);
        RESULT(MUPTI_ERROR_OUT_OF_MEMORY);
        RESULT(MUPTI_ERROR_HARDWARE);
        RESULT(MUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
        RESULT(MUPTI_ERROR_API_NOT_IMPLEMENTED);
        RESULT(MUPTI_ERROR_MAX_LIMIT_REACHED);
        RESULT(MUPTI_ERROR_NOT_READY);
        RESULT(MUPTI_ERROR_NOT_COMPATIBLE);
        RESULT(MUPTI_ERROR_NOT_INITIALIZED);
        RESULT(MUPTI_ERROR_INVALID_METRIC_ID);
        RESULT(MUPTI_ERROR_INVALID_METRIC_NAME);
        RESULT(MUPTI_ERROR_QUEUE_EMPTY);
        RESULT(MUPTI_ERROR_INVALID_HANDLE);
        RESULT(MUPTI_ERROR_INVALID_STREAM);
        RESULT(MUPTI_ERROR_INVALID_KIND);
        RESULT(MUPTI_ERROR_INVALID_EVENT_VALUE);
        RESULT(MUPTI_ERROR_DISABLED);
        RESULT(MUPTI_ERROR_INVALID_MODULE);
        RESULT(MUPTI_ERROR_INVALID_METRIC_VALUE);
        RESULT(MUPTI_ERROR_HARDWARE_BUSY);
        RESULT(MUPTI_ERROR_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE);
        RESULT(MUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES);
        RESULT(MUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS);
        RESULT(MUPTI_ERROR_CDP_TRACING_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_MUSA_COMPILER_NOT_COMPATIBLE);
        RESULT(MUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
        RESULT(MUPTI_ERROR_OLD_PROFILER_API_INITIALIZED);
        RESULT(MUPTI_ERROR_OPENACC_UNDEFINED_ROUTINE);
        RESULT(MUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
        RESULT(MUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
        RESULT(MUPTI_ERROR_UNKNOWN);
        default: return nullptr;
    }
#undef RESULT
}

// Return the device of a context, or the current device for a null pointer.
MUptiResult device_of(MUcontext context, int* device) {
    if (!context) return musaGetDevice(device) == musaSuccess ? MUPTI_SUCCESS : MUPTI_ERROR_INVALID_CONTEXT;
    if (muCtxPushCurrent(context) != MUSA_SUCCESS) return MUPTI_ERROR_INVALID_CONTEXT;
    const MUresult result = muCtxGetDevice(device);
    muCtxPopCurrent(nullptr);
    return result == MUSA_SUCCESS ? MUPTI_SUCCESS : MUPTI_ERROR_INVALID_CONTEXT;
}

}  // namespace

std::uint64_t timestamp() { return static_cast<std::uint64_t>(read_clock(CLOCK_MONOTONIC)); }

std::int64_t clock_offset() { return read_clock(CLOCK_MONOTONIC) - read_clock(CLOCK_REALTIME); }

}  // namespace mupti

MUPTI_EXPORT muptiGetVersion(uint32_t* version) {
    if (!version) return MUPTI_ERROR_INVALID_PARAMETER;
    *version = MUPTI_API_VERSION;
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiGetResultString(MUptiResult result, const char** str) {
    const char* text = mupti::text_of(result);
    if (!str || !text) return MUPTI_ERROR_INVALID_PARAMETER;
    *str = text;
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiGetErrorMessage(MUptiResult result, const char** str) { return muptiGetResultString(result, str); }

MUPTI_EXPORT muptiGetTimestamp(uint64_t* timestamp) {
    if (!timestamp) return MUPTI_ERROR_INVALID_PARAMETER;
    *timestamp = mupti::timestamp();
    return MUPTI_SUCCESS;
}

MUPTI_EXPORT muptiGetDeviceId(MUcontext context, uint32_t* deviceId) {
    if (!deviceId) return MUPTI_ERROR_INVALID_PARAMETER;
    int device = 0;
    const MUptiResult result = mupti::device_of(context, &device);
    if (result == MUPTI_SUCCESS) *deviceId = static_cast<std::uint32_t>(device);
    return result;
}

MUPTI_EXPORT muptiGetContextId(MUcontext context, uint32_t* contextId) {
    if (!contextId) return MUPTI_ERROR_INVALID_PARAMETER;
    int device = 0;
    const MUptiResult result = mupti::device_of(context, &device);
    if (result == MUPTI_SUCCESS) *contextId = mupti::context_id(device);
    return result;
}

MUPTI_EXPORT muptiGetStreamId(MUcontext, MUstream stream, uint32_t* streamId) {
    if (!streamId) return MUPTI_ERROR_INVALID_PARAMETER;
    int number = 0;
    if (musa_sim_activity_stream(stream, &number) != musaSuccess) return MUPTI_ERROR_INVALID_STREAM;
    *streamId = static_cast<std::uint32_t>(number);
    return MUPTI_SUCCESS;
}
