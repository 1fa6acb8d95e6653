// Copies and fills of ranges, rectangles and boxes of bytes, in the order of streams: the common part
// of the functions of the API that copy and fill.
#pragma once

#include <cstddef>

#include "streams/streams.h"

namespace musa_sim {

// A box of bytes: rows of `width` bytes, slices of `height` rows. A plain range has one row, a rectangle one slice.
struct Region {
    std::size_t pitch;
    std::size_t width;
    std::size_t height;
    std::size_t slice = 0;  // bytes from one slice to the next
    std::size_t depth = 1;

    std::size_t extent() const { return slice * (depth - 1) + pitch * (height - 1) + width; }
    std::size_t bytes() const { return width * height * depth; }
    bool empty() const { return bytes() == 0; }
    // Rows do not overlap, and neither do slices.
    bool is_valid() const {
        return (height == 1 || width <= pitch) && (depth == 1 || pitch * height <= slice);
    }
};

enum class Call { synchronous, asynchronous };

// Both regions have the same width, height and depth.
musaError_t copy(const Target& target, Call call, void* dst, const Region& to, const void* src,
                 const Region& from, musaMemcpyKind kind);
musaError_t copy(const Target& target, Call call, void* dst, const void* src, std::size_t count,
                 musaMemcpyKind kind);
musaError_t fill(const Target& target, Call call, void* dst, const Region& region, int value);

// Whether a copy of this kind is one from, or to, memory of the host.
bool is_copy_kind(musaMemcpyKind kind);
bool is_from_host(musaMemcpyKind kind);
bool is_to_host(musaMemcpyKind kind);

}  // namespace musa_sim
