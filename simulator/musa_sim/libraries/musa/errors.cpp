// Error codes: the driver's numbers are the runtime's, but for what the driver has no number for.
#include "driver.h"

namespace {

// nullptr if there is no such code.
const char* name_of(MUresult error) {
    switch (error) {
        case MUSA_SUCCESS: return "MUSA_SUCCESS";
        case MUSA_ERROR_INVALID_VALUE: return "MUSA_ERROR_INVALID_VALUE";
        case MUSA_ERROR_OUT_OF_MEMORY: return "MUSA_ERROR_OUT_OF_MEMORY";
        case MUSA_ERROR_NOT_INITIALIZED: return "MUSA_ERROR_NOT_INITIALIZED";
        case MUSA_ERROR_NO_DEVICE: return "MUSA_ERROR_NO_DEVICE";
        case MUSA_ERROR_INVALID_DEVICE: return "MUSA_ERROR_INVALID_DEVICE";
        case MUSA_ERROR_INVALID_IMAGE: return "MUSA_ERROR_INVALID_IMAGE";
        case MUSA_ERROR_INVALID_CONTEXT: return "MUSA_ERROR_INVALID_CONTEXT";
        case MUSA_ERROR_NO_BINARY_FOR_GPU: return "MUSA_ERROR_NO_BINARY_FOR_GPU";
        case MUSA_ERROR_PEER_ACCESS_UNSUPPORTED: return "MUSA_ERROR_PEER_ACCESS_UNSUPPORTED";
        case MUSA_ERROR_FILE_NOT_FOUND: return "MUSA_ERROR_FILE_NOT_FOUND";
        case MUSA_ERROR_OPERATING_SYSTEM: return "MUSA_ERROR_OPERATING_SYSTEM";
        case MUSA_ERROR_INVALID_HANDLE: return "MUSA_ERROR_INVALID_HANDLE";
        case MUSA_ERROR_ILLEGAL_STATE: return "MUSA_ERROR_ILLEGAL_STATE";
        case MUSA_ERROR_NOT_FOUND: return "MUSA_ERROR_NOT_FOUND";
        case MUSA_ERROR_NOT_READY: return "MUSA_ERROR_NOT_READY";
        case MUSA_ERROR_ILLEGAL_ADDRESS: return "MUSA_ERROR_ILLEGAL_ADDRESS";
        case MUSA_ERROR_LAUNCH_OUT_OF_RESOURCES: return "MUSA_ERROR_LAUNCH_OUT_OF_RESOURCES";
        case MUSA_ERROR_LAUNCH_TIMEOUT: return "MUSA_ERROR_LAUNCH_TIMEOUT";
        case MUSA_ERROR_ASSERT: return "MUSA_ERROR_ASSERT";
        case MUSA_ERROR_ILLEGAL_INSTRUCTION: return "MUSA_ERROR_ILLEGAL_INSTRUCTION";
        case MUSA_ERROR_MISALIGNED_ADDRESS: return "MUSA_ERROR_MISALIGNED_ADDRESS";
        case MUSA_ERROR_LAUNCH_FAILED: return "MUSA_ERROR_LAUNCH_FAILED";
        case MUSA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: return "MUSA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE";
        case MUSA_ERROR_NOT_PERMITTED: return "MUSA_ERROR_NOT_PERMITTED";
        case MUSA_ERROR_NOT_SUPPORTED: return "MUSA_ERROR_NOT_SUPPORTED";
        case MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED: return "MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
        case MUSA_ERROR_STREAM_CAPTURE_INVALIDATED: return "MUSA_ERROR_STREAM_CAPTURE_INVALIDATED";
        case MUSA_ERROR_STREAM_CAPTURE_MERGE: return "MUSA_ERROR_STREAM_CAPTURE_MERGE";
        case MUSA_ERROR_STREAM_CAPTURE_UNMATCHED: return "MUSA_ERROR_STREAM_CAPTURE_UNMATCHED";
        case MUSA_ERROR_STREAM_CAPTURE_UNJOINED: return "MUSA_ERROR_STREAM_CAPTURE_UNJOINED";
        case MUSA_ERROR_STREAM_CAPTURE_ISOLATION: return "MUSA_ERROR_STREAM_CAPTURE_ISOLATION";
        case MUSA_ERROR_STREAM_CAPTURE_IMPLICIT: return "MUSA_ERROR_STREAM_CAPTURE_IMPLICIT";
        case MUSA_ERROR_CAPTURED_EVENT: return "MUSA_ERROR_CAPTURED_EVENT";
        case MUSA_ERROR_STREAM_CAPTURE_WRONG_THREAD: return "MUSA_ERROR_STREAM_CAPTURE_WRONG_THREAD";
        case MUSA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: return "MUSA_ERROR_GRAPH_EXEC_UPDATE_FAILURE";
        case MUSA_ERROR_UNKNOWN: return "MUSA_ERROR_UNKNOWN";
    }
    return nullptr;
}

}  // namespace

MUresult driver::result_of(musaError_t error) {
    switch (error) {
        case musaErrorInvalidConfiguration:
        case musaErrorInvalidPitchValue:
        case musaErrorInvalidDevicePointer:
        case musaErrorInvalidHostPointer:
        case musaErrorInvalidMemcpyDirection: return MUSA_ERROR_INVALID_VALUE;
        case musaErrorInvalidSymbol:
        case musaErrorInvalidDeviceFunction: return MUSA_ERROR_NOT_FOUND;
        default: break;
    }
    const auto same = static_cast<MUresult>(error);
    return name_of(same) ? same : MUSA_ERROR_UNKNOWN;
}

MUSA_EXPORT MUresult muGetErrorName(MUresult error, const char** name) {
    if (!name) return MUSA_ERROR_INVALID_VALUE;
    *name = name_of(error);
    return *name ? MUSA_SUCCESS : MUSA_ERROR_INVALID_VALUE;
}

MUSA_EXPORT MUresult muGetErrorString(MUresult error, const char** text) {
    if (!text) return MUSA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? musaGetErrorString(static_cast<musaError_t>(error)) : nullptr;
    return *text ? MUSA_SUCCESS : MUSA_ERROR_INVALID_VALUE;
}
