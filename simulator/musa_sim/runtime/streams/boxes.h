// Copies of boxes as programs describe them: between arrays and memory with a pitch.
#pragma once

#include <cstddef>
#include <memory>

#include "memory/arrays.h"
#include "streams/copies.h"

namespace musa_sim {

using Array = std::shared_ptr<musaArray>;

// nullptr if the handle is invalid or the array was freed.
Array find_array(musaArray_const_t handle);

// One side of a copy: where it begins, and its rows.
struct MemoryBox {
    char* begin = nullptr;
    Region region{};
};

inline bool fits(std::size_t at, std::size_t count, std::size_t size) { return at <= size && count <= size - at; }

// `offset` and `width` in bytes.
musaError_t box_in_array(const musaArray& array, std::size_t offset, std::size_t row, std::size_t slice,
                         std::size_t width, std::size_t height, std::size_t depth, MemoryBox* box);
// An array is memory of the device, so its side of a copy must be the device.
musaError_t check_kind(const Array& to, const Array& from, musaMemcpyKind kind);

struct BoxCopy {
    MemoryBox to, from;
};
musaError_t resolve(const musaMemcpy3DParms* parameters, BoxCopy* copy);

}  // namespace musa_sim
