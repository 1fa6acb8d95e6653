// Copies and fills, by calls of the runtime; addresses are numbers.
#include "base/device_abi.h"
#include "driver.h"

using driver::pointer;
using driver::runtimes;

namespace {

MUresult copy(void* to, const void* from, size_t bytes, musaMemcpyKind kind) {
    return driver::call([=] { return musaMemcpy(to, from, bytes, kind); });
}

MUresult copy_async(void* to, const void* from, size_t bytes, musaMemcpyKind kind, MUstream stream) {
    return driver::call([=] { return musaMemcpyAsync(to, from, bytes, kind, stream); });
}

// A byte of an array, counted row by row. The runtime counts it as a row and an offset in the row.
struct PositionInArray {
    size_t offset = 0;
    size_t row = 0;
};

musaError_t position_in(MUarray array, size_t offset, PositionInArray* position) {
    musaChannelFormatDesc element{};
    musaExtent extent{};
    const musaError_t error = musaArrayGetInfo(&element, &extent, nullptr, runtimes(array));
    if (error != musaSuccess) return error;
    const size_t pitch = extent.width * static_cast<size_t>(element.x + element.y + element.z + element.w) / 8;
    *position = {offset % pitch, offset / pitch};
    return musaSuccess;
}

// Run body(position) as a function of the driver.
template <class Body>
MUresult array_call(MUarray array, size_t offset, Body body) {
    return driver::call([=] {
        PositionInArray position;
        const musaError_t error = position_in(array, offset, &position);
        return error != musaSuccess ? error : body(position);
    });
}

MUresult peer_call(MUcontext to, MUcontext from, musaError_t (*runtime)(void*, int, const void*, int, size_t, MUstream),
                   MUdeviceptr to_address, MUdeviceptr from_address, size_t bytes, MUstream stream) {
    MUdevice to_device = 0, from_device = 0;
    if (!driver::device_of(to, &to_device) || !driver::device_of(from, &from_device)) return MUSA_ERROR_INVALID_CONTEXT;
    return driver::call(
        [=] { return runtime(pointer(to_address), to_device, pointer(from_address), from_device, bytes, stream); });
}

struct Rectangle {
    size_t pitch, width, height;  // the width is in elements
};

template <class Element>
MUresult fill(MUdeviceptr to, Element value, const Rectangle& rectangle, MUstream stream, bool awaited) {
    return driver::call([&] {
        return static_cast<musaError_t>(__musa_sim_fill(pointer(to), rectangle.pitch, value, sizeof value,
                                                        rectangle.width * sizeof value, rectangle.height, stream,
                                                        awaited));
    });
}

template <class Element>
Rectangle line(size_t count) {
    return {count * sizeof(Element), count, 1};
}

}  // namespace

MUSA_EXPORT MUresult muMemcpyHtoD(MUdeviceptr to, const void* from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return copy(pointer(to), from, bytes, musaMemcpyHostToDevice);
}
MUSA_FIRST_NAME(muMemcpyHtoD)

MUSA_EXPORT MUresult muMemcpyDtoH(void* to, MUdeviceptr from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return copy(to, pointer(from), bytes, musaMemcpyDeviceToHost);
}
MUSA_FIRST_NAME(muMemcpyDtoH)

MUSA_EXPORT MUresult muMemcpyDtoD(MUdeviceptr to, MUdeviceptr from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return copy(pointer(to), pointer(from), bytes, musaMemcpyDeviceToDevice);
}
MUSA_FIRST_NAME(muMemcpyDtoD)

MUSA_EXPORT MUresult muMemcpyHtoDAsync(MUdeviceptr to, const void* from, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return copy_async(pointer(to), from, bytes, musaMemcpyHostToDevice, stream);
}
MUSA_FIRST_NAME(muMemcpyHtoDAsync)

MUSA_EXPORT MUresult muMemcpyDtoHAsync(void* to, MUdeviceptr from, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return copy_async(to, pointer(from), bytes, musaMemcpyDeviceToHost, stream);
}
MUSA_FIRST_NAME(muMemcpyDtoHAsync)

MUSA_EXPORT MUresult muMemcpyDtoDAsync(MUdeviceptr to, MUdeviceptr from, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return copy_async(pointer(to), pointer(from), bytes, musaMemcpyDeviceToDevice, stream);
}
MUSA_FIRST_NAME(muMemcpyDtoDAsync)

MUSA_EXPORT MUresult muMemcpy(MUdeviceptr to, MUdeviceptr from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return copy(pointer(to), pointer(from), bytes, musaMemcpyDefault);
}

MUSA_EXPORT MUresult muMemcpyAsync(MUdeviceptr to, MUdeviceptr from, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return copy_async(pointer(to), pointer(from), bytes, musaMemcpyDefault, stream);
}

MUSA_EXPORT MUresult muMemcpyPeer(MUdeviceptr to, MUcontext to_context, MUdeviceptr from, MUcontext from_context,
                                  size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    const auto runtime = [](void* dst, int dst_device, const void* src, int src_device, size_t count, MUstream) {
        return musaMemcpyPeer(dst, dst_device, src, src_device, count);
    };
    return peer_call(to_context, from_context, runtime, to, from, bytes, nullptr);
}

MUSA_EXPORT MUresult muMemcpyPeerAsync(MUdeviceptr to, MUcontext to_context, MUdeviceptr from,
                                       MUcontext from_context, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return peer_call(to_context, from_context, musaMemcpyPeerAsync, to, from, bytes, stream);
}

static_assert(sizeof(MUmemcpyAttributes) == sizeof(musaMemcpyAttributes) && sizeof(MUdeviceptr) == sizeof(void*));

MUSA_EXPORT MUresult muMemcpyBatchAsync(MUdeviceptr* to, MUdeviceptr* from, size_t* bytes, size_t count,
                                        MUmemcpyAttributes* attributes, size_t* attribute_indices,
                                        size_t attribute_count, size_t* failed, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return driver::call([=] {
        return musaMemcpyBatchAsync(reinterpret_cast<void**>(to), reinterpret_cast<void**>(from), bytes, count,
                                    reinterpret_cast<musaMemcpyAttributes*>(attributes), attribute_indices,
                                    attribute_count, failed, stream);
    });
}

MUSA_EXPORT MUresult muMemoryTransferBatchAsync(MUdeviceptr* to, MUdeviceptr* from, size_t* bytes, size_t count,
                                                MUmemcpyAttributes* attributes, size_t* attribute_indices,
                                                size_t attribute_count, size_t* failed, MUstream stream) {
    return muMemcpyBatchAsync(to, from, bytes, count, attributes, attribute_indices, attribute_count, failed, stream);
}

MUSA_EXPORT MUresult muMemcpyDtoA(MUarray to, size_t to_offset, MUdeviceptr from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return array_call(to, to_offset, [=](const PositionInArray& at) {
        return musaMemcpyToArray(runtimes(to), at.offset, at.row, pointer(from), bytes, musaMemcpyDeviceToDevice);
    });
}
MUSA_FIRST_NAME(muMemcpyDtoA)

MUSA_EXPORT MUresult muMemcpyAtoD(MUdeviceptr to, MUarray from, size_t from_offset, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return array_call(from, from_offset, [=](const PositionInArray& at) {
        return musaMemcpyFromArray(pointer(to), runtimes(from), at.offset, at.row, bytes, musaMemcpyDeviceToDevice);
    });
}
MUSA_FIRST_NAME(muMemcpyAtoD)

MUSA_EXPORT MUresult muMemcpyHtoA(MUarray to, size_t to_offset, const void* from, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return array_call(to, to_offset, [=](const PositionInArray& at) {
        return musaMemcpyToArray(runtimes(to), at.offset, at.row, from, bytes, musaMemcpyHostToDevice);
    });
}
MUSA_FIRST_NAME(muMemcpyHtoA)

MUSA_EXPORT MUresult muMemcpyAtoH(void* to, MUarray from, size_t from_offset, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return array_call(from, from_offset, [=](const PositionInArray& at) {
        return musaMemcpyFromArray(to, runtimes(from), at.offset, at.row, bytes, musaMemcpyDeviceToHost);
    });
}
MUSA_FIRST_NAME(muMemcpyAtoH)

MUSA_EXPORT MUresult muMemcpyAtoA(MUarray to, size_t to_offset, MUarray from, size_t from_offset, size_t bytes) {
    const driver::RecordedCall recorded(__func__);
    return array_call(to, to_offset, [=](const PositionInArray& target) {
        PositionInArray source;
        const musaError_t error = position_in(from, from_offset, &source);
        if (error != musaSuccess) return error;
        return musaMemcpyArrayToArray(runtimes(to), target.offset, target.row, runtimes(from), source.offset,
                                      source.row, bytes, musaMemcpyDeviceToDevice);
    });
}
MUSA_FIRST_NAME(muMemcpyAtoA)

MUSA_EXPORT MUresult muMemcpyHtoAAsync(MUarray to, size_t to_offset, const void* from, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return array_call(to, to_offset, [=](const PositionInArray& at) {
        return musaMemcpyToArrayAsync(runtimes(to), at.offset, at.row, from, bytes, musaMemcpyHostToDevice, stream);
    });
}
MUSA_FIRST_NAME(muMemcpyHtoAAsync)

MUSA_EXPORT MUresult muMemcpyAtoHAsync(void* to, MUarray from, size_t from_offset, size_t bytes, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return array_call(from, from_offset, [=](const PositionInArray& at) {
        return musaMemcpyFromArrayAsync(to, runtimes(from), at.offset, at.row, bytes, musaMemcpyDeviceToHost, stream);
    });
}
MUSA_FIRST_NAME(muMemcpyAtoHAsync)

MUSA_EXPORT MUresult muMemsetD8(MUdeviceptr to, unsigned char value, size_t count) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned char>(count), nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD8)

MUSA_EXPORT MUresult muMemsetD8Async(MUdeviceptr to, unsigned char value, size_t count, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned char>(count), stream, false);
}

MUSA_EXPORT MUresult muMemsetD16(MUdeviceptr to, unsigned short value, size_t count) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned short>(count), nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD16)

MUSA_EXPORT MUresult muMemsetD16Async(MUdeviceptr to, unsigned short value, size_t count, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned short>(count), stream, false);
}

MUSA_EXPORT MUresult muMemsetD32(MUdeviceptr to, unsigned int value, size_t count) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned int>(count), nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD32)

MUSA_EXPORT MUresult muMemsetD32Async(MUdeviceptr to, unsigned int value, size_t count, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, line<unsigned int>(count), stream, false);
}

MUSA_EXPORT MUresult muMemsetD2D8(MUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD2D8)

MUSA_EXPORT MUresult muMemsetD2D8Async(MUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                                       size_t height, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, stream, false);
}

MUSA_EXPORT MUresult muMemsetD2D16(MUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD2D16)

MUSA_EXPORT MUresult muMemsetD2D16Async(MUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                        size_t height, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, stream, false);
}

MUSA_EXPORT MUresult muMemsetD2D32(MUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, nullptr, true);
}
MUSA_FIRST_NAME(muMemsetD2D32)

MUSA_EXPORT MUresult muMemsetD2D32Async(MUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                                        size_t height, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return fill(to, value, {pitch, width, height}, stream, false);
}
