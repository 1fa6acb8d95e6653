// Allocating, copying and filling memory.
//
// Copies are checked against the table of allocations: a copy that runs past the end of one, or
// whose direction says "device" where the address is ordinary host memory, is refused, although the
// simulator could carry it out.
#include <cstring>

#include "devices.h"
#include "memory.h"
#include "registry.h"
#include "streams.h"

using musa_sim::Allocation;
using musa_sim::check_stream;
using musa_sim::current;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;

namespace {

// A rectangle of bytes; a plain range has one row.
struct Region {
    std::size_t pitch;
    std::size_t width;
    std::size_t height;

    std::size_t extent() const { return pitch * (height - 1) + width; }
    bool empty() const { return width == 0 || height == 0; }
};

enum class Side { any, host, device };

Side destination_side(musaMemcpyKind kind) {
    switch (kind) {
        case musaMemcpyHostToHost:
        case musaMemcpyDeviceToHost: return Side::host;
        case musaMemcpyHostToDevice:
        case musaMemcpyDeviceToDevice: return Side::device;
        case musaMemcpyDefault: return Side::any;
    }
    return Side::any;
}

Side source_side(musaMemcpyKind kind) {
    switch (kind) {
        case musaMemcpyHostToHost:
        case musaMemcpyHostToDevice: return Side::host;
        case musaMemcpyDeviceToHost:
        case musaMemcpyDeviceToDevice: return Side::device;
        case musaMemcpyDefault: return Side::any;
    }
    return Side::any;
}

bool is_copy_kind(musaMemcpyKind kind) {
    return kind >= musaMemcpyHostToHost && kind <= musaMemcpyDefault;
}

// Host memory is not told apart from device memory on the host side: managed, pinned and registered
// memory are both.
musaError_t check_range(const void* pointer, std::size_t size, Side side) {
    if (!pointer) return musaErrorInvalidValue;
    Allocation allocation;
    const char* begin = nullptr;
    if (!MemoryTable::instance().find(pointer, &allocation, &begin)) {
        return side == Side::device ? musaErrorInvalidValue : musaSuccess;
    }
    // Registered memory is a part of something larger that the host owns.
    if (allocation.kind == MemoryKind::registered) return musaSuccess;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - begin);
    return size <= allocation.size - offset ? musaSuccess : musaErrorInvalidValue;
}

musaError_t copy(void* dst, const Region& to, const void* src, const Region& from,
                 musaMemcpyKind kind) {
    if (!is_copy_kind(kind)) return musaErrorInvalidMemcpyDirection;
    if (to.empty()) return musaSuccess;
    if (to.height > 1 && (to.width > to.pitch || from.width > from.pitch))
        return musaErrorInvalidPitchValue;
    musaError_t error = check_range(dst, to.extent(), destination_side(kind));
    if (error == musaSuccess) error = check_range(src, from.extent(), source_side(kind));
    if (error != musaSuccess) return error;
    for (std::size_t row = 0; row < to.height; ++row) {
        std::memmove(static_cast<char*>(dst) + row * to.pitch,
                     static_cast<const char*>(src) + row * from.pitch, to.width);
    }
    return musaSuccess;
}

musaError_t copy(void* dst, const void* src, std::size_t count, musaMemcpyKind kind) {
    const Region line{count, count, 1};
    return copy(dst, line, src, line, kind);
}

musaError_t fill(void* dst, const Region& region, int value) {
    if (region.empty()) return musaSuccess;
    if (region.height > 1 && region.width > region.pitch) return musaErrorInvalidPitchValue;
    musaError_t error = check_range(dst, region.extent(), Side::device);
    if (error != musaSuccess) return error;
    for (std::size_t row = 0; row < region.height; ++row) {
        std::memset(static_cast<char*>(dst) + row * region.pitch, value, region.width);
    }
    return musaSuccess;
}

template <class Body>
musaError_t stream_call(musaStream_t stream, Body&& body) {
    return device_call([&] {
        musaError_t error = check_stream(stream);
        return error != musaSuccess ? error : body();
    });
}

musaError_t allocate(void** pointer, std::size_t size, MemoryKind kind) {
    return device_call([&] { return MemoryTable::instance().allocate(pointer, size, kind); });
}

// The address and size of a device variable, entered into the table so that copies can be checked.
musaError_t find_symbol(const void* symbol, void** address, std::size_t* size) {
    musaError_t error =
        musa_sim::Registry::instance().find_variable(symbol, current_device(), address, size);
    if (error != musaSuccess) return error;
    MemoryTable::instance().add(*address, {*size, MemoryKind::variable, current_device()});
    return musaSuccess;
}

bool contains_range(std::size_t size, std::size_t offset, std::size_t count) {
    return offset <= size && count <= size - offset;
}

}  // namespace

musaError_t musaMalloc(void** devPtr, size_t size) {
    return allocate(devPtr, size, MemoryKind::device);
}

musaError_t musaFree(void* devPtr) {
    return device_call([&] {
        return MemoryTable::instance().release(devPtr, MemoryKind::device, MemoryKind::managed);
    });
}

musaError_t musaMallocAsync(void** devPtr, size_t size, musaStream_t stream) {
    return stream_call(
        stream, [&] { return MemoryTable::instance().allocate(devPtr, size, MemoryKind::device); });
}

musaError_t musaFreeAsync(void* devPtr, musaStream_t stream) {
    return stream_call(stream, [&] {
        return MemoryTable::instance().release(devPtr, MemoryKind::device, MemoryKind::device);
    });
}

musaError_t musaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
    return device_call([&] {
        if (flags != musaMemAttachGlobal && flags != musaMemAttachHost)
            return musaErrorInvalidValue;
        return MemoryTable::instance().allocate(devPtr, size, MemoryKind::managed);
    });
}

musaError_t musaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
    return device_call([&] {
        if (!pitch) return musaErrorInvalidValue;
        constexpr std::size_t row_alignment = 512;
        *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
        std::size_t size = 0;
        if (__builtin_mul_overflow(*pitch, height, &size)) return musaErrorMemoryAllocation;
        return MemoryTable::instance().allocate(devPtr, size, MemoryKind::device);
    });
}

musaError_t musaMallocHost(void** ptr, size_t size) {
    return allocate(ptr, size, MemoryKind::pinned);
}

musaError_t musaHostAlloc(void** ptr, size_t size, unsigned int flags) {
    return device_call([&] {
        constexpr unsigned known =
            musaHostAllocPortable | musaHostAllocMapped | musaHostAllocWriteCombined;
        if ((flags & ~known) != 0) return musaErrorInvalidValue;
        return MemoryTable::instance().allocate(ptr, size, MemoryKind::pinned);
    });
}

musaError_t musaFreeHost(void* ptr) {
    return device_call([&] {
        return MemoryTable::instance().release(ptr, MemoryKind::pinned, MemoryKind::pinned);
    });
}

musaError_t musaHostRegister(void* ptr, size_t size, unsigned int flags) {
    return device_call([&] {
        constexpr unsigned known = musaHostRegisterPortable | musaHostRegisterMapped;
        if (!ptr || size == 0 || (flags & ~known) != 0) return musaErrorInvalidValue;
        return MemoryTable::instance().add(ptr, {size, MemoryKind::registered, current_device()});
    });
}

musaError_t musaHostUnregister(void* ptr) {
    return device_call([&] { return MemoryTable::instance().remove(ptr, MemoryKind::registered); });
}

musaError_t musaHostGetDevicePointer(void** devPtr, void* hostPtr, unsigned int flags) {
    return device_call([&] {
        if (!devPtr || flags != 0) return musaErrorInvalidValue;
        Allocation allocation;
        const char* begin = nullptr;
        if (!MemoryTable::instance().find(hostPtr, &allocation, &begin))
            return musaErrorInvalidValue;
        if (allocation.kind != MemoryKind::pinned && allocation.kind != MemoryKind::registered) {
            return musaErrorInvalidValue;
        }
        *devPtr = hostPtr;
        return musaSuccess;
    });
}

musaError_t musaMemGetInfo(size_t* freeBytes, size_t* totalBytes) {
    return device_call([&] {
        if (!freeBytes || !totalBytes) return musaErrorInvalidValue;
        *totalBytes = current().total_memory;
        *freeBytes = current().total_memory - current().used_memory;
        return musaSuccess;
    });
}

musaError_t musaPointerGetAttributes(musaPointerAttributes* attributes, const void* ptr) {
    return device_call([&] {
        if (!attributes) return musaErrorInvalidValue;
        void* pointer = const_cast<void*>(ptr);
        Allocation allocation;
        const char* begin = nullptr;
        if (!MemoryTable::instance().find(ptr, &allocation, &begin)) {
            *attributes = {musaMemoryTypeUnregistered, musaInvalidDeviceId, nullptr, pointer};
            return musaSuccess;
        }
        switch (allocation.kind) {
            case MemoryKind::device:
            case MemoryKind::variable:
                *attributes = {musaMemoryTypeDevice, allocation.device, pointer, nullptr};
                break;
            case MemoryKind::managed:
                *attributes = {musaMemoryTypeManaged, allocation.device, pointer, pointer};
                break;
            case MemoryKind::pinned:
            case MemoryKind::registered:
                *attributes = {musaMemoryTypeHost, allocation.device, pointer, pointer};
                break;
        }
        return musaSuccess;
    });
}

musaError_t musaMemcpy(void* dst, const void* src, size_t count, musaMemcpyKind kind) {
    return device_call([&] { return copy(dst, src, count, kind); });
}

musaError_t musaMemcpyAsync(void* dst, const void* src, size_t count, musaMemcpyKind kind,
                            musaStream_t stream) {
    return stream_call(stream, [&] { return copy(dst, src, count, kind); });
}

musaError_t musaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, musaMemcpyKind kind) {
    return musaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, nullptr);
}

musaError_t musaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, musaMemcpyKind kind,
                              musaStream_t stream) {
    return stream_call(stream, [&] {
        return copy(dst, Region{dpitch, width, height}, src, Region{spitch, width, height}, kind);
    });
}

musaError_t musaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
    return musaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, nullptr);
}

musaError_t musaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, musaStream_t stream) {
    return stream_call(stream, [&] {
        const DeviceTable& table = DeviceTable::instance();
        if (!table.contains(dstDevice) || !table.contains(srcDevice)) return musaErrorInvalidDevice;
        return copy(dst, src, count, musaMemcpyDeviceToDevice);
    });
}

musaError_t musaMemset(void* devPtr, int value, size_t count) {
    return device_call([&] { return fill(devPtr, Region{count, count, 1}, value); });
}

musaError_t musaMemsetAsync(void* devPtr, int value, size_t count, musaStream_t stream) {
    return stream_call(stream, [&] { return fill(devPtr, Region{count, count, 1}, value); });
}

musaError_t musaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
    return device_call([&] { return fill(devPtr, Region{pitch, width, height}, value); });
}

musaError_t musaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                              musaStream_t stream) {
    return stream_call(stream, [&] { return fill(devPtr, Region{pitch, width, height}, value); });
}

musaError_t musaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               musaMemcpyKind kind) {
    return musaMemcpyToSymbolAsync(symbol, src, count, offset, kind, nullptr);
}

musaError_t musaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, musaMemcpyKind kind, musaStream_t stream) {
    return stream_call(stream, [&] {
        void* address = nullptr;
        std::size_t size = 0;
        musaError_t error = find_symbol(symbol, &address, &size);
        if (error != musaSuccess) return error;
        if (!contains_range(size, offset, count)) return musaErrorInvalidValue;
        if (destination_side(kind) == Side::host) return musaErrorInvalidMemcpyDirection;
        return copy(static_cast<char*>(address) + offset, src, count, kind);
    });
}

musaError_t musaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 musaMemcpyKind kind) {
    return musaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, nullptr);
}

musaError_t musaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      musaMemcpyKind kind, musaStream_t stream) {
    return stream_call(stream, [&] {
        void* address = nullptr;
        std::size_t size = 0;
        musaError_t error = find_symbol(symbol, &address, &size);
        if (error != musaSuccess) return error;
        if (!contains_range(size, offset, count)) return musaErrorInvalidValue;
        if (source_side(kind) == Side::host) return musaErrorInvalidMemcpyDirection;
        return copy(dst, static_cast<char*>(address) + offset, count, kind);
    });
}

musaError_t musaGetSymbolAddress(void** devPtr, const void* symbol) {
    return device_call([&] {
        if (!devPtr) return musaErrorInvalidValue;
        std::size_t size = 0;
        return find_symbol(symbol, devPtr, &size);
    });
}

musaError_t musaGetSymbolSize(size_t* size, const void* symbol) {
    return device_call([&] {
        if (!size) return musaErrorInvalidValue;
        void* address = nullptr;
        return find_symbol(symbol, &address, size);
    });
}
