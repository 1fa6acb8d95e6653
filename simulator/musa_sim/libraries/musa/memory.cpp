// Memory, streams and events: the runtime's, with addresses as numbers.
#include <cstdint>
#include <memory>

#include "base/device_abi.h"

#include "driver.h"

namespace {

void* pointer(MUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

MUresult copy(void* to, const void* from, size_t bytes, musaMemcpyKind kind) {
    return driver::call([=] { return musaMemcpy(to, from, bytes, kind); });
}

MUresult copy_async(void* to, const void* from, size_t bytes, musaMemcpyKind kind, MUstream stream) {
    return driver::call([=] { return musaMemcpyAsync(to, from, bytes, kind, stream); });
}

// The memory that call(address) allocates.
template <class Call>
MUresult allocate(MUdeviceptr* memory, Call runtime) {
    if (!memory) return MUSA_ERROR_INVALID_VALUE;
    void* allocated = nullptr;
    const MUresult status = driver::call([&] { return runtime(&allocated); });
    *memory = reinterpret_cast<std::uintptr_t>(allocated);
    return status;
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

MUSA_EXPORT MUresult muMemAllocPitch(MUdeviceptr* memory, size_t* pitch, size_t width, size_t height,
                                     unsigned int element_bytes) {
    const bool valid = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!valid || width == 0 || height == 0) return MUSA_ERROR_INVALID_VALUE;
    return allocate(memory, [=](void** at) { return musaMallocPitch(at, pitch, width, height); });
}

MUSA_EXPORT MUresult muMemAllocAsync(MUdeviceptr* memory, size_t bytes, MUstream stream) {
    if (bytes == 0) return MUSA_ERROR_INVALID_VALUE;
    return allocate(memory, [=](void** at) { return musaMallocAsync(at, bytes, stream); });
}

MUSA_EXPORT MUresult muMemAllocFromPoolAsync(MUdeviceptr* memory, size_t bytes, MUmemoryPool pool, MUstream stream) {
    if (bytes == 0) return MUSA_ERROR_INVALID_VALUE;
    return allocate(memory, [=](void** at) { return musaMallocFromPoolAsync(at, bytes, pool, stream); });
}

MUSA_EXPORT MUresult muMemFreeAsync(MUdeviceptr memory, MUstream stream) {
    return driver::call([=] { return musaFreeAsync(pointer(memory), stream); });
}

MUSA_EXPORT MUresult muDeviceGetDefaultMemPool(MUmemoryPool* pool, MUdevice device) {
    return driver::call([=] { return musaDeviceGetDefaultMemPool(pool, device); });
}

MUSA_EXPORT MUresult muDeviceGetMemPool(MUmemoryPool* pool, MUdevice device) {
    return driver::call([=] { return musaDeviceGetMemPool(pool, device); });
}

MUSA_EXPORT MUresult muDeviceSetMemPool(MUdevice device, MUmemoryPool pool) {
    return driver::call([=] { return musaDeviceSetMemPool(device, pool); });
}

MUSA_EXPORT MUresult muMemPoolDestroy(MUmemoryPool pool) {
    return driver::call([=] { return musaMemPoolDestroy(pool); });
}

MUSA_EXPORT MUresult muMemPoolTrimTo(MUmemoryPool pool, size_t bytes_to_keep) {
    return driver::call([=] { return musaMemPoolTrimTo(pool, bytes_to_keep); });
}

MUSA_EXPORT MUresult muMemPoolSetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value) {
    return driver::call(
        [=] { return musaMemPoolSetAttribute(pool, static_cast<musaMemPoolAttr>(attribute), value); });
}

MUSA_EXPORT MUresult muMemPoolGetAttribute(MUmemoryPool pool, MUmemPool_attribute attribute, void* value) {
    return driver::call(
        [=] { return musaMemPoolGetAttribute(pool, static_cast<musaMemPoolAttr>(attribute), value); });
}

MUSA_EXPORT MUresult muMemPrefetchAsync(MUdeviceptr memory, size_t count, MUdevice device, MUstream stream) {
    return driver::call([=] { return musaMemPrefetchAsync(pointer(memory), count, device, stream); });
}

MUSA_EXPORT MUresult muMemAdvise(MUdeviceptr memory, size_t count, MUmem_advise advice, MUdevice device) {
    return driver::call(
        [=] { return musaMemAdvise(pointer(memory), count, static_cast<musaMemoryAdvise>(advice), device); });
}

MUSA_EXPORT MUresult muMemRangeGetAttribute(void* data, size_t size, MUmem_range_attribute attribute,
                                            MUdeviceptr memory, size_t count) {
    return driver::call([=] {
        return musaMemRangeGetAttribute(data, size, static_cast<musaMemRangeAttribute>(attribute), pointer(memory),
                                        count);
    });
}

MUSA_EXPORT MUresult muProfilerStart(void) {
    return driver::call([] { return musaProfilerStart(); });
}

MUSA_EXPORT MUresult muProfilerStop(void) {
    return driver::call([] { return musaProfilerStop(); });
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
