// Many copies in one call. Each is a copy of its own in the stream; hints about locations and overlap change nothing.
#include <cstdint>

#include "base/devices.h"
#include "streams/activity.h"

using musa_sim::ActivityCall;
using musa_sim::api_call;

namespace {

bool is_order(musaMemcpySrcAccessOrder order) {
    return order >= musaMemcpySrcAccessOrderStream && order <= musaMemcpySrcAccessOrderAny;
}

// Attribute i is that of the copies from index i on; the first index is 0, and they increase.
bool are_valid(const musaMemcpyAttributes* attributes, const std::size_t* indices, std::size_t count,
               std::size_t copies) {
    if (!attributes || !indices || count == 0 || count > copies || indices[0] != 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_order(attributes[i].srcAccessOrder)) return false;
        if (indices[i] >= copies || (i > 0 && indices[i] <= indices[i - 1])) return false;
    }
    return true;
}

// Call copy(i) for each, up to the first that is refused.
template <class Copy>
musaError_t copy_each(std::size_t count, std::size_t* failed, Copy copy) {
    for (std::size_t i = 0; i < count; ++i) {
        const musaError_t error = copy(i);
        if (error == musaSuccess) continue;
        if (failed) *failed = i;
        return error;
    }
    return musaSuccess;
}

bool is_operand(const musaMemcpy3DOperand& operand) {
    if (operand.type == musaMemcpyOperandTypePointer) return operand.op.ptr.ptr != nullptr;
    return operand.type == musaMemcpyOperandTypeArray && operand.op.array.array;
}

// Return the bytes of an array's element; 0 for no array.
std::size_t element_bytes(musaArray_t array) {
    musaChannelFormatDesc element{};
    if (musaArrayGetInfo(&element, nullptr, nullptr, array) != musaSuccess) return 0;
    return static_cast<std::size_t>(element.x + element.y + element.z + element.w) / 8;
}

void describe(const musaMemcpy3DOperand& operand, const musaExtent& extent, std::size_t element, musaArray_t* array,
              musaPos* position, musaPitchedPtr* memory) {
    if (operand.type == musaMemcpyOperandTypeArray) {
        const musaOffset3D& offset = operand.op.array.offset;
        *array = operand.op.array.array;
        *position = {offset.x, offset.y, offset.z};
        return;
    }
    const auto& given = operand.op.ptr;
    const std::size_t length = given.rowLength ? given.rowLength : extent.width;
    const std::size_t height = given.layerHeight ? given.layerHeight : extent.height;
    *memory = {given.ptr, length * element, length, height};
}

musaError_t copy_box(const musaMemcpy3DBatchOp& op, musaStream_t stream) {
    if (!is_operand(op.src) || !is_operand(op.dst) || !is_order(op.srcAccessOrder)) return musaErrorInvalidValue;
    std::size_t element = 1;
    for (const musaMemcpy3DOperand* operand : {&op.src, &op.dst})
        if (operand->type == musaMemcpyOperandTypeArray) element = element_bytes(operand->op.array.array);
    if (element == 0) return musaErrorInvalidValue;
    musaMemcpy3DParms same{};
    describe(op.src, op.extent, element, &same.srcArray, &same.srcPos, &same.srcPtr);
    describe(op.dst, op.extent, element, &same.dstArray, &same.dstPos, &same.dstPtr);
    same.extent = op.extent;
    same.kind = musaMemcpyDefault;
    return musaMemcpy3DAsync(&same, stream);
}

}  // namespace

musaError_t musaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count, musaMemcpyAttributes* attrs,
                                 size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, musaStream_t stream) {
    const ActivityCall call(__func__);
    return api_call([&] {
        if (failIdx) *failIdx = SIZE_MAX;
        if (!dsts || !srcs || !sizes || count == 0 || !are_valid(attrs, attrsIdxs, numAttrs, count))
            return musaErrorInvalidValue;
        return copy_each(count, failIdx, [&](std::size_t i) {
            return musaMemcpyAsync(dsts[i], srcs[i], sizes[i], musaMemcpyDefault, stream);
        });
    });
}

musaError_t musaMemcpy3DBatchAsync(size_t numOps, musaMemcpy3DBatchOp* opList, size_t* failIdx,
                                   unsigned long long flags, musaStream_t stream) {
    const ActivityCall call(__func__);
    return api_call([&] {
        if (failIdx) *failIdx = SIZE_MAX;
        if (numOps == 0 || !opList || flags != 0) return musaErrorInvalidValue;
        return copy_each(numOps, failIdx, [&](std::size_t i) { return copy_box(opList[i], stream); });
    });
}
