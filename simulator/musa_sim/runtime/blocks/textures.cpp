// Texture fetches, and the addresses of elements of surfaces.
//
// The formulas are those of "Texture Fetching" in CUDA's programming guide: the fractions of linear filtering have 8 bits
// after the point, and 1.0 is one of them.
#include "blocks/textures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <musa_sim/float16_conversion.h>

#include "base/active_checks.h"
#include "base/device_abi.h"
#include "base/lifetime.h"
#include "blocks/device_errors.h"
#include "blocks/scheduler.h"
#include "memory/memory_table.h"

namespace musa_sim {

Views& Views::textures() {
    static Views& views = leaked<Views>();
    return views;
}

Views& Views::surfaces() {
    static Views& views = leaked<Views>();
    return views;
}

bool Views::destroy(unsigned long long number) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!find_alive(number)) return false;
    slots_[number & (slots_.size() - 1)].load()->is_destroyed = true;
    return true;
}

void Views::release(unsigned long long number) {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t slot = number & (slots_.size() - 1);
    slots_[slot].load()->number = 0;
    free_.push_back(slot);
}

namespace {

const View& view_of(const Views& views, unsigned long long number, const char* what) {
    const View* view = views.find(number);
    char text[128];
    if (!view) {
        std::snprintf(text, sizeof text, "0x%llx is no %s object, or was destroyed", number, what);
        end_block(musaErrorIllegalAddress, text);
    }
    if (view->device != Scheduler::active()->launch().device) {
        std::snprintf(text, sizeof text, "the %s object is one of device %d", what, view->device);
        end_block(musaErrorIllegalAddress, text);
    }
    Allocation allocation;
    const char* begin = nullptr;
    if (is_checking(check_memory) && !MemoryTable::instance().find(view->data, &allocation, &begin)) {
        std::snprintf(text, sizeof text, "the memory of a %s object was freed", what);
        end_block(musaErrorIllegalAddress, text);
    }
    return *view;
}

// One dimension of a fetch: the two nearest elements, and how many 256ths the second has.
struct Between {
    long long index[2];
    bool inside[2];
    int weight;
};

constexpr float most = 1 << 30;

float bounded(float x) { return x >= -most ? std::min(x, most) : x < -most ? -most : 0.0f; }

long long wrapped(long long i, long long n) { return ((i % n) + n) % n; }

// Without filtering, the first element alone.
template <bool linear>
Between locate(const ViewFacts& view, int dimension, float coordinate) {
    const long long n = view.size[dimension];
    musaTextureAddressMode mode = view.texture.addressMode[dimension];
    float x = bounded(coordinate);
    if (view.texture.normalizedCoords) {
        if (mode == musaAddressModeWrap || mode == musaAddressModeMirror) {
            const float whole = std::floor(x);
            x -= whole;
            if (mode == musaAddressModeMirror && std::fmod(whole, 2.0f) != 0.0f) x = 1.0f - x;
        }
        x = bounded(x * static_cast<float>(n));
    } else if (mode != musaAddressModeBorder) {
        mode = musaAddressModeClamp;  // the others are for normalised coordinates only
    }
    if (linear) x -= 0.5f;
    const float first = std::floor(x);
    Between between{};
    const bool is_clamped = mode == musaAddressModeClamp && (first < 0.0f || first >= static_cast<float>(n - 1));
    between.weight = linear && !is_clamped ? static_cast<int>((x - first) * 256.0f + 0.5f) : 0;
    for (int i = 0; i < (linear ? 2 : 1); ++i) {
        const long long index = static_cast<long long>(first) + i;
        between.index[i] = mode == musaAddressModeWrap ? wrapped(index, n)
                                                       : std::clamp(index, 0LL, n - 1);
        between.inside[i] = mode != musaAddressModeBorder || (index >= 0 && index < n);
    }
    return between;
}

struct Texel {
    std::uint32_t raw[4] = {0, 0, 0, 0};  // bits of a float, or an integer
};

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

float float_of(std::uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Integers of 8 and 16 bits as numbers from 0 to 1, or -1 to 1.
float normalised(std::int64_t value, int bits, bool is_signed) {
    const auto largest = static_cast<float>((std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
    return std::max(static_cast<float>(value) / largest, -1.0f);
}

std::int64_t integer(const char* at, int bits, bool is_signed) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, static_cast<std::size_t>(bits) / 8);
    const int unused = 64 - bits;
    return is_signed ? static_cast<std::int64_t>(value << unused) >> unused
                     : static_cast<std::int64_t>(value);
}

// The standard's curve, IEC 61966-2-1.
float linear_of_srgb(float color) {
    return color <= 0.04045f ? color / 12.92f : std::pow((color + 0.055f) / 1.055f, 2.4f);
}

std::uint32_t component(const ViewFacts& view, const char* at, int number) {
    const musaChannelFormatDesc& desc = view.desc;
    const int bits = desc.x;
    if (desc.f == musaChannelFormatKindFloat) {
        if (bits == 32) {
            std::uint32_t raw = 0;
            std::memcpy(&raw, at, sizeof raw);
            return raw;
        }
        unsigned short half = 0;
        std::memcpy(&half, at, sizeof half);
        return bits_of(musa_sim_detail::float_of_half(half));
    }
    const bool is_signed = desc.f == musaChannelFormatKindSigned;
    const std::int64_t value = integer(at, bits, is_signed);
    if (!view.gives_floats) return static_cast<std::uint32_t>(value);
    const float fraction = normalised(value, bits, is_signed);
    const bool is_color = view.texture.sRGB && number < 3;  // the fourth is alpha
    return bits_of(is_color ? linear_of_srgb(fraction) : fraction);
}

Texel element(const ViewFacts& view, long long x, long long y, long long z) {
    const char* at = view.data + static_cast<std::size_t>(z) * view.slice +
                     static_cast<std::size_t>(y) * view.pitch +
                     static_cast<std::size_t>(x) * view.element_bytes;
    const std::size_t step = view.element_bytes / static_cast<std::size_t>(view.components);
    Texel texel;
    if (view.desc.x == 32) {  // as they are
        for (int i = 0; i < view.components; ++i) std::memcpy(&texel.raw[i], at + 4 * i, 4);
        return texel;
    }
    for (int i = 0; i < view.components; ++i, at += step) texel.raw[i] = component(view, at, i);
    return texel;
}

// For integers the border's color is given as their bits; where they are fractions, it has as many values as they (seen on
// an H200).
Texel border(const ViewFacts& view) {
    const bool is_signed = view.desc.f == musaChannelFormatKindSigned;
    const bool is_fraction = view.gives_floats && view.desc.f != musaChannelFormatKindFloat;
    Texel texel;
    for (int i = 0; i < view.components; ++i) {
        float color = view.texture.borderColor[i];
        if (is_fraction) {
            const float largest = 1.0f / normalised(1, view.desc.x, is_signed);
            color = std::trunc(std::clamp(color, is_signed ? -1.0f : 0.0f, 1.0f) * largest) / largest;
        }
        texel.raw[i] = bits_of(color);
    }
    return texel;
}

Texel fetch_nearest(const ViewFacts& view, int dimensions, const float* at) {
    long long index[3] = {0, 0, 0};
    for (int i = 0; i < dimensions; ++i) {
        const Between found = locate<false>(view, i, at[i]);
        if (!found.inside[0]) return border(view);
        index[i] = found.index[0];
    }
    return element(view, index[0], index[1], index[2]);
}

// A view of one layer, or of all if there are none.
Texel fetch(const ViewFacts& view, int dimensions, const float* at) {
    if (view.texture.filterMode != musaFilterModeLinear) return fetch_nearest(view, dimensions, at);
    Between between[3];
    for (int i = 0; i < 3; ++i) {
        between[i] = i < dimensions ? locate<true>(view, i, at[i]) : Between{{0, 0}, {true, true}, 0};
    }
    const auto read = [&](int x, int y, int z) {
        const bool inside = between[0].inside[x] && between[1].inside[y] && between[2].inside[z];
        return inside ? element(view, between[0].index[x], between[1].index[y], between[2].index[z])
                      : border(view);
    };
    float sums[4] = {0, 0, 0, 0};
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
        const int second[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
        // As on an H200, but for ties: 256 parts are split by z, then x, then y; the second element's are rounded each time.
        int parts = 256;
        for (int i : {2, 0, 1}) {
            const int of_second = (parts * between[i].weight + 128) >> 8;
            parts = second[i] ? of_second : parts - of_second;
        }
        if (parts == 0) continue;
        const Texel texel = read(second[0], second[1], second[2]);
        const float weight = static_cast<float>(parts) / 256.0f;
        for (int i = 0; i < view.components; ++i) sums[i] += weight * float_of(texel.raw[i]);
    }
    Texel texel;
    for (int i = 0; i < view.components; ++i) texel.raw[i] = bits_of(sums[i]);
    return texel;
}

// A layer outside is the nearest one, in all modes.
ViewFacts layer_of(const ViewFacts& view, long long layer) {
    ViewFacts one = view;
    one.data += static_cast<std::size_t>(std::clamp(layer, 0LL, view.size[2] - 1)) * view.slice;
    one.size[2] = 1;
    return one;
}

// The face of a cube that a direction meets, and where: the table of "Cubemap Textures" in CUDA's programming guide.
struct OnCube {
    int face;
    float at[2];
};

OnCube on_cube(const float* direction) {
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    int face = 0;
    float m = 0, s = 0, t = 0;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        m = ax, s = x >= 0 ? -z : z, t = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = az, s = z >= 0 ? x : -x, t = -y;
    }
    return {face, {(s / m + 1.0f) / 2.0f, (t / m + 1.0f) / 2.0f}};
}

// `layer` counts where the array has layers.
Texel fetch_by_layout(const ViewFacts& view, int dimensions, int layer, const float* at) {
    if (view.layout & musaArrayCubemap) {
        const OnCube on = on_cube(at);
        const long long layers = view.size[2] / 6;
        ViewFacts face = layer_of(view, std::clamp<long long>(layer, 0, layers - 1) * 6 + on.face);
        face.texture.normalizedCoords = 1;
        for (musaTextureAddressMode& mode : face.texture.addressMode) mode = musaAddressModeClamp;
        return fetch(face, 2, on.at);
    }
    return view.layout & musaArrayLayered ? fetch(layer_of(view, layer), dimensions, at) : fetch(view, dimensions, at);
}

ViewFacts level_of(const ViewFacts& view, std::size_t level) {
    ViewFacts one = view;
    if (view.levels) static_cast<ElementBox&>(one) = (*view.levels)[level];
    return one;
}

// Level 0 is the largest. Between two levels there are 256 steps, as between two elements.
Texel fetch_at_level(const ViewFacts& view, int dimensions, int layer, const float* at, float level) {
    const musaTextureDesc& how = view.texture;
    const float last = view.levels ? static_cast<float>(view.levels->size() - 1) : 0.0f;
    level = std::min(std::max(bounded(level + how.mipmapLevelBias), how.minMipmapLevelClamp), how.maxMipmapLevelClamp);
    level = std::clamp(bounded(level), 0.0f, last);
    const bool is_linear = how.mipmapFilterMode == musaFilterModeLinear;
    const float first = std::floor(is_linear ? level : level + 0.5f);
    const float weight = is_linear ? std::floor((level - first) * 256.0f + 0.5f) / 256.0f : 0.0f;
    Texel texel = fetch_by_layout(level_of(view, static_cast<std::size_t>(first)), dimensions, layer, at);
    if (weight == 0.0f) return texel;
    const Texel next = fetch_by_layout(level_of(view, static_cast<std::size_t>(first) + 1), dimensions, layer, at);
    for (int i = 0; i < view.components; ++i)
        texel.raw[i] = bits_of((1.0f - weight) * float_of(texel.raw[i]) + weight * float_of(next.raw[i]));
    return texel;
}

// The level whose elements are as far apart as the points of neighbouring pixels: the longer of two steps counts.
float level_of_steps(const ViewFacts& view, int dimensions, const float* steps) {
    float most_squared = 0;
    for (int pixel = 0; pixel < 2; ++pixel) {
        float squared = 0;
        for (int i = 0; i < dimensions; ++i) {
            const float scale = view.texture.normalizedCoords ? static_cast<float>(view.size[i]) : 1.0f;
            const float step = steps[pixel * dimensions + i] * scale;
            squared += step * step;
        }
        most_squared = std::max(most_squared, squared);
    }
    return 0.5f * std::log2(most_squared);
}

// Each function of a kernel reads one kind of array.
const View& view_with_layout(unsigned long long texture, unsigned layout) {
    const View& view = view_of(Views::textures(), texture, "texture");
    if (view.is_linear)
        end_block(musaErrorIllegalAddress, "a texture of linear memory is read by tex1Dfetch only");
    if (view.layout != layout) {
        end_block(musaErrorIllegalAddress,
                  view.layout == 0 ? "a texture without layers and cube maps is read as one with them"
                                   : "a texture with layers or a cube map is not read by its own functions");
    }
    return view;
}

// With layers or without.
const View& view_of_cubemap(unsigned long long texture) {
    const View& view = view_of(Views::textures(), texture, "texture");
    return view_with_layout(texture, musaArrayCubemap | (view.layout & musaArrayLayered));
}

}  // namespace
}  // namespace musa_sim

void __musa_sim_texture_layer(unsigned long long texture, int dimensions, int layer, const float* at,
                              unsigned* texel) {
    using namespace musa_sim;
    const View& view = view_with_layout(texture, musaArrayLayered);
    const Texel found = fetch_by_layout(view, dimensions, layer, at);
    std::memcpy(texel, found.raw, sizeof found.raw);
}

void __musa_sim_texture_cubemap(unsigned long long texture, int layer, const float* at, unsigned* texel) {
    using namespace musa_sim;
    const Texel found = fetch_by_layout(view_of_cubemap(texture), 2, layer, at);
    std::memcpy(texel, found.raw, sizeof found.raw);
}

void __musa_sim_texture_level(unsigned long long texture, int dimensions, int layout, int layer, const float* at,
                              float level, unsigned* texel) {
    using namespace musa_sim;
    const View& view = layout & musaArrayCubemap ? view_of_cubemap(texture)
                                                 : view_with_layout(texture, static_cast<unsigned>(layout));
    const Texel found = fetch_at_level(view, dimensions, layer, at, level);
    std::memcpy(texel, found.raw, sizeof found.raw);
}

void __musa_sim_texture_gradient(unsigned long long texture, int dimensions, int layout, int layer, const float* at,
                                 const float* steps, unsigned* texel) {
    using namespace musa_sim;
    const View& view = view_with_layout(texture, static_cast<unsigned>(layout));
    const Texel found = fetch_at_level(view, dimensions, layer, at, level_of_steps(view, dimensions, steps));
    std::memcpy(texel, found.raw, sizeof found.raw);
}

void __musa_sim_texture_gather(unsigned long long texture, int which, const float* at, unsigned* texel) {
    using namespace musa_sim;
    const View& view = view_with_layout(texture, 0);
    if (which < 0 || which >= view.components)
        end_block(musaErrorIllegalAddress, "tex2Dgather is called for a component that the elements lack");
    const Between x = locate<true>(view, 0, at[0]), y = locate<true>(view, 1, at[1]);
    const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
        const int column = corners[i][0], row = corners[i][1];
        const bool inside = x.inside[column] && y.inside[row];
        const Texel found = inside ? element(view, x.index[column], y.index[row], 0) : border(view);
        texel[i] = found.raw[which];
    }
}

void __musa_sim_texture_fetch(unsigned long long texture, int dimensions, const float* at,
                              unsigned* texel) {
    using namespace musa_sim;
    const Texel found = fetch(view_with_layout(texture, 0), dimensions, at);
    std::memcpy(texel, found.raw, sizeof found.raw);
}

// Beyond the end, an element is zero.
void __musa_sim_texture_element(unsigned long long texture, int index, unsigned* texel) {
    using namespace musa_sim;
    const View& view = view_of(Views::textures(), texture, "texture");
    const Texel found = index >= 0 && index < view.size[0] ? element(view, index, 0, 0) : Texel{};
    std::memcpy(texel, found.raw, sizeof found.raw);
}

void* __musa_sim_surface_element(unsigned long long surface, int dimensions, const int* at, int bytes,
                               int boundary) {
    using namespace musa_sim;
    const View& view = view_of(Views::surfaces(), surface, "surface");
    const long long limits[3] = {view.size[0] * static_cast<long long>(view.element_bytes) - bytes,
                                 view.size[1] - 1, view.size[2] - 1};
    long long offset[3] = {0, 0, 0};
    for (int i = 0; i < dimensions; ++i) {
        offset[i] = std::clamp(static_cast<long long>(at[i]), 0LL, limits[i]);
        if (offset[i] == at[i]) continue;
        if (boundary == musaBoundaryModeZero) return nullptr;
        if (boundary == musaBoundaryModeTrap)
            end_block(musaErrorIllegalAddress, "a surface is used outside of its array");
    }
    if (offset[0] % bytes != 0)
        end_block(musaErrorMisalignedAddress, "an offset in a surface is no multiple of the element's size");
    return const_cast<char*>(view.data) + static_cast<std::size_t>(offset[2]) * view.slice +
           static_cast<std::size_t>(offset[1]) * view.pitch + static_cast<std::size_t>(offset[0]);
}
