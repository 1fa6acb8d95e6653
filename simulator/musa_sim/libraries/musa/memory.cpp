// Allocations, pools and advice, by calls of the runtime; addresses are numbers.
#include <cstdint>
#include <cstring>

#include "driver.h"

using driver::pointer;

namespace {

// Return the memory that call(address) allocates.
template <class Call>
MUresult allocate(MUdeviceptr* memory, Call runtime) {
    if (!memory) return MUSA_ERROR_INVALID_VALUE;
    void* allocated = nullptr;
    const MUresult status = driver::call([&] { return runtime(&allocated); });
    *memory = reinterpret_cast<std::uintptr_t>(allocated);
    return status;
}

// Convert a handle between the APIs: its bytes are the same.
template <class To, class From>
To same_handle(const From& handle) {
    static_assert(sizeof(To) == sizeof(From), "handles of both APIs have one size");
    To copy;
    std::memcpy(&copy, &handle, sizeof copy);
    return copy;
}

}  // namespace

MUSA_EXPORT MUresult muMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    return driver::call([=] { return musaMemGetInfo(free_bytes, total_bytes); });
}
MUSA_FIRST_NAME(muMemGetInfo)

MUSA_EXPORT MUresult muMemAlloc(MUdeviceptr* memory, size_t bytes) {
    if (!memory || bytes == 0) return MUSA_ERROR_INVALID_VALUE;
    void* allocated = nullptr;
    const MUresult status = driver::call([&] { return musaMalloc(&allocated, bytes); });
    *memory = reinterpret_cast<std::uintptr_t>(allocated);
    return status;
}
MUSA_FIRST_NAME(muMemAlloc)

MUSA_EXPORT MUresult muMemFree(MUdeviceptr memory) {
    return driver::call([=] { return musaFree(pointer(memory)); });
}
MUSA_FIRST_NAME(muMemFree)

MUSA_EXPORT MUresult muMemAllocHost(void** memory, size_t bytes) {
    return driver::call([=] { return musaMallocHost(memory, bytes); });
}
MUSA_FIRST_NAME(muMemAllocHost)

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

MUSA_EXPORT MUresult muMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
    return driver::call([=] { return musaHostAlloc(memory, bytes, flags); });
}

MUSA_EXPORT MUresult muMemHostRegister(void* memory, size_t bytes, unsigned int flags) {
    return driver::call([=] { return musaHostRegister(memory, bytes, flags); });
}
MUSA_FIRST_NAME(muMemHostRegister)

MUSA_EXPORT MUresult muMemHostUnregister(void* memory) {
    return driver::call([=] { return musaHostUnregister(memory); });
}

MUSA_EXPORT MUresult muMemHostGetDevicePointer(MUdeviceptr* device, void* memory, unsigned int flags) {
    return allocate(device, [=](void** at) { return musaHostGetDevicePointer(at, memory, flags); });
}
MUSA_FIRST_NAME(muMemHostGetDevicePointer)

MUSA_EXPORT MUresult muMemHostGetFlags(unsigned int* flags, void* memory) {
    return driver::call([=] { return musaHostGetFlags(flags, memory); });
}

MUSA_EXPORT MUresult muIpcGetMemHandle(MUipcMemHandle* handle, MUdeviceptr memory) {
    return driver::call(
        [=] { return musaIpcGetMemHandle(reinterpret_cast<musaIpcMemHandle_t*>(handle), pointer(memory)); });
}

MUSA_EXPORT MUresult muIpcOpenMemHandle(MUdeviceptr* memory, MUipcMemHandle handle, unsigned int flags) {
    return allocate(
        memory, [=](void** at) { return musaIpcOpenMemHandle(at, same_handle<musaIpcMemHandle_t>(handle), flags); });
}
MUSA_FIRST_NAME(muIpcOpenMemHandle)

MUSA_EXPORT MUresult muIpcGetEventHandle(MUipcEventHandle* handle, MUevent event) {
    return driver::call([=] { return musaIpcGetEventHandle(reinterpret_cast<musaIpcEventHandle_t*>(handle), event); });
}

MUSA_EXPORT MUresult muIpcOpenEventHandle(MUevent* event, MUipcEventHandle handle) {
    return driver::call([=] { return musaIpcOpenEventHandle(event, same_handle<musaIpcEventHandle_t>(handle)); });
}

MUSA_EXPORT MUresult muIpcCloseMemHandle(MUdeviceptr memory) {
    return driver::call([=] { return musaIpcCloseMemHandle(pointer(memory)); });
}

MUSA_EXPORT MUresult muMemAllocPitch(MUdeviceptr* memory, size_t* pitch, size_t width, size_t height,
                                     unsigned int element_bytes) {
    const bool valid = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
    if (!valid || width == 0 || height == 0) return MUSA_ERROR_INVALID_VALUE;
    return allocate(memory, [=](void** at) { return musaMallocPitch(at, pitch, width, height); });
}
MUSA_FIRST_NAME(muMemAllocPitch)

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

static_assert(sizeof(MUmemPoolProps) == sizeof(musaMemPoolProps));
static_assert(sizeof(MUmemAccessDesc) == sizeof(musaMemAccessDesc) && sizeof(MUmemLocation) == sizeof(musaMemLocation));

MUSA_EXPORT MUresult muMemPoolCreate(MUmemoryPool* pool, const MUmemPoolProps* properties) {
    return driver::call(
        [=] { return musaMemPoolCreate(pool, reinterpret_cast<const musaMemPoolProps*>(properties)); });
}

MUSA_EXPORT MUresult muMemPoolSetAccess(MUmemoryPool pool, const MUmemAccessDesc* descriptions, size_t count) {
    return driver::call([=] {
        return musaMemPoolSetAccess(pool, reinterpret_cast<const musaMemAccessDesc*>(descriptions), count);
    });
}

MUSA_EXPORT MUresult muMemPoolGetAccess(MUmemAccess_flags* flags, MUmemoryPool pool, MUmemLocation* location) {
    return driver::call([=] {
        return musaMemPoolGetAccess(reinterpret_cast<musaMemAccessFlags*>(flags), pool,
                                    reinterpret_cast<musaMemLocation*>(location));
    });
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

static_assert(sizeof(MUmemPoolPtrExportData) == sizeof(musaMemPoolPtrExportData));

MUSA_EXPORT MUresult muMemPoolExportToShareableHandle(void* handle, MUmemoryPool pool, MUmemAllocationHandleType type,
                                                      unsigned long long flags) {
    return driver::call([=] {
        return musaMemPoolExportToShareableHandle(handle, pool, static_cast<musaMemAllocationHandleType>(type),
                                                  flags != 0);
    });
}

MUSA_EXPORT MUresult muMemPoolImportFromShareableHandle(MUmemoryPool* pool, void* handle, MUmemAllocationHandleType type,
                                                        unsigned long long flags) {
    return driver::call([=] {
        return musaMemPoolImportFromShareableHandle(pool, handle, static_cast<musaMemAllocationHandleType>(type),
                                                    flags != 0);
    });
}

MUSA_EXPORT MUresult muMemPoolExportPointer(MUmemPoolPtrExportData* data, MUdeviceptr pointer) {
    return driver::call([=] {
        return musaMemPoolExportPointer(reinterpret_cast<musaMemPoolPtrExportData*>(data),
                                        reinterpret_cast<void*>(pointer));
    });
}

MUSA_EXPORT MUresult muMemPoolImportPointer(MUdeviceptr* pointer, MUmemoryPool pool, MUmemPoolPtrExportData* data) {
    return driver::call([=] {
        return musaMemPoolImportPointer(reinterpret_cast<void**>(pointer), pool,
                                        reinterpret_cast<musaMemPoolPtrExportData*>(data));
    });
}

MUSA_EXPORT MUresult muMemPrefetchAsync(MUdeviceptr memory, size_t count, MUdevice device, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] { return musaMemPrefetchAsync(pointer(memory), count, device, stream); });
}

MUSA_EXPORT MUresult muMemAdvise(MUdeviceptr memory, size_t count, MUmem_advise advice, MUdevice device) {
    return driver::call(
        [=] { return musaMemAdvise(pointer(memory), count, static_cast<musaMemoryAdvise>(advice), device); });
}

static_assert(sizeof(MUmemLocation) == sizeof(musaMemLocation));

MUSA_EXPORT MUresult muMemPrefetchAsync_v2(MUdeviceptr memory, size_t count, MUmemLocation location, unsigned int flags,
                                           MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    const musaMemLocation same{static_cast<musaMemLocationType>(location.type), location.id};
    return driver::call([=] { return musaMemPrefetchAsync_v2(pointer(memory), count, same, flags, stream); });
}

MUSA_EXPORT MUresult muMemAdvise_v2(MUdeviceptr memory, size_t count, MUmem_advise advice, MUmemLocation location) {
    const musaMemLocation same{static_cast<musaMemLocationType>(location.type), location.id};
    return driver::call(
        [=] { return musaMemAdvise_v2(pointer(memory), count, static_cast<musaMemoryAdvise>(advice), same); });
}

MUSA_EXPORT MUresult muMemRangeGetAttribute(void* data, size_t size, MUmem_range_attribute attribute,
                                            MUdeviceptr memory, size_t count) {
    return driver::call([=] {
        return musaMemRangeGetAttribute(data, size, static_cast<musaMemRangeAttribute>(attribute), pointer(memory),
                                        count);
    });
}

MUSA_EXPORT MUresult muMemRangeGetAttributes(void** data, size_t* sizes, MUmem_range_attribute* attributes,
                                             size_t attribute_count, MUdeviceptr memory, size_t count) {
    return driver::call([=] {
        return musaMemRangeGetAttributes(data, sizes, reinterpret_cast<musaMemRangeAttribute*>(attributes),
                                         attribute_count, pointer(memory), count);
    });
}

MUSA_EXPORT MUresult muProfilerStart(void) {
    return driver::call([] { return musaProfilerStart(); });
}

MUSA_EXPORT MUresult muProfilerStop(void) {
    return driver::call([] { return musaProfilerStop(); });
}
