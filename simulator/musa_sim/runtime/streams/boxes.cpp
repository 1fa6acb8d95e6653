#include "streams/boxes.h"

namespace musa_sim {
namespace {

// An array, or memory with a pitch.
musaError_t box_of(const Array& array, const musaPitchedPtr& pointer, const musaPos& at,
                   const musaExtent& extent, std::size_t width, MemoryBox* box) {
    if (array) {
        return box_in_array(*array, at.x * array->element_bytes, at.y, at.z, width, extent.height,
                            extent.depth, box);
    }
    const std::size_t slice = pointer.pitch * pointer.ysize;
    *box = {static_cast<char*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x,
            {pointer.pitch, width, extent.height, slice, extent.depth}};
    return musaSuccess;
}

// Either an array that is alive, or memory.
musaError_t find_end(musaArray_t handle, const musaPitchedPtr& pointer, Array* array) {
    if ((handle != nullptr) == (pointer.ptr != nullptr)) return musaErrorInvalidValue;
    if (!handle) return musaSuccess;
    *array = find_array(handle);
    return *array ? musaSuccess : musaErrorInvalidResourceHandle;
}

}  // namespace

Array find_array(musaArray_const_t handle) { return live_arrays().find(const_cast<musaArray_t>(handle)); }

musaError_t box_in_array(const musaArray& array, std::size_t offset, std::size_t row, std::size_t slice,
                         std::size_t width, std::size_t height, std::size_t depth, MemoryBox* box) {
    if (!fits(offset, width, array.pitch()) || !fits(row, height, array.height()) ||
        !fits(slice, depth, array.depth()))
        return musaErrorInvalidValue;
    *box = {array.data + slice * array.slice() + row * array.pitch() + offset,
            {array.pitch(), width, height, array.slice(), depth}};
    return musaSuccess;
}

musaError_t check_kind(const Array& to, const Array& from, musaMemcpyKind kind) {
    if (!is_copy_kind(kind)) return musaErrorInvalidMemcpyDirection;
    const bool wrong = (to && is_to_host(kind)) || (from && is_from_host(kind));
    return wrong ? musaErrorInvalidMemcpyDirection : musaSuccess;
}

musaError_t resolve(const musaMemcpy3DParms* p, BoxCopy* copy) {
    if (!p) return musaErrorInvalidValue;
    Array from, to;
    musaError_t error = find_end(p->srcArray, p->srcPtr, &from);
    if (error == musaSuccess) error = find_end(p->dstArray, p->dstPtr, &to);
    if (error == musaSuccess) error = check_kind(to, from, p->kind);
    if (error != musaSuccess) return error;
    if (from && to && from->element_bytes != to->element_bytes) return musaErrorInvalidValue;
    const std::size_t element = from ? from->element_bytes : to ? to->element_bytes : 1;
    const std::size_t width = p->extent.width * element;
    error = box_of(from, p->srcPtr, p->srcPos, p->extent, width, &copy->from);
    return error != musaSuccess ? error : box_of(to, p->dstPtr, p->dstPos, p->extent, width, &copy->to);
}

}  // namespace musa_sim
