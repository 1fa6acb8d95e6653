// Memory, streams and events: the runtime's, with addresses as numbers.
#include <cstdint>
#include <memory>

#include <device_abi.h>

#include "driver.h"

namespace {

void* pointer(MUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

MUresult copy(void* to, const void* from, size_t bytes, musaMemcpyKind kind) {
    return driver::call([=] { return musaMemcpy(to, from, bytes, kind); });
}

MUresult copy_async(void* to, const void* from, size_t bytes, musaMemcpyKind kind, MUstream stream) {
    return driver::call([=] { return musaMemcpyAsync(to, from, bytes, kind, stream); });
}

struct Fill {
    unsigned* to;
    unsigned value;
    size_t count;

    static void run(void* data) {
        const auto* fill = static_cast<const Fill*>(data);
        for (size_t i = 0; i < fill->count; ++i) fill->to[i] = fill->value;
    }
    static void discard(void* data) { delete static_cast<Fill*>(data); }
};

}  // namespace

MUSA_EXPORT MUresult muMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    return driver::call([=] { return musaMemGetInfo(free_bytes, total_bytes); });
}

MUSA_EXPORT MUresult muMemAlloc(MUdeviceptr* memory, size_t bytes) {
    if (!memory || bytes == 0) return MUSA_ERROR_INVALID_VALUE;
    void* allocated = nullptr;
    const MUresult status = driver::call([&] { return musaMalloc(&allocated, bytes); });
    *memory = reinterpret_cast<std::uintptr_t>(allocated);
    return status;
}

MUSA_EXPORT MUresult muMemFree(MUdeviceptr memory) {
    return driver::call([=] { return musaFree(pointer(memory)); });
}

MUSA_EXPORT MUresult muMemAllocHost(void** memory, size_t bytes) {
    return driver::call([=] { return musaMallocHost(memory, bytes); });
}

MUSA_EXPORT MUresult muMemFreeHost(void* memory) {
    return driver::call([=] { return musaFreeHost(memory); });
}

MUSA_EXPORT MUresult muMemAllocManaged(MUdeviceptr* memory, size_t bytes, unsigned int flags) {
    if (!memory || bytes == 0) return MUSA_ERROR_INVALID_VALUE;
    void* allocated = nullptr;
    const MUresult status = driver::call([&] { return musaMallocManaged(&allocated, bytes, flags); });
    *memory = reinterpret_cast<std::uintptr_t>(allocated);
    return status;
}

MUSA_EXPORT MUresult muMemcpyHtoD(MUdeviceptr to, const void* from, size_t bytes) {
    return copy(pointer(to), from, bytes, musaMemcpyHostToDevice);
}

MUSA_EXPORT MUresult muMemcpyDtoH(void* to, MUdeviceptr from, size_t bytes) {
    return copy(to, pointer(from), bytes, musaMemcpyDeviceToHost);
}

MUSA_EXPORT MUresult muMemcpyDtoD(MUdeviceptr to, MUdeviceptr from, size_t bytes) {
    return copy(pointer(to), pointer(from), bytes, musaMemcpyDeviceToDevice);
}

MUSA_EXPORT MUresult muMemcpyHtoDAsync(MUdeviceptr to, const void* from, size_t bytes, MUstream stream) {
    return copy_async(pointer(to), from, bytes, musaMemcpyHostToDevice, stream);
}

MUSA_EXPORT MUresult muMemcpyDtoHAsync(void* to, MUdeviceptr from, size_t bytes, MUstream stream) {
    return copy_async(to, pointer(from), bytes, musaMemcpyDeviceToHost, stream);
}

MUSA_EXPORT MUresult muMemcpyDtoDAsync(MUdeviceptr to, MUdeviceptr from, size_t bytes, MUstream stream) {
    return copy_async(pointer(to), pointer(from), bytes, musaMemcpyDeviceToDevice, stream);
}

MUSA_EXPORT MUresult muMemsetD8(MUdeviceptr to, unsigned char value, size_t count) {
    return driver::call([=] { return musaMemset(pointer(to), value, count); });
}

MUSA_EXPORT MUresult muMemsetD8Async(MUdeviceptr to, unsigned char value, size_t count, MUstream stream) {
    return driver::call([=] { return musaMemsetAsync(pointer(to), value, count, stream); });
}

MUSA_EXPORT MUresult muMemsetD32Async(MUdeviceptr to, unsigned int value, size_t count, MUstream stream) {
    if (to % sizeof value != 0) return MUSA_ERROR_INVALID_VALUE;
    auto fill = std::make_unique<Fill>(Fill{static_cast<unsigned*>(pointer(to)), value, count});
    const MUresult status = driver::call([&] {
        return static_cast<musaError_t>(
            __musa_sim_launch_library_work(stream, Fill::run, Fill::discard, fill.get(), "muMemsetD32"));
    });
    if (status == MUSA_SUCCESS) fill.release();
    return status;
}

MUSA_EXPORT MUresult muMemsetD32(MUdeviceptr to, unsigned int value, size_t count) {
    const MUresult status = muMemsetD32Async(to, value, count, nullptr);
    return status == MUSA_SUCCESS ? muStreamSynchronize(nullptr) : status;
}

MUSA_EXPORT MUresult muStreamCreate(MUstream* stream, unsigned int flags) {
    return driver::call([=] { return musaStreamCreateWithFlags(stream, flags); });
}

MUSA_EXPORT MUresult muStreamDestroy(MUstream stream) {
    return driver::call([=] { return musaStreamDestroy(stream); });
}

MUSA_EXPORT MUresult muStreamSynchronize(MUstream stream) {
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

MUSA_EXPORT MUresult muEventRecord(MUevent event, MUstream stream) {
    return driver::call([=] { return musaEventRecord(event, stream); });
}

MUSA_EXPORT MUresult muEventSynchronize(MUevent event) {
    return driver::call([=] { return musaEventSynchronize(event); });
}

MUSA_EXPORT MUresult muEventQuery(MUevent event) {
    return driver::call([=] { return musaEventQuery(event); });
}

MUSA_EXPORT MUresult muEventElapsedTime(float* milliseconds, MUevent start, MUevent end) {
    return driver::call([=] { return musaEventElapsedTime(milliseconds, start, end); });
}
