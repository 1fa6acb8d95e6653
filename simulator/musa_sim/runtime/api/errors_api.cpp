// Names and texts of the error codes, and the functions that report a thread's last error.
#include "base/devices.h"

namespace {

struct ErrorText {
    const char* name;
    const char* text;
};

// A switch, so that the compiler says which code of the enumeration has no text.
ErrorText describe(musaError_t error) {
    switch (error) {
#define MUSA_ERROR(code, text) \
    case code: return {#code, text};
        MUSA_ERROR(musaSuccess, "no error")
        MUSA_ERROR(musaErrorInvalidValue, "invalid argument")
        MUSA_ERROR(musaErrorMemoryAllocation, "out of memory")
        MUSA_ERROR(musaErrorInitializationError, "initialization error")
        MUSA_ERROR(musaErrorInvalidConfiguration, "invalid configuration argument")
        MUSA_ERROR(musaErrorInvalidPitchValue, "invalid pitch argument")
        MUSA_ERROR(musaErrorInvalidSymbol, "invalid device symbol")
        MUSA_ERROR(musaErrorInvalidHostPointer, "invalid host pointer")
        MUSA_ERROR(musaErrorInvalidDevicePointer, "invalid device pointer")
        MUSA_ERROR(musaErrorInvalidTexture, "invalid texture reference")
        MUSA_ERROR(musaErrorInvalidChannelDescriptor, "invalid channel descriptor")
        MUSA_ERROR(musaErrorInvalidFilterSetting, "linear filtering not supported for non-float type")
        MUSA_ERROR(musaErrorInvalidNormSetting, "read as normalized float not supported for 32-bit non float type")
        MUSA_ERROR(musaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")
        MUSA_ERROR(musaErrorInsufficientDriver,
                   "MUSA driver version is insufficient for MUSA runtime version")
        MUSA_ERROR(musaErrorDevicesUnavailable, "all MUSA-capable devices are busy or unavailable")
        MUSA_ERROR(musaErrorMissingConfiguration, "__global__ function call is not configured")
        MUSA_ERROR(musaErrorInvalidDeviceFunction, "invalid device function")
        MUSA_ERROR(musaErrorNoDevice, "no MUSA-capable device is detected")
        MUSA_ERROR(musaErrorInvalidDevice, "invalid device ordinal")
        MUSA_ERROR(musaErrorInvalidKernelImage, "device kernel image is invalid")
        MUSA_ERROR(musaErrorDeviceUninitialized, "invalid device context")
        MUSA_ERROR(musaErrorNoKernelImageForDevice,
                   "no kernel image is available for execution on the device")
        MUSA_ERROR(musaErrorUnsupportedLimit, "limit is not supported on this architecture")
        MUSA_ERROR(musaErrorPeerAccessUnsupported,
                   "peer access is not supported between these two devices")
        MUSA_ERROR(musaErrorInvalidSource, "device kernel image is invalid")
        MUSA_ERROR(musaErrorFileNotFound, "file not found")
        MUSA_ERROR(musaErrorSharedObjectSymbolNotFound, "shared object symbol not found")
        MUSA_ERROR(musaErrorSharedObjectInitFailed, "shared object initialization failed")
        MUSA_ERROR(musaErrorOperatingSystem, "OS call failed or operation not supported on this OS")
        MUSA_ERROR(musaErrorInvalidResourceHandle, "invalid resource handle")
        MUSA_ERROR(musaErrorIllegalState, "the operation cannot be performed in the present state")
        MUSA_ERROR(musaErrorSymbolNotFound, "named symbol not found")
        MUSA_ERROR(musaErrorNotReady, "device not ready")
        MUSA_ERROR(musaErrorIllegalAddress, "an illegal memory access was encountered")
        MUSA_ERROR(musaErrorLaunchOutOfResources, "too many resources requested for launch")
        MUSA_ERROR(musaErrorLaunchTimeout, "the launch timed out and was terminated")
        MUSA_ERROR(musaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")
        MUSA_ERROR(musaErrorPeerAccessNotEnabled, "peer access has not been enabled")
        MUSA_ERROR(musaErrorSetOnActiveProcess, "cannot set while device is active in this process")
        MUSA_ERROR(musaErrorContextIsDestroyed, "context is destroyed")
        MUSA_ERROR(musaErrorAssert, "device-side assert triggered")
        MUSA_ERROR(musaErrorHostMemoryAlreadyRegistered,
                   "part or all of the requested memory range is already mapped")
        MUSA_ERROR(musaErrorHostMemoryNotRegistered,
                   "pointer does not correspond to a registered memory region")
        MUSA_ERROR(musaErrorHardwareStackError, "hardware stack error")
        MUSA_ERROR(musaErrorIllegalInstruction, "an illegal instruction was encountered")
        MUSA_ERROR(musaErrorMisalignedAddress, "misaligned address")
        MUSA_ERROR(musaErrorInvalidAddressSpace,
                   "operation not supported on global/shared address space")
        MUSA_ERROR(musaErrorInvalidPc, "invalid program counter")
        MUSA_ERROR(musaErrorLaunchFailure, "unspecified launch failure")
        MUSA_ERROR(musaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")
        MUSA_ERROR(musaErrorNotPermitted, "operation not permitted")
        MUSA_ERROR(musaErrorNotSupported, "operation not supported")
        MUSA_ERROR(musaErrorSystemNotReady, "system not yet initialized")
        MUSA_ERROR(musaErrorSystemDriverMismatch,
                   "system has unsupported display driver / musa driver combination")
        MUSA_ERROR(musaErrorStreamCaptureUnsupported,
                   "operation not permitted when stream is capturing")
        MUSA_ERROR(musaErrorStreamCaptureInvalidated,
                   "operation failed due to a previous error during capture")
        MUSA_ERROR(musaErrorStreamCaptureMerge,
                   "operation would result in a merge of separate capture sequences")
        MUSA_ERROR(musaErrorStreamCaptureUnmatched,
                   "capture was not ended in the same stream as it began")
        MUSA_ERROR(musaErrorStreamCaptureUnjoined, "capturing stream has unjoined work")
        MUSA_ERROR(musaErrorStreamCaptureIsolation,
                   "dependency created on uncaptured work in another stream")
        MUSA_ERROR(musaErrorStreamCaptureImplicit,
                   "operation would make the legacy stream depend on a capturing blocking stream")
        MUSA_ERROR(musaErrorCapturedEvent,
                   "operation not permitted on an event last recorded in a capturing stream")
        MUSA_ERROR(musaErrorStreamCaptureWrongThread,
                   "attempt to terminate a thread-local capture sequence from another thread")
        MUSA_ERROR(musaErrorTimeout, "wait operation timed out")
        MUSA_ERROR(musaErrorGraphExecUpdateFailure,
                   "the graph update was not performed because it included changes which violated "
                   "constraints specific to instantiated graph update")
        // CUDA 11's, which nothing here returns
        MUSA_ERROR(musaErrorMusartUnloading, "driver shutting down")
        MUSA_ERROR(musaErrorProfilerDisabled,
                   "profiler disabled while using external profiling tool")
        MUSA_ERROR(musaErrorProfilerNotInitialized,
                   "profiler not initialized: call musaProfilerInitialize()")
        MUSA_ERROR(musaErrorProfilerAlreadyStarted, "profiler already started")
        MUSA_ERROR(musaErrorProfilerAlreadyStopped, "profiler already stopped")
        MUSA_ERROR(musaErrorInvalidTextureBinding, "texture is not bound to a pointer")
        MUSA_ERROR(musaErrorAddressOfConstant, "invalid address of constant")
        MUSA_ERROR(musaErrorTextureFetchFailed, "fetch from texture failed")
        MUSA_ERROR(musaErrorTextureNotBound, "cannot fetch from a texture that is not bound")
        MUSA_ERROR(musaErrorSynchronizationError, "incorrect use of __syncthreads()")
        MUSA_ERROR(musaErrorMixedDeviceExecution, "device kernel called for another target")
        MUSA_ERROR(musaErrorNotYetImplemented, "feature not yet implemented")
        MUSA_ERROR(musaErrorMemoryValueTooLarge,
                   "memory size or pointer value too large to fit in 32 bit")
        MUSA_ERROR(musaErrorStubLibrary, "MUSA driver is a stub library")
        MUSA_ERROR(musaErrorCallRequiresNewerDriver,
                   "API call is not supported in the installed MUSA driver")
        MUSA_ERROR(musaErrorInvalidSurface, "invalid surface reference")
        MUSA_ERROR(musaErrorDuplicateVariableName,
                   "duplicate global variable looked up by string name")
        MUSA_ERROR(musaErrorDuplicateTextureName, "duplicate texture looked up by string name")
        MUSA_ERROR(musaErrorDuplicateSurfaceName, "duplicate surface looked up by string name")
        MUSA_ERROR(musaErrorIncompatibleDriverContext, "incompatible driver context")
        MUSA_ERROR(musaErrorPriorLaunchFailure, "unspecified launch failure in prior launch")
        MUSA_ERROR(musaErrorLaunchMaxDepthExceeded,
                   "launch would exceed maximum depth of nested launches")
        MUSA_ERROR(musaErrorLaunchFileScopedTex,
                   "launch failed because kernel uses unsupported, file-scoped textures (texture references)")
        MUSA_ERROR(musaErrorLaunchFileScopedSurf,
                   "launch failed because kernel uses unsupported, file-scoped surfaces (surface references)")
        MUSA_ERROR(musaErrorSyncDepthExceeded,
                   "cannot synchronize on nested launches of this depth")
        MUSA_ERROR(musaErrorLaunchPendingCountExceeded,
                   "launch failed because launch would exceed the pending launch count")
        MUSA_ERROR(musaErrorSoftwareValidityNotEstablished,
                   "integrity checks of the software failed")
        MUSA_ERROR(musaErrorStartupFailure, "startup failure in the MUSA runtime")
        MUSA_ERROR(musaErrorMapBufferObjectFailed, "mapping of buffer object failed")
        MUSA_ERROR(musaErrorUnmapBufferObjectFailed, "unmapping of buffer object failed")
        MUSA_ERROR(musaErrorArrayIsMapped, "array is mapped")
        MUSA_ERROR(musaErrorAlreadyMapped, "resource already mapped")
        MUSA_ERROR(musaErrorAlreadyAcquired, "resource already acquired")
        MUSA_ERROR(musaErrorNotMapped, "resource not mapped")
        MUSA_ERROR(musaErrorNotMappedAsArray, "resource not mapped as array")
        MUSA_ERROR(musaErrorNotMappedAsPointer, "resource not mapped as pointer")
        MUSA_ERROR(musaErrorECCUncorrectable, "uncorrectable ECC error encountered")
        MUSA_ERROR(musaErrorDeviceAlreadyInUse,
                   "exclusive-thread device already in use by a different thread")
        MUSA_ERROR(musaErrorInvalidGraphicsContext, "invalid graphics context")
        MUSA_ERROR(musaErrorJitCompilerNotFound, "JIT compiler library not found")
        MUSA_ERROR(musaErrorLaunchIncompatibleTexturing, "launch uses incompatible texturing mode")
        MUSA_ERROR(musaErrorTooManyPeers, "peer mapping resources exhausted")
        MUSA_ERROR(musaErrorInvalidPtx, "PTX JIT compilation failed")
        MUSA_ERROR(musaErrorMtlinkUncorrectable,
                   "uncorrectable link error detected during the execution")
        MUSA_ERROR(musaErrorUnsupportedPtxVersion,
                   "the provided intermediate code was compiled with an unsupported tool chain")
        MUSA_ERROR(musaErrorJitCompilationDisabled, "JIT compilation was disabled")
        MUSA_ERROR(musaErrorUnsupportedExecAffinity,
                   "the provided execution affinity is not supported")
        MUSA_ERROR(musaErrorUnsupportedDevSideSync,
                   "synchronization in device code is not supported")
        MUSA_ERROR(musaErrorLossyQuery, "the answer has less information than was asked for")
        MUSA_ERROR(musaErrorCompatNotSupportedOnDevice,
                   "forward compatibility was attempted on a device that does not support it")
        MUSA_ERROR(musaErrorMpsConnectionFailed,
                   "MPS client failed to connect to the MPS control daemon or the MPS server")
        MUSA_ERROR(musaErrorMpsRpcFailure,
                   "the remote procedural call between the MPS server and the MPS client failed")
        MUSA_ERROR(musaErrorMpsServerNotReady,
                   "MPS server is not ready to accept new MPS client requests")
        MUSA_ERROR(musaErrorMpsMaxClientsReached,
                   "the hardware resources required to create MPS client have been exhausted")
        MUSA_ERROR(musaErrorMpsMaxConnectionsReached,
                   "the hardware resources required to device connections have been exhausted")
        MUSA_ERROR(musaErrorMpsClientTerminated, "the MPS client has been terminated by the server")
        MUSA_ERROR(musaErrorCdpNotSupported, "launches from kernels are not supported")
        MUSA_ERROR(musaErrorCdpVersionMismatch,
                   "two modules launch kernels from kernels in ways that do not go together")
        MUSA_ERROR(musaErrorExternalDevice,
                   "an async error has occurred in external entity outside of MUSA")
        MUSA_ERROR(musaErrorInvalidClusterSize,
                   "a kernel launch error has occurred due to cluster misconfiguration")
        MUSA_ERROR(musaErrorFunctionNotLoaded, "the function is not loaded")
        MUSA_ERROR(musaErrorInvalidResourceType,
                   "one or more resources passed in are not valid resource types for the operation")
        MUSA_ERROR(musaErrorInvalidResourceConfiguration,
                   "one or more resources are insufficient or non-applicable for the operation")
        MUSA_ERROR(musaErrorUnknown, "unknown error")
        MUSA_ERROR(musaErrorApiFailureBase, "api failure base")
#undef MUSA_ERROR
    }
    return {"unrecognized error code", "unrecognized error code"};
}

// The error a kernel left on the current device has precedence: it stays until the device is reset.
musaError_t visible_error() {
    musa_sim::DeviceTable& table = musa_sim::DeviceTable::instance();
    if (table.status() == musaSuccess) {
        musaError_t error = musa_sim::current().error.load(std::memory_order_relaxed);
        if (error != musaSuccess) return error;
    }
    return musa_sim::last_error();
}

}  // namespace

const char* musaGetErrorName(musaError_t error) { return describe(error).name; }
const char* musaGetErrorString(musaError_t error) { return describe(error).text; }

musaError_t musaPeekAtLastError() { return visible_error(); }

musaError_t musaGetLastError() {
    musaError_t error = visible_error();
    musa_sim::clear_last_error();
    return error;
}
