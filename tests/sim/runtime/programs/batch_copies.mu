// Many copies in one call: lines, boxes, arrays; what is refused. Prints `question=answer` lines.
#include <cstdint>
#include <numeric>
#include <vector>

#include "program.h"

namespace {

void tell(const char* question, long long answer) { std::printf("%s=%lld\n", question, answer); }
void tell(const char* question, musaError_t answer) { std::printf("%s=%s\n", question, musaGetErrorName(answer)); }

musaStream_t stream = nullptr;

void lines() {
    DeviceArray<int> a(8), b(8);
    std::vector<int> numbers(8), read(8, -1);
    std::iota(numbers.begin(), numbers.end(), 10);
    musaMemcpyAttributes attributes[2] = {};
    attributes[0].srcAccessOrder = musaMemcpySrcAccessOrderStream;
    attributes[1].srcAccessOrder = musaMemcpySrcAccessOrderAny;
    attributes[1].flags = musaMemcpyFlagPreferOverlapWithCompute;
    void* to[] = {a, static_cast<int*>(b) + 2, read.data()};
    void* from[] = {numbers.data(), static_cast<int*>(a) + 1, b};
    size_t sizes[] = {32, 16, 32}, indices[] = {0, 2}, failed = 7;
    CHECK(musaMemcpyBatchAsync(to, from, sizes, 3, attributes, indices, 2, &failed, stream));
    CHECK(musaStreamSynchronize(stream));
    tell("in order", read == std::vector<int>({0, 0, 11, 12, 13, 14, 0, 0}));
    tell("none failed", failed == SIZE_MAX);
    sizes[1] = 4000;
    tell("too large", musaMemcpyBatchAsync(to, from, sizes, 3, attributes, indices, 2, &failed, stream));
    tell("which", static_cast<long long>(failed));
    sizes[1] = 16;
    indices[1] = 0;
    tell("not increasing", musaMemcpyBatchAsync(to, from, sizes, 3, attributes, indices, 2, &failed, stream));
    indices[1] = 3;
    tell("no such copy", musaMemcpyBatchAsync(to, from, sizes, 3, attributes, indices, 2, &failed, stream));
    attributes[0].srcAccessOrder = musaMemcpySrcAccessOrderInvalid;
    tell("no order", musaMemcpyBatchAsync(to, from, sizes, 3, attributes, indices, 1, &failed, stream));
    tell("none", musaMemcpyBatchAsync(to, from, sizes, 0, attributes, indices, 1, &failed, stream));
}

musaMemcpy3DOperand memory(void* begin, size_t row, size_t layer) {
    musaMemcpy3DOperand operand{};
    operand.type = musaMemcpyOperandTypePointer;
    operand.op.ptr.ptr = begin;
    operand.op.ptr.rowLength = row;
    operand.op.ptr.layerHeight = layer;
    return operand;
}

musaMemcpy3DOperand part(musaArray_t array, size_t x, size_t y) {
    musaMemcpy3DOperand operand{};
    operand.type = musaMemcpyOperandTypeArray;
    operand.op.array.array = array;
    operand.op.array.offset = {x, y, 0};
    return operand;
}

void boxes() {
    // 2 layers of 2 rows of 3 ints out of 2 x 3 x 4 of them, into a box without gaps and back into an array.
    std::vector<int> numbers(24), packed(12, -1), image(4, -1);
    std::iota(numbers.begin(), numbers.end(), 0);
    DeviceArray<int> device(12);
    const musaMemcpySrcAccessOrder order = musaMemcpySrcAccessOrderStream;
    const musaChannelFormatDesc element = musaCreateChannelDesc<int>();
    musaArray_t array = nullptr;
    CHECK(musaMallocArray(&array, &element, 4, 4));
    musaMemcpy3DBatchOp ops[4] = {
        {memory(numbers.data(), 4 * sizeof(int), 3), memory(device, 0, 0), {3 * sizeof(int), 2, 2}, order, 0},
        {memory(device, 0, 0), memory(packed.data(), 0, 0), {12 * sizeof(int), 1, 1}, order, 0},
        {memory(numbers.data(), 4, 0), part(array, 1, 2), {2, 2, 1}, order, 0},
        {part(array, 1, 2), memory(image.data(), 2, 0), {2, 2, 1}, order, 0},
    };
    size_t failed = 7;
    CHECK(musaMemcpy3DBatchAsync(4, ops, &failed, 0, stream));
    CHECK(musaStreamSynchronize(stream));
    tell("boxes", packed == std::vector<int>({0, 1, 2, 4, 5, 6, 12, 13, 14, 16, 17, 18}));
    tell("array", image == std::vector<int>({0, 1, 4, 5}));
    ops[2].dst.op.array.offset.x = 3;
    tell("outside", musaMemcpy3DBatchAsync(4, ops, &failed, 0, stream));
    tell("which box", static_cast<long long>(failed));
    ops[0].src.op.ptr.ptr = nullptr;
    tell("nothing", musaMemcpy3DBatchAsync(4, ops, &failed, 0, stream));
    tell("flags", musaMemcpy3DBatchAsync(4, ops, &failed, 1, stream));
    CHECK(musaFreeArray(array));
}

}  // namespace

int main() {
    CHECK(musaStreamCreate(&stream));
    lines();
    boxes();
}
