// Arrays, and copies of rectangles and boxes, by calls of the runtime.
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "driver.h"

using driver::address;
using driver::describe;
using driver::format_of;
using driver::runtimes;

bool driver::describe(MUarray_format format, unsigned channels, musaChannelFormatDesc* element) {
    if (channels != 1 && channels != 2 && channels != 4) return false;
    int bits = 0;
    switch (format) {
        case MU_AD_FORMAT_UNSIGNED_INT8:
        case MU_AD_FORMAT_SIGNED_INT8: bits = 8; break;
        case MU_AD_FORMAT_UNSIGNED_INT16:
        case MU_AD_FORMAT_SIGNED_INT16:
        case MU_AD_FORMAT_HALF: bits = 16; break;
        case MU_AD_FORMAT_UNSIGNED_INT32:
        case MU_AD_FORMAT_SIGNED_INT32:
        case MU_AD_FORMAT_FLOAT: bits = 32; break;
        default: return false;
    }
    const bool is_signed = format == MU_AD_FORMAT_SIGNED_INT8 || format == MU_AD_FORMAT_SIGNED_INT16 ||
                           format == MU_AD_FORMAT_SIGNED_INT32;
    const bool is_float = format == MU_AD_FORMAT_HALF || format == MU_AD_FORMAT_FLOAT;
    *element = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0,
                is_float    ? musaChannelFormatKindFloat
                : is_signed ? musaChannelFormatKindSigned
                            : musaChannelFormatKindUnsigned};
    return true;
}

MUarray_format driver::format_of(const musaChannelFormatDesc& element) {
    const bool is_signed = element.f == musaChannelFormatKindSigned;
    switch (element.x) {
        case 8: return is_signed ? MU_AD_FORMAT_SIGNED_INT8 : MU_AD_FORMAT_UNSIGNED_INT8;
        case 16:
            if (element.f == musaChannelFormatKindFloat) return MU_AD_FORMAT_HALF;
            return is_signed ? MU_AD_FORMAT_SIGNED_INT16 : MU_AD_FORMAT_UNSIGNED_INT16;
        default:
            if (element.f == musaChannelFormatKindFloat) return MU_AD_FORMAT_FLOAT;
            return is_signed ? MU_AD_FORMAT_SIGNED_INT32 : MU_AD_FORMAT_UNSIGNED_INT32;
    }
}

unsigned driver::channels_of(const musaChannelFormatDesc& element) { return element.w ? 4 : element.y ? 2 : 1; }

namespace {

// One end of a copy.
struct End {
    size_t x, y, z, lod;
    MUmemorytype type;
    const void* host;
    MUdeviceptr device;
    MUarray array;
    size_t pitch, height;
};

// An end of a copy as the runtime describes it. In linear memory, the position is part of the address.
struct Position {
    musaArray_t array = nullptr;
    musaPos at{};
    musaPitchedPtr linear{};
    size_t element = 1;
};

musaError_t position_of(const End& end, size_t width, size_t height, Position* position) {
    if (end.lod != 0) return musaErrorInvalidValue;
    if (end.type == MU_MEMORYTYPE_ARRAY) {
        musaChannelFormatDesc element{};
        const musaError_t error = musaArrayGetInfo(&element, nullptr, nullptr, runtimes(end.array));
        if (error != musaSuccess) return error;
        position->element = static_cast<size_t>(element.x + element.y + element.z + element.w) / 8;
        if (end.x % position->element != 0) return musaErrorInvalidValue;
        position->array = runtimes(end.array);
        position->at = {end.x / position->element, end.y, end.z};
        return musaSuccess;
    }
    const bool is_host = end.type == MU_MEMORYTYPE_HOST;
    if (!is_host && end.type != MU_MEMORYTYPE_DEVICE && end.type != MU_MEMORYTYPE_UNIFIED) return musaErrorInvalidValue;
    const auto base = is_host ? reinterpret_cast<std::uintptr_t>(end.host) : static_cast<std::uintptr_t>(end.device);
    const size_t pitch = end.pitch ? end.pitch : end.x + width;
    const size_t rows = end.height ? end.height : end.y + height;
    if (base == 0 || pitch < end.x + width || rows < end.y + height) return musaErrorInvalidValue;
    position->linear = {reinterpret_cast<void*>(base + (end.z * rows + end.y) * pitch + end.x), pitch, width, rows};
    return musaSuccess;
}

musaMemcpyKind kind_of(MUmemorytype from, MUmemorytype to) {
    if (from == MU_MEMORYTYPE_UNIFIED || to == MU_MEMORYTYPE_UNIFIED) return musaMemcpyDefault;
    const bool from_host = from == MU_MEMORYTYPE_HOST, to_host = to == MU_MEMORYTYPE_HOST;
    if (from_host) return to_host ? musaMemcpyHostToHost : musaMemcpyHostToDevice;
    return to_host ? musaMemcpyDeviceToHost : musaMemcpyDeviceToDevice;
}

}  // namespace

musaError_t driver::runtime_copy(const MUSA_MEMCPY3D& box, musaMemcpy3DParms* same) {
    const End from{box.srcXInBytes, box.srcY,      box.srcZ,     box.srcLOD,   box.srcMemoryType,
                   box.srcHost,     box.srcDevice, box.srcArray, box.srcPitch, box.srcHeight};
    const End to{box.dstXInBytes, box.dstY,      box.dstZ,     box.dstLOD,   box.dstMemoryType,
                 box.dstHost,     box.dstDevice, box.dstArray, box.dstPitch, box.dstHeight};
    Position source, target;
    musaError_t error = position_of(from, box.WidthInBytes, box.Height, &source);
    if (error == musaSuccess) error = position_of(to, box.WidthInBytes, box.Height, &target);
    if (error != musaSuccess) return error;
    const size_t element = source.array ? source.element : target.element;
    const bool mixed = source.array && target.array && source.element != target.element;
    if (mixed || box.WidthInBytes % element != 0) return musaErrorInvalidValue;
    *same = {};
    same->srcArray = source.array;
    same->srcPos = source.at;
    same->srcPtr = source.linear;
    same->dstArray = target.array;
    same->dstPos = target.at;
    same->dstPtr = target.linear;
    same->extent = {box.WidthInBytes / element, box.Height, box.Depth};
    same->kind = kind_of(box.srcMemoryType, box.dstMemoryType);
    return musaSuccess;
}

namespace {

// Convert an end of a copy from the runtime's description to the driver's; its elements are bytes.
End driver_end(musaArray_t array, const musaPos& at, const musaPitchedPtr& linear, bool is_host, size_t element) {
    if (array) {
        return {at.x * element, at.y, at.z, 0, MU_MEMORYTYPE_ARRAY, nullptr, 0, reinterpret_cast<MUarray>(array), 0, 0};
    }
    return {at.x,
            at.y,
            at.z,
            0,
            is_host ? MU_MEMORYTYPE_HOST : MU_MEMORYTYPE_DEVICE,
            is_host ? linear.ptr : nullptr,
            is_host ? 0 : address(linear.ptr),
            nullptr,
            linear.pitch,
            linear.ysize};
}

size_t element_of(musaArray_t array) {
    musaChannelFormatDesc element{};
    if (!array || musaArrayGetInfo(&element, nullptr, nullptr, array) != musaSuccess) return 1;
    return static_cast<size_t>(element.x + element.y + element.z + element.w) / 8;
}

}  // namespace

MUSA_MEMCPY3D driver::driver_copy(const musaMemcpy3DParms& copy) {
    const size_t element = element_of(copy.srcArray ? copy.srcArray : copy.dstArray);
    const bool from_host = copy.kind == musaMemcpyHostToDevice || copy.kind == musaMemcpyHostToHost;
    const bool to_host = copy.kind == musaMemcpyDeviceToHost || copy.kind == musaMemcpyHostToHost;
    End from = driver_end(copy.srcArray, copy.srcPos, copy.srcPtr, from_host, element);
    End to = driver_end(copy.dstArray, copy.dstPos, copy.dstPtr, to_host, element);
    if (copy.kind == musaMemcpyDefault) {
        for (End* end : {&from, &to}) {
            if (!end->array) end->type = MU_MEMORYTYPE_UNIFIED;
        }
    }
    return {from.x,    from.y,       from.z,   from.lod, from.type, from.host, from.device, from.array, nullptr,
            from.pitch, from.height, to.x,     to.y,     to.z,      to.lod,    to.type,     const_cast<void*>(to.host),
            to.device, to.array,     nullptr,  to.pitch, to.height, copy.extent.width * element, copy.extent.height,
            copy.extent.depth};
}

namespace {

// `stream`: nullptr for a copy that is complete on return.
musaError_t copy_box(const MUSA_MEMCPY3D& box, const MUstream* stream) {
    if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return musaSuccess;
    musaMemcpy3DParms same{};
    const musaError_t error = driver::runtime_copy(box, &same);
    if (error != musaSuccess) return error;
    return stream ? musaMemcpy3DAsync(&same, *stream) : musaMemcpy3D(&same);
}

// The addresses determine the devices; the contexts only have to be valid.
MUresult copy_box_of_peers(const MUSA_MEMCPY3D_PEER* copy, const MUstream* stream) {
    MUdevice from = 0, to = 0;
    if (!copy) return MUSA_ERROR_INVALID_VALUE;
    if (!driver::device_of(copy->srcContext, &from) || !driver::device_of(copy->dstContext, &to))
        return MUSA_ERROR_INVALID_CONTEXT;
    static_assert(sizeof(MUSA_MEMCPY3D_PEER) == sizeof(MUSA_MEMCPY3D));
    MUSA_MEMCPY3D box;
    std::memcpy(&box, copy, sizeof box);
    box.reserved0 = box.reserved1 = nullptr;
    return driver::call([&] { return copy_box(box, stream); });
}

musaError_t copy_rectangle(const MUSA_MEMCPY2D& rectangle, const MUstream* stream) {
    MUSA_MEMCPY3D box{};
    box.srcXInBytes = rectangle.srcXInBytes;
    box.srcY = rectangle.srcY;
    box.srcMemoryType = rectangle.srcMemoryType;
    box.srcHost = rectangle.srcHost;
    box.srcDevice = rectangle.srcDevice;
    box.srcArray = rectangle.srcArray;
    box.srcPitch = rectangle.srcPitch;
    box.dstXInBytes = rectangle.dstXInBytes;
    box.dstY = rectangle.dstY;
    box.dstMemoryType = rectangle.dstMemoryType;
    box.dstHost = rectangle.dstHost;
    box.dstDevice = rectangle.dstDevice;
    box.dstArray = rectangle.dstArray;
    box.dstPitch = rectangle.dstPitch;
    box.WidthInBytes = rectangle.WidthInBytes;
    box.Height = rectangle.Height;
    box.Depth = 1;
    return copy_box(box, stream);
}

}  // namespace

MUSA_EXPORT MUresult muArray3DCreate(MUarray* array, const MUSA_ARRAY3D_DESCRIPTOR* description) {
    musaChannelFormatDesc element{};
    if (!array || !description || !describe(description->Format, description->NumChannels, &element))
        return MUSA_ERROR_INVALID_VALUE;
    musaArray_t made = nullptr;
    const musaExtent extent{description->Width, description->Height, description->Depth};
    const MUresult status =
        driver::call([&] { return musaMalloc3DArray(&made, &element, extent, description->Flags); });
    *array = reinterpret_cast<MUarray>(made);
    return status;
}
MUSA_FIRST_NAME(muArray3DCreate)

MUSA_EXPORT MUresult muArrayCreate(MUarray* array, const MUSA_ARRAY_DESCRIPTOR* description) {
    if (!description) return MUSA_ERROR_INVALID_VALUE;
    const MUSA_ARRAY3D_DESCRIPTOR same{description->Width, description->Height, 0, description->Format,
                                       description->NumChannels, 0};
    return muArray3DCreate(array, &same);
}
MUSA_FIRST_NAME(muArrayCreate)

MUSA_EXPORT MUresult muArray3DGetDescriptor(MUSA_ARRAY3D_DESCRIPTOR* description, MUarray array) {
    if (!description) return MUSA_ERROR_INVALID_VALUE;
    musaChannelFormatDesc element{};
    musaExtent extent{};
    unsigned flags = 0;
    const MUresult status =
        driver::call([&] { return musaArrayGetInfo(&element, &extent, &flags, runtimes(array)); });
    if (status != MUSA_SUCCESS) return status;
    const unsigned channels = driver::channels_of(element);
    *description = {extent.width, extent.height, extent.depth, format_of(element), channels, flags};
    return status;
}
MUSA_FIRST_NAME(muArray3DGetDescriptor)

MUSA_EXPORT MUresult muArrayGetDescriptor(MUSA_ARRAY_DESCRIPTOR* description, MUarray array) {
    if (!description) return MUSA_ERROR_INVALID_VALUE;
    MUSA_ARRAY3D_DESCRIPTOR same{};
    const MUresult status = muArray3DGetDescriptor(&same, array);
    if (status == MUSA_SUCCESS) *description = {same.Width, same.Height, same.Format, same.NumChannels};
    return status;
}
MUSA_FIRST_NAME(muArrayGetDescriptor)

MUSA_EXPORT MUresult muArrayDestroy(MUarray array) {
    return driver::call([=] { return musaFreeArray(runtimes(array)); });
}

MUSA_EXPORT MUresult muMipmappedArrayCreate(MUmipmappedArray* mipmapped, const MUSA_ARRAY3D_DESCRIPTOR* description,
                                            unsigned int levels) {
    musaChannelFormatDesc element{};
    if (!mipmapped || !description || !describe(description->Format, description->NumChannels, &element))
        return MUSA_ERROR_INVALID_VALUE;
    musaMipmappedArray_t made = nullptr;
    const musaExtent extent{description->Width, description->Height, description->Depth};
    const MUresult status = driver::call(
        [&] { return musaMallocMipmappedArray(&made, &element, extent, levels, description->Flags); });
    if (status == MUSA_SUCCESS) *mipmapped = reinterpret_cast<MUmipmappedArray>(made);
    return status;
}

MUSA_EXPORT MUresult muMipmappedArrayGetLevel(MUarray* array, MUmipmappedArray mipmapped, unsigned int level) {
    if (!array) return MUSA_ERROR_INVALID_VALUE;
    musaArray_t found = nullptr;
    const MUresult status =
        driver::call([&] { return musaGetMipmappedArrayLevel(&found, runtimes(mipmapped), level); });
    if (status == MUSA_SUCCESS) *array = reinterpret_cast<MUarray>(found);
    return status;
}

MUSA_EXPORT MUresult muMipmappedArrayDestroy(MUmipmappedArray mipmapped) {
    return driver::call([=] { return musaFreeMipmappedArray(runtimes(mipmapped)); });
}

MUSA_EXPORT MUresult muMemcpy2D(const MUSA_MEMCPY2D* copy) {
    const driver::RecordedCall recorded(__func__);
    if (!copy) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] { return copy_rectangle(*copy, nullptr); });
}
MUSA_FIRST_NAME(muMemcpy2D)

MUSA_EXPORT MUresult muMemcpy2DUnaligned(const MUSA_MEMCPY2D* copy) {
    const driver::RecordedCall recorded(__func__);
    return muMemcpy2D(copy);
}
MUSA_FIRST_NAME(muMemcpy2DUnaligned)

MUSA_EXPORT MUresult muMemcpy2DAsync(const MUSA_MEMCPY2D* copy, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    if (!copy) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] { return copy_rectangle(*copy, &stream); });
}
MUSA_FIRST_NAME(muMemcpy2DAsync)

MUSA_EXPORT MUresult muMemcpy3D(const MUSA_MEMCPY3D* copy) {
    const driver::RecordedCall recorded(__func__);
    if (!copy) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] { return copy_box(*copy, nullptr); });
}
MUSA_FIRST_NAME(muMemcpy3D)

MUSA_EXPORT MUresult muMemcpy3DAsync(const MUSA_MEMCPY3D* copy, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    if (!copy) return MUSA_ERROR_INVALID_VALUE;
    return driver::call([=] { return copy_box(*copy, &stream); });
}
MUSA_FIRST_NAME(muMemcpy3DAsync)

MUSA_EXPORT MUresult muMemcpy3DPeer(const MUSA_MEMCPY3D_PEER* copy) {
    const driver::RecordedCall recorded(__func__);
    return copy_box_of_peers(copy, nullptr);
}

MUSA_EXPORT MUresult muMemcpy3DPeerAsync(const MUSA_MEMCPY3D_PEER* copy, MUstream stream) {
    const driver::RecordedCall recorded(__func__);
    return copy_box_of_peers(copy, &stream);
}
