// Arrays: boxes of elements in memory of a device, row after row. Programs reach them by copies, textures and surfaces.
#pragma once

#include <cstddef>
#include <vector>

#include "base/api.h"
#include "base/live_objects.h"

struct musaArray {
    musaChannelFormatDesc desc;
    musaExtent extent;  // as requested: zero for a missing dimension
    unsigned flags;
    int device;
    std::size_t element_bytes;
    char* data;
    bool is_level = false;  // of a mipmapped array, with which it is freed

    std::size_t height() const { return extent.height ? extent.height : 1; }
    std::size_t depth() const { return extent.depth ? extent.depth : 1; }
    std::size_t pitch() const { return extent.width * element_bytes; }
    std::size_t slice() const { return pitch() * height(); }
    std::size_t bytes() const { return slice() * depth(); }
};

// Levels, each half as wide, high and deep as the one before it. A depth that counts layers stays.
struct musaMipmappedArray {
    std::vector<musaArray_t> levels;
};

namespace musa_sim {

// The largest arrays and textures, in elements: those of CUDA's devices.
constexpr std::size_t max_array_1d = 131072;
constexpr std::size_t max_array_2d[2] = {131072, 65536};
constexpr std::size_t max_array_3d = 16384;
// Of a side; also of cube maps, of mipmapped arrays and of what is gathered from.
constexpr std::size_t max_array_layered = 32768;
constexpr std::size_t max_layers = 2048;
constexpr std::size_t max_texture_linear = std::size_t{1} << 28;
constexpr std::size_t texture_alignment = 512;
constexpr std::size_t texture_pitch_alignment = 128;  // known: docs/known.md

LiveObjects<musaArray>& live_arrays();
LiveObjects<musaMipmappedArray>& live_mipmapped_arrays();

// How many components an element has, all of the same size; 0 if it is no element.
int components_of(const musaChannelFormatDesc& desc);

}  // namespace musa_sim
