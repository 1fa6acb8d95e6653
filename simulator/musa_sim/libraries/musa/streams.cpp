// Streams and events, by calls of the runtime.
#include <memory>

#include "driver.h"

MUSA_EXPORT MUresult muStreamCreate(MUstream* stream, unsigned int flags) {
    return driver::call([=] { return musaStreamCreateWithFlags(stream, flags); });
}

MUSA_EXPORT MUresult muStreamDestroy(MUstream stream) {
    return driver::call([=] { return musaStreamDestroy(stream); });
}
MUSA_FIRST_NAME(muStreamDestroy)

MUSA_EXPORT MUresult muStreamSynchronize(MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return musaStreamSynchronize(stream); });
}

MUSA_EXPORT MUresult muStreamQuery(MUstream stream) {
    return driver::call([=] { return musaStreamQuery(stream); });
}

MUSA_EXPORT MUresult muStreamWaitEvent(MUstream stream, MUevent event, unsigned int flags) {
    return driver::call([=] { return musaStreamWaitEvent(stream, event, flags); });
}

MUSA_EXPORT MUresult muEventCreate(MUevent* event, unsigned int flags) {
    return driver::call([=] { return musaEventCreateWithFlags(event, flags); });
}

MUSA_EXPORT MUresult muEventDestroy(MUevent event) {
    return driver::call([=] { return musaEventDestroy(event); });
}
MUSA_FIRST_NAME(muEventDestroy)

MUSA_EXPORT MUresult muEventRecord(MUevent event, MUstream stream) {
    return driver::call([=] { return musaEventRecord(event, stream); });
}

MUSA_EXPORT MUresult muEventSynchronize(MUevent event) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return musaEventSynchronize(event); });
}

MUSA_EXPORT MUresult muEventQuery(MUevent event) {
    return driver::call([=] { return musaEventQuery(event); });
}

MUSA_EXPORT MUresult muEventElapsedTime(float* milliseconds, MUevent start, MUevent end) {
    return driver::call([=] { return musaEventElapsedTime(milliseconds, start, end); });
}

MUSA_EXPORT MUresult muEventElapsedTime_v2(float* milliseconds, MUevent start, MUevent end) {
    return muEventElapsedTime(milliseconds, start, end);
}

MUSA_EXPORT MUresult muStreamGetDevice(MUstream stream, MUdevice* device) {
    if (!device) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] { return musaStreamGetDevice(stream, device); });
}

MUSA_EXPORT MUresult muStreamCreateWithPriority(MUstream* stream, unsigned int flags, int priority) {
    return driver::call([=] { return musaStreamCreateWithPriority(stream, flags, priority); });
}

MUSA_EXPORT MUresult muStreamGetPriority(MUstream stream, int* priority) {
    return driver::call([=] { return musaStreamGetPriority(stream, priority); });
}

MUSA_EXPORT MUresult muStreamGetFlags(MUstream stream, unsigned int* flags) {
    return driver::call([=] { return musaStreamGetFlags(stream, flags); });
}

MUSA_EXPORT MUresult muStreamGetId(MUstream stream, unsigned long long* id) {
    return driver::call([=] { return musaStreamGetId(stream, id); });
}

MUSA_EXPORT MUresult muStreamGetCtx(MUstream stream, MUcontext* context) {
    if (!context) return MUSA_ERROR_INVALID_VALUE;
    int device = 0;
    const MUresult status = driver::call([&] { return musaStreamGetDevice(stream, &device); });
    return status == MUSA_SUCCESS ? driver::primary_context(device, context) : status;
}

static_assert(sizeof(MUstreamAttrValue) == sizeof(musaStreamAttrValue));

MUSA_EXPORT MUresult muStreamGetAttribute(MUstream stream, MUstreamAttrID attribute, MUstreamAttrValue* value) {
    return driver::call([=] {
        return musaStreamGetAttribute(stream, static_cast<musaStreamAttrID>(attribute),
                                      reinterpret_cast<musaStreamAttrValue*>(value));
    });
}

MUSA_EXPORT MUresult muStreamSetAttribute(MUstream stream, MUstreamAttrID attribute,
                                          const MUstreamAttrValue* value) {
    return driver::call([=] {
        return musaStreamSetAttribute(stream, static_cast<musaStreamAttrID>(attribute),
                                      reinterpret_cast<const musaStreamAttrValue*>(value));
    });
}

MUSA_EXPORT MUresult muStreamCopyAttributes(MUstream to, MUstream from) {
    return driver::call([=] { return musaStreamCopyAttributes(to, from); });
}

MUSA_EXPORT MUresult muStreamAttachMemAsync(MUstream stream, MUdeviceptr memory, size_t length, unsigned int flags) {
    return driver::call([=] { return musaStreamAttachMemAsync(stream, driver::pointer(memory), length, flags); });
}

// The callback receives the driver's code for earlier errors.
MUSA_EXPORT MUresult muStreamAddCallback(MUstream stream, MUstreamCallback callback, void* data, unsigned int flags) {
    const driver::RecordedCall recorded(__func__);
    if (!callback) return MUSA_ERROR_INVALID_VALUE;
    struct Call {
        MUstreamCallback callback;
        void* data;
    };
    auto given = std::make_unique<Call>(Call{callback, data});
    const auto in_words = [](musaStream_t of, musaError_t error, void* call) {
        const std::unique_ptr<Call> mine(static_cast<Call*>(call));
        mine->callback(of, driver::result_of(error), mine->data);
    };
    const MUresult status =
        driver::call([&] { return musaStreamAddCallback(stream, in_words, given.get(), flags); });
    if (status == MUSA_SUCCESS) given.release();
    return status;
}

MUSA_EXPORT MUresult muLaunchHostFunc(MUstream stream, MUhostFn function, void* data) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return musaLaunchHostFunc(stream, function, data); });
}

MUSA_EXPORT MUresult muEventRecordWithFlags(MUevent event, MUstream stream, unsigned int flags) {
    return driver::call([=] { return musaEventRecordWithFlags(event, stream, flags); });
}
