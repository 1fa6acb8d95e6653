// The element types, and what reductions do to them.
#pragma once

#include <mccl.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace mccl {

std::size_t size_of(mcclDataType_t type);
const char* name_of(mcclDataType_t type);
bool is_type(mcclDataType_t type);
bool is_integer(mcclDataType_t type);

enum class Combine { sum, product, maximum, minimum };

// A number of any element type.
struct Factor {
    alignas(8) unsigned char bytes[8]{};
};
// 1 / divisor; of a floating point type
Factor reciprocal(mcclDataType_t type, int divisor);

// A whole reduction: multiply each rank's numbers by its factor, combine them in the order of ranks, and divide. Every
// step rounds to the type, as in NCCL's kernels.
struct Reduction {
    Combine combine = Combine::sum;
    bool scaled = false;
    Factor factor{};
    const void* factor_at = nullptr;  // in the device's memory, read when the operation runs
    int divisor = 1;
};

// target[i] = a[i] op b[i]; target may be a or b.
void combine(mcclDataType_t type, Combine how, void* target, const void* a, const void* b, std::size_t count);
// target[i] = source[i] * factor
void scale(mcclDataType_t type, void* target, const void* source, std::size_t count, const Factor& factor);
// target[i] /= divisor, towards zero; of an integer type
void divide(mcclDataType_t type, void* target, std::size_t count, int divisor);

}  // namespace mccl
