// Boxes of memory and arrays: allocating them, copying from and to them, filling them.
#include <algorithm>
#include <cstdio>

#include "base/devices.h"
#include "memory/arrays.h"
#include "memory/memory_table.h"
#include "streams/activity.h"
#include "streams/allocations.h"
#include "streams/boxes.h"
#include "streams/capture.h"
#include "streams/copies.h"

using musa_sim::ActivityCall;
using musa_sim::allocate_with_retry;
using musa_sim::Array;
using musa_sim::box_in_array;
using musa_sim::BoxCopy;
using musa_sim::bytes_of;
using musa_sim::Call;
using musa_sim::check_kind;
using musa_sim::copy;
using musa_sim::default_stream_call;
using musa_sim::device_call;
using musa_sim::DeviceTable;
using musa_sim::fill;
using musa_sim::find_array;
using musa_sim::fits;
using musa_sim::live_arrays;
using musa_sim::live_mipmapped_arrays;
using musa_sim::MemoryBox;
using musa_sim::MemoryKind;
using musa_sim::MemoryTable;
using musa_sim::Region;
using musa_sim::stream_call;
using musa_sim::StreamQueues;
using musa_sim::Target;
using musa_sim::unsafe_call;

namespace {

// Layers, and the faces of cube maps, are counted in the third dimension.
bool is_layered_extent(const musaExtent& e, unsigned flags) {
    using namespace musa_sim;
    if (e.width == 0 || e.width > max_array_layered || e.height > max_array_layered) return false;
    if (flags & musaArrayCubemap) {
        const bool layers = flags & musaArrayLayered ? e.depth > 0 && e.depth % 6 == 0 : e.depth == 6;
        return e.width == e.height && layers && e.depth <= max_layers;
    }
    return e.depth > 0 && e.depth <= max_layers;
}

// No dimension without the ones before it.
bool is_extent(const musaExtent& e, unsigned flags) {
    using namespace musa_sim;
    if (flags & (musaArrayLayered | musaArrayCubemap)) return is_layered_extent(e, flags);
    if (e.width == 0 || (e.height == 0 && e.depth != 0)) return false;
    if (flags & musaArrayTextureGather)
        return e.height != 0 && e.depth == 0 && e.width <= max_array_layered && e.height <= max_array_layered;
    if (e.height == 0) return e.width <= max_array_1d;
    if (e.depth == 0) return e.width <= max_array_2d[0] && e.height <= max_array_2d[1];
    return e.width <= max_array_3d && e.height <= max_array_3d && e.depth <= max_array_3d;
}

musaError_t allocate_array(musaArray_t* array, const musaChannelFormatDesc* desc,
                           const musaExtent& extent, unsigned flags) {
    if (!array || !desc) return musaErrorInvalidValue;
    const int components = musa_sim::components_of(*desc);
    if (components == 0) return musaErrorInvalidChannelDescriptor;
    constexpr unsigned simulated =
        musaArraySurfaceLoadStore | musaArrayLayered | musaArrayCubemap | musaArrayTextureGather;
    if ((flags & ~simulated) != 0) {
        std::fprintf(stderr, "[musa-sim] arrays that are sparse or shared with graphics (flags 0x%x) are not simulated\n",
                     flags);
        return musaErrorNotSupported;
    }
    if (!is_extent(extent, flags)) return musaErrorInvalidValue;
    musaArray made{*desc,  extent, flags, musa_sim::current_device(),
                   static_cast<std::size_t>(desc->x / 8 * components), nullptr};
    void* data = nullptr;
    const musaError_t error = allocate_with_retry(&data, made.bytes(), MemoryKind::device);
    if (error != musaSuccess) return error;
    made.data = static_cast<char*>(data);
    *array = live_arrays().add(made);
    return musaSuccess;
}

musaError_t free_array(musaArray_t handle) {
    const Array found = live_arrays().remove(handle);
    if (!found) return musaErrorInvalidResourceHandle;
    return MemoryTable::instance().release(found->data, MemoryKind::device, MemoryKind::device);
}

// No side is shorter than one element; a missing one stays missing.
std::size_t halved(std::size_t side, unsigned level) { return side ? std::max<std::size_t>(side >> level, 1) : 0; }

musaExtent extent_of_level(const musaExtent& base, unsigned flags, unsigned level) {
    const bool keeps_depth = flags & (musaArrayLayered | musaArrayCubemap);
    return {halved(base.width, level), halved(base.height, level),
            keeps_depth ? base.depth : halved(base.depth, level)};
}

// As many as it takes until all sides are one element long.
unsigned most_levels(const musaExtent& base, unsigned flags) {
    unsigned levels = 1;
    const auto has_more = [&](const musaExtent& e) {
        const bool is_deep = e.depth > 1 && !(flags & (musaArrayLayered | musaArrayCubemap));
        return e.width > 1 || e.height > 1 || is_deep;
    };
    while (has_more(extent_of_level(base, flags, levels - 1))) ++levels;
    return levels;
}

musaError_t allocate_levels(musaMipmappedArray_t* mipmapped, const musaChannelFormatDesc* desc,
                            const musaExtent& extent, unsigned levels, unsigned flags) {
    const bool is_box = extent.depth != 0;  // with layers too: a box's own limits are no larger
    if (!mipmapped || (!is_box && std::max(extent.width, extent.height) > musa_sim::max_array_layered))
        return musaErrorInvalidValue;
    musaMipmappedArray made;
    levels = std::clamp(levels, 1u, most_levels(extent, flags));
    for (unsigned level = 0; level < levels; ++level) {
        musaArray_t array = nullptr;
        const musaError_t error = allocate_array(&array, desc, extent_of_level(extent, flags, level), flags);
        if (error != musaSuccess) {
            for (musaArray_t before : made.levels) free_array(before);
            return error;
        }
        live_arrays().find(array)->is_level = true;
        made.levels.push_back(array);
    }
    *mipmapped = live_mipmapped_arrays().add(std::move(made));
    return musaSuccess;
}

musaError_t copy_box(const Target& target, Call call, const musaMemcpy3DParms* p) {
    BoxCopy box;
    const musaError_t error = musa_sim::resolve(p, &box);
    if (error != musaSuccess) return error;
    return copy(target, call, box.to.begin, box.to.region, box.from.begin, box.from.region, p->kind);
}

// Addresses identify devices; the numbers only have to be right.
musaError_t copy_box_of_peers(const Target& target, Call call, const musaMemcpy3DPeerParms* p) {
    if (!p) return musaErrorInvalidValue;
    const DeviceTable& table = DeviceTable::instance();
    if (!table.contains(p->srcDevice) || !table.contains(p->dstDevice)) return musaErrorInvalidDevice;
    if (call == Call::synchronous) {
        StreamQueues::instance().synchronize_device(p->dstDevice);
        StreamQueues::instance().synchronize_device(p->srcDevice);
    }
    const musaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                 p->dstPos,   p->dstPtr, p->extent, musaMemcpyDeviceToDevice};
    const musaError_t error = copy_box(target, call, &same);
    if (call == Call::synchronous) StreamQueues::instance().synchronize(target.queue);
    return error;
}

musaError_t copy_to_array(const Target& target, Call call, musaArray_t handle, std::size_t offset, std::size_t row,
                          const void* src, std::size_t pitch, std::size_t width, std::size_t height,
                          musaMemcpyKind kind) {
    const Array array = find_array(handle);
    if (!array) return musaErrorInvalidResourceHandle;
    MemoryBox box;
    musaError_t error = check_kind(array, nullptr, kind);
    if (error == musaSuccess) error = box_in_array(*array, offset, row, 0, width, height, 1, &box);
    if (error != musaSuccess) return error;
    return copy(target, call, box.begin, box.region, src, {pitch, width, height}, kind);
}

musaError_t copy_from_array(const Target& target, Call call, void* dst, std::size_t pitch, musaArray_const_t handle,
                            std::size_t offset, std::size_t row, std::size_t width, std::size_t height,
                            musaMemcpyKind kind) {
    const Array array = find_array(handle);
    if (!array) return musaErrorInvalidResourceHandle;
    MemoryBox box;
    musaError_t error = check_kind(nullptr, array, kind);
    if (error == musaSuccess) error = box_in_array(*array, offset, row, 0, width, height, 1, &box);
    if (error != musaSuccess) return error;
    return copy(target, call, dst, {pitch, width, height}, box.begin, box.region, kind);
}

// `count` bytes, row after row, from a position in the array on.
musaError_t line_in_array(musaArray_const_t handle, std::size_t offset, std::size_t row, std::size_t count,
                          char** begin) {
    const Array array = find_array(handle);
    if (!array) return musaErrorInvalidResourceHandle;
    if (offset >= array->pitch() || row >= array->height()) return musaErrorInvalidValue;
    const std::size_t at = row * array->pitch() + offset;
    if (!fits(at, count, array->slice())) return musaErrorInvalidValue;
    *begin = array->data + at;
    return musaSuccess;
}

musaError_t copy_line_to_array(const Target& target, Call call, musaArray_t array, std::size_t offset,
                               std::size_t row, const void* src, std::size_t count, musaMemcpyKind kind) {
    char* begin = nullptr;
    musaError_t error = line_in_array(array, offset, row, count, &begin);
    if (error == musaSuccess) error = check_kind(find_array(array), nullptr, kind);
    return error != musaSuccess ? error : copy(target, call, begin, src, count, kind);
}

musaError_t copy_line_from_array(const Target& target, Call call, void* dst, musaArray_const_t array,
                                 std::size_t offset, std::size_t row, std::size_t count, musaMemcpyKind kind) {
    char* begin = nullptr;
    musaError_t error = line_in_array(array, offset, row, count, &begin);
    if (error == musaSuccess) error = check_kind(nullptr, find_array(array), kind);
    return error != musaSuccess ? error : copy(target, call, dst, begin, count, kind);
}

Region region_of(const musaPitchedPtr& pointer, const musaExtent& extent) {
    return {pointer.pitch, extent.width, extent.height, pointer.pitch * pointer.ysize, extent.depth};
}

}  // namespace

musaError_t musaMalloc3D(musaPitchedPtr* pitchedDevPtr, musaExtent extent) {
    return unsafe_call([&] {
        if (!pitchedDevPtr) return musaErrorInvalidValue;
        const std::size_t pitch = MemoryTable::rounded(extent.width);
        std::size_t rows = 0, size = 0;
        if (__builtin_mul_overflow(extent.height, extent.depth, &rows) ||
            __builtin_mul_overflow(pitch, rows, &size))
            return musaErrorMemoryAllocation;
        void* data = nullptr;
        const musaError_t error = allocate_with_retry(&data, size, MemoryKind::device);
        if (error == musaSuccess) *pitchedDevPtr = {data, pitch, extent.width, extent.height};
        return error;
    });
}

musaChannelFormatDesc musaCreateChannelDesc(int x, int y, int z, int w, musaChannelFormatKind f) {
    return {x, y, z, w, f};
}

musaError_t musaMallocArray(musaArray_t* array, const musaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned int flags) {
    return unsafe_call([&] { return allocate_array(array, desc, {width, height, 0}, flags); });
}

musaError_t musaMalloc3DArray(musaArray_t* array, const musaChannelFormatDesc* desc, musaExtent extent,
                              unsigned int flags) {
    return unsafe_call([&] { return allocate_array(array, desc, extent, flags); });
}

musaError_t musaFreeArray(musaArray_t array) {
    return unsafe_call([&] {
        if (!array) return musaSuccess;
        const Array found = find_array(array);
        if (!found) return musaErrorInvalidResourceHandle;
        if (found->is_level) return musaErrorInvalidValue;
        musa_sim::wait_for_users_of_memory();
        return free_array(array);
    });
}

musaError_t musaMallocMipmappedArray(musaMipmappedArray_t* mipmappedArray, const musaChannelFormatDesc* desc,
                                     musaExtent extent, unsigned int numLevels, unsigned int flags) {
    return unsafe_call([&] { return allocate_levels(mipmappedArray, desc, extent, numLevels, flags); });
}

musaError_t musaGetMipmappedArrayLevel(musaArray_t* levelArray, musaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level) {
    return device_call([&] {
        const auto found = live_mipmapped_arrays().find(const_cast<musaMipmappedArray_t>(mipmappedArray));
        if (!found) return musaErrorInvalidResourceHandle;
        if (!levelArray || level >= found->levels.size()) return musaErrorInvalidValue;
        *levelArray = found->levels[level];
        return musaSuccess;
    });
}

musaError_t musaFreeMipmappedArray(musaMipmappedArray_t mipmappedArray) {
    return unsafe_call([&] {
        if (!mipmappedArray) return musaSuccess;
        const auto found = live_mipmapped_arrays().remove(mipmappedArray);
        if (!found) return musaErrorInvalidResourceHandle;
        musa_sim::wait_for_users_of_memory();
        musaError_t result = musaSuccess;
        for (musaArray_t level : found->levels) {
            const musaError_t error = free_array(level);
            if (error != musaSuccess) result = error;
        }
        return result;
    });
}

musaError_t musaArrayGetInfo(musaChannelFormatDesc* desc, musaExtent* extent, unsigned int* flags,
                             musaArray_t array) {
    return device_call([&] {
        const Array found = find_array(array);
        if (!found) return musaErrorInvalidResourceHandle;
        if (desc) *desc = found->desc;
        if (extent) *extent = found->extent;
        if (flags) *flags = found->flags;
        return musaSuccess;
    });
}

musaError_t musaGetChannelDesc(musaChannelFormatDesc* desc, musaArray_const_t array) {
    return device_call([&] {
        const Array found = find_array(array);
        if (!desc) return musaErrorInvalidValue;
        if (!found) return musaErrorInvalidResourceHandle;
        *desc = found->desc;
        return musaSuccess;
    });
}

musaError_t musaMemcpy3D(const musaMemcpy3DParms* p) {
    const ActivityCall call(__func__);
    return default_stream_call(
        [&](const Target& target) { return copy_box(target, Call::synchronous, p); });
}

musaError_t musaMemcpy3DAsync(const musaMemcpy3DParms* p, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream,
                       [&](const Target& target) { return copy_box(target, Call::asynchronous, p); });
}

musaError_t musaMemcpy3DPeer(const musaMemcpy3DPeerParms* p) {
    const ActivityCall call(__func__);
    return default_stream_call(
        [&](const Target& target) { return copy_box_of_peers(target, Call::synchronous, p); });
}

musaError_t musaMemcpy3DPeerAsync(const musaMemcpy3DPeerParms* p, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(
        stream, [&](const Target& target) { return copy_box_of_peers(target, Call::asynchronous, p); });
}

musaError_t musaMemset3D(musaPitchedPtr pitchedDevPtr, int value, musaExtent extent) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return fill(target, Call::synchronous, pitchedDevPtr.ptr, region_of(pitchedDevPtr, extent), bytes_of(value));
    });
}

musaError_t musaMemset3DAsync(musaPitchedPtr pitchedDevPtr, int value, musaExtent extent,
                              musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return fill(target, Call::asynchronous, pitchedDevPtr.ptr, region_of(pitchedDevPtr, extent), bytes_of(value));
    });
}

musaError_t musaMemcpyToArray(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                              size_t count, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_line_to_array(target, Call::synchronous, dst, wOffset, hOffset, src, count, kind);
    });
}

musaError_t musaMemcpyToArrayAsync(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t count, musaMemcpyKind kind, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_line_to_array(target, Call::asynchronous, dst, wOffset, hOffset, src, count, kind);
    });
}

musaError_t musaMemcpyFromArray(void* dst, musaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_line_from_array(target, Call::synchronous, dst, src, wOffset, hOffset, count, kind);
    });
}

musaError_t musaMemcpyFromArrayAsync(void* dst, musaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, musaMemcpyKind kind,
                                     musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_line_from_array(target, Call::asynchronous, dst, src, wOffset, hOffset, count, kind);
    });
}

musaError_t musaMemcpy2DToArray(musaArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                size_t spitch, size_t width, size_t height, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_to_array(target, Call::synchronous, dst, wOffset, hOffset, src, spitch, width, height, kind);
    });
}

musaError_t musaMemcpy2DToArrayAsync(musaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void* src, size_t spitch, size_t width, size_t height,
                                     musaMemcpyKind kind, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_to_array(target, Call::asynchronous, dst, wOffset, hOffset, src, spitch, width, height, kind);
    });
}

musaError_t musaMemcpy2DFromArray(void* dst, size_t dpitch, musaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        return copy_from_array(target, Call::synchronous, dst, dpitch, src, wOffset, hOffset, width, height, kind);
    });
}

musaError_t musaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, musaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       musaMemcpyKind kind, musaStream_t stream) {
    const ActivityCall call(__func__);
    return stream_call(stream, [&](const Target& target) {
        return copy_from_array(target, Call::asynchronous, dst, dpitch, src, wOffset, hOffset, width, height, kind);
    });
}

musaError_t musaMemcpyArrayToArray(musaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, musaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        char *to = nullptr, *from = nullptr;
        musaError_t error = line_in_array(dst, wOffsetDst, hOffsetDst, count, &to);
        if (error == musaSuccess) error = line_in_array(src, wOffsetSrc, hOffsetSrc, count, &from);
        if (error == musaSuccess) error = check_kind(find_array(dst), find_array(src), kind);
        return error != musaSuccess ? error : copy(target, Call::synchronous, to, from, count, kind);
    });
}

musaError_t musaMemcpy2DArrayToArray(musaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     musaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, musaMemcpyKind kind) {
    const ActivityCall call(__func__);
    return default_stream_call([&](const Target& target) {
        const Array to = find_array(dst), from = find_array(src);
        if (!to || !from) return musaErrorInvalidResourceHandle;
        MemoryBox destination, source;
        musaError_t error = check_kind(to, from, kind);
        if (error == musaSuccess)
            error = box_in_array(*to, wOffsetDst, hOffsetDst, 0, width, height, 1, &destination);
        if (error == musaSuccess)
            error = box_in_array(*from, wOffsetSrc, hOffsetSrc, 0, width, height, 1, &source);
        if (error != musaSuccess) return error;
        return copy(target, Call::synchronous, destination.begin, destination.region, source.begin,
                    source.region, kind);
    });
}
