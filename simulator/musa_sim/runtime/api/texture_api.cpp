// Creating and destroying texture and surface objects.
#include <cstdint>

#include "base/active_checks.h"
#include "base/devices.h"
#include "blocks/textures.h"
#include "memory/arrays.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"
#include "streams/stream_queues.h"

using musa_sim::device_call;
using musa_sim::ElementBox;
using musa_sim::not_simulated;
using musa_sim::StreamQueues;
using musa_sim::View;
using musa_sim::ViewFacts;
using musa_sim::Views;

namespace {

// The memory is the device's, and large enough.
bool is_in_memory(const void* begin, std::size_t bytes) {
    musa_sim::Allocation allocation;
    const char* start = nullptr;
    if (!musa_sim::MemoryTable::instance().find(begin, &allocation, &start)) return false;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(begin) - start);
    return bytes <= allocation.size - offset;
}

// Checked memory ends where its pages end, and is aligned to less.
bool is_aligned(const void* pointer) {
    const bool is_guarded = musa_sim::is_checking(~0u);
    const std::size_t alignment = is_guarded ? musa_sim::guarded_alignment : musa_sim::texture_alignment;
    return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

musaError_t set_elements(ViewFacts& view, const musaChannelFormatDesc& desc) {
    view.components = musa_sim::components_of(desc);
    if (view.components == 0) return musaErrorInvalidChannelDescriptor;
    view.element_bytes = static_cast<std::size_t>(desc.x / 8 * view.components);
    return musaSuccess;
}

ElementBox box_of(const musaArray& array) {
    return {array.data,
            {static_cast<long long>(array.extent.width), static_cast<long long>(array.height()),
             static_cast<long long>(array.depth())},
            array.pitch(),
            array.slice()};
}

musaError_t view_array(ViewFacts& view, musaArray_t handle, unsigned needed_flags) {
    const std::shared_ptr<musaArray> array = musa_sim::live_arrays().find(handle);
    if (!array) return musaErrorInvalidResourceHandle;
    if ((array->flags & needed_flags) != needed_flags) return musaErrorInvalidValue;
    view.device = array->device;
    static_cast<ElementBox&>(view) = box_of(*array);
    view.desc = array->desc;
    view.layout = array->flags & (musaArrayLayered | musaArrayCubemap);
    return set_elements(view, array->desc);
}

musaError_t view_levels(ViewFacts& view, musaMipmappedArray_t handle) {
    const std::shared_ptr<musaMipmappedArray> array = musa_sim::live_mipmapped_arrays().find(handle);
    if (!array) return musaErrorInvalidResourceHandle;
    std::vector<ElementBox> levels;
    for (musaArray_t level : array->levels) {
        const std::shared_ptr<musaArray> found = musa_sim::live_arrays().find(level);
        if (!found) return musaErrorInvalidResourceHandle;  // another thread has just freed it
        levels.push_back(box_of(*found));
    }
    view.levels = std::make_shared<const std::vector<ElementBox>>(std::move(levels));
    return view_array(view, array->levels.front(), 0);
}

musaError_t view_linear(ViewFacts& view, const musaResourceDesc& resource) {
    const auto& linear = resource.res.linear;
    const musaError_t error = set_elements(view, linear.desc);
    if (error != musaSuccess) return error;
    const std::size_t count = linear.sizeInBytes / view.element_bytes;
    if (!linear.devPtr || count == 0 || count > musa_sim::max_texture_linear || !is_aligned(linear.devPtr) ||
        !is_in_memory(linear.devPtr, linear.sizeInBytes))
        return musaErrorInvalidValue;
    view.data = static_cast<const char*>(linear.devPtr);
    view.size[0] = static_cast<long long>(count);
    view.desc = linear.desc;
    view.is_linear = true;
    return musaSuccess;
}

musaError_t view_pitched(ViewFacts& view, const musaResourceDesc& resource) {
    const auto& plane = resource.res.pitch2D;
    const musaError_t error = set_elements(view, plane.desc);
    if (error != musaSuccess) return error;
    const bool has_size = plane.width > 0 && plane.height > 0 && plane.width <= musa_sim::max_array_2d[0] &&
                          plane.height <= musa_sim::max_array_2d[1];
    const std::size_t row = plane.width * view.element_bytes;
    if (!plane.devPtr || !has_size || !is_aligned(plane.devPtr) || row > plane.pitchInBytes ||
        plane.pitchInBytes % musa_sim::texture_pitch_alignment != 0 ||
        !is_in_memory(plane.devPtr, plane.pitchInBytes * (plane.height - 1) + row))
        return musaErrorInvalidValue;
    view.data = static_cast<const char*>(plane.devPtr);
    view.size[0] = static_cast<long long>(plane.width);
    view.size[1] = static_cast<long long>(plane.height);
    view.pitch = plane.pitchInBytes;
    view.desc = plane.desc;
    return musaSuccess;
}

musaError_t view_resource(ViewFacts& view, const musaResourceDesc& resource) {
    view.device = musa_sim::current_device();
    view.resource = resource;
    switch (resource.resType) {
        case musaResourceTypeArray: return view_array(view, resource.res.array.array, 0);
        case musaResourceTypeMipmappedArray: return view_levels(view, resource.res.mipmap.mipmap);
        case musaResourceTypeLinear: return view_linear(view, resource);
        case musaResourceTypePitch2D: return view_pitched(view, resource);
    }
    return musaErrorInvalidValue;
}

// Formats of views come in groups of one, two and four components.
musaChannelFormatDesc elements_of(musaResourceViewFormat format) {
    constexpr int bits_of[] = {8, 8, 16, 16, 32, 32, 16, 32};
    const int group = (format - musaResViewFormatUnsignedChar1) / 3, count = 1 << (format - 1) % 3;
    const musaChannelFormatKind kind = group >= 6       ? musaChannelFormatKindFloat
                                       : group % 2 == 1 ? musaChannelFormatKindSigned
                                                        : musaChannelFormatKindUnsigned;
    const int bits = bits_of[group];
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind};
}

bool is_whole(const musaResourceViewDesc& given, const ElementBox& box) {
    const std::size_t sides[3] = {given.width, given.height, given.depth};
    for (int i = 0; i < 3; ++i) {
        const auto size = static_cast<std::size_t>(box.size[i]);
        if (sides[i] != size && !(i > 0 && size == 1 && sides[i] == 0)) return false;
    }
    return true;
}

// A view of some levels and some layers, whose elements may be read as others of the same size. As CUDA documents it.
musaError_t restrict_view(ViewFacts& view, const musaResourceViewDesc& given) {
    const bool is_array = view.resource.resType == musaResourceTypeArray || view.levels;
    if (!is_array || given.format < musaResViewFormatNone || given.format > musaResViewFormatUnsignedBlockCompressed7)
        return musaErrorInvalidValue;
    if (given.format >= musaResViewFormatUnsignedBlockCompressed1)
        return not_simulated("textures of compressed blocks");
    if (!is_whole(given, view)) return musaErrorInvalidValue;
    if (given.format != musaResViewFormatNone) {
        const std::size_t bytes = view.element_bytes;
        view.desc = elements_of(given.format);
        const musaError_t error = set_elements(view, view.desc);
        if (error != musaSuccess || view.element_bytes != bytes) return musaErrorInvalidValue;
    }
    std::vector<ElementBox> levels = view.levels ? *view.levels : std::vector<ElementBox>{view};
    if (given.firstMipmapLevel > given.lastMipmapLevel || given.lastMipmapLevel >= levels.size())
        return musaErrorInvalidValue;
    const bool has_layers = view.layout & musaArrayLayered;
    const long long unit = view.layout & musaArrayCubemap ? 6 : 1, layers = has_layers ? view.size[2] / unit : 1;
    if (given.firstLayer > given.lastLayer || given.lastLayer >= layers) return musaErrorInvalidValue;
    if (has_layers) {
        for (ElementBox& level : levels) {
            level.data += given.firstLayer * static_cast<std::size_t>(unit) * level.slice;
            level.size[2] = (given.lastLayer - given.firstLayer + 1) * unit;
        }
    }
    levels = {levels.begin() + given.firstMipmapLevel, levels.begin() + given.lastMipmapLevel + 1};
    static_cast<ElementBox&>(view) = levels.front();
    if (view.levels) view.levels = std::make_shared<const std::vector<ElementBox>>(std::move(levels));
    view.is_restricted = true;
    view.restriction = given;
    return musaSuccess;
}

bool is_filter_mode(musaTextureFilterMode mode) {
    return mode == musaFilterModePoint || mode == musaFilterModeLinear;
}

bool are_modes(const musaTextureDesc& texture) {
    for (const musaTextureAddressMode mode : texture.addressMode) {
        if (mode < musaAddressModeWrap || mode > musaAddressModeBorder) return false;
    }
    return is_filter_mode(texture.filterMode) &&
           (texture.readMode == musaReadModeElementType || texture.readMode == musaReadModeNormalizedFloat);
}

// How a texture is read has to suit its elements.
musaError_t set_reading(ViewFacts& view, const musaTextureDesc& texture) {
    if (!are_modes(texture)) return musaErrorInvalidValue;
    // as CUDA's driver documents: coordinates in mipmapped arrays are normalised
    if (view.levels && !(texture.normalizedCoords && is_filter_mode(texture.mipmapFilterMode)))
        return musaErrorInvalidValue;
    view.texture = texture;
    if (view.is_linear) view.texture.filterMode = musaFilterModePoint;
    const bool is_float = view.desc.f == musaChannelFormatKindFloat;
    const bool normalises = texture.readMode == musaReadModeNormalizedFloat && !is_float;
    if (normalises && view.desc.x == 32) return musaErrorInvalidNormSetting;
    view.gives_floats = is_float || normalises;
    const bool are_colors = normalises && view.desc.x == 8 && view.desc.f == musaChannelFormatKindUnsigned;
    if (texture.sRGB && !are_colors) return not_simulated("sRGB colors that are no fractions of 8 bits");
    const bool blends_levels = view.levels && texture.mipmapFilterMode == musaFilterModeLinear;
    if ((view.texture.filterMode == musaFilterModeLinear || blends_levels) && !view.gives_floats)
        return musaErrorInvalidFilterSetting;
    return musaSuccess;
}

// Create an object with the facts that `describe` fills in.
template <class Describe>
musaError_t create(Views& views, unsigned long long* number, Describe&& describe) {
    ViewFacts view;
    const musaError_t error = describe(view);
    if (error != musaSuccess) return error;
    *number = views.add([&](View& slot) { static_cast<ViewFacts&>(slot) = view; });
    return *number != 0 ? musaSuccess : musaErrorMemoryAllocation;
}

template <class Description>
musaError_t give(const Views& views, unsigned long long number, Description ViewFacts::*field, Description* result) {
    const View* view = views.find_alive(number);
    if (!result || !view) return musaErrorInvalidValue;
    *result = view->*field;
    return musaSuccess;
}

// Kernels that were launched before still read the object.
musaError_t destroy(Views& views, unsigned long long number) {
    if (number == 0) return musaSuccess;
    const View* view = views.find_alive(number);
    if (!view) return musaErrorInvalidValue;
    const int device = view->device;
    if (!views.destroy(number)) return musaErrorInvalidValue;
    StreamQueues::instance().when_done(device, musa_sim::as_work([&views, number] { views.release(number); }));
    return musaSuccess;
}

}  // namespace

musaError_t musaCreateTextureObject(musaTextureObject_t* texture, const musaResourceDesc* resource,
                                    const musaTextureDesc* description,
                                    const musaResourceViewDesc* view) {
    return device_call([&] {
        if (!texture || !resource || !description) return musaErrorInvalidValue;
        return create(Views::textures(), texture, [&](ViewFacts& made) {
            musaError_t error = view_resource(made, *resource);
            if (error == musaSuccess && view) error = restrict_view(made, *view);
            return error != musaSuccess ? error : set_reading(made, *description);
        });
    });
}

musaError_t musaDestroyTextureObject(musaTextureObject_t texture) {
    return device_call([&] { return destroy(Views::textures(), texture); });
}

musaError_t musaGetTextureObjectResourceDesc(musaResourceDesc* resource, musaTextureObject_t texture) {
    return device_call([&] { return give(Views::textures(), texture, &ViewFacts::resource, resource); });
}

musaError_t musaGetTextureObjectTextureDesc(musaTextureDesc* description,
                                            musaTextureObject_t texture) {
    return device_call([&] { return give(Views::textures(), texture, &ViewFacts::texture, description); });
}

musaError_t musaGetTextureObjectResourceViewDesc(musaResourceViewDesc* view, musaTextureObject_t texture) {
    return device_call([&] {
        const View* found = Views::textures().find_alive(texture);
        if (!view || !found || !found->is_restricted) return musaErrorInvalidValue;
        *view = found->restriction;
        return musaSuccess;
    });
}

musaError_t musaCreateSurfaceObject(musaSurfaceObject_t* surface, const musaResourceDesc* resource) {
    return device_call([&] {
        if (!surface || !resource || resource->resType != musaResourceTypeArray)
            return musaErrorInvalidValue;
        return create(Views::surfaces(), surface, [&](ViewFacts& made) {
            made.resource = *resource;
            return view_array(made, resource->res.array.array, musaArraySurfaceLoadStore);
        });
    });
}

musaError_t musaDestroySurfaceObject(musaSurfaceObject_t surface) {
    return device_call([&] { return destroy(Views::surfaces(), surface); });
}

musaError_t musaGetSurfaceObjectResourceDesc(musaResourceDesc* resource, musaSurfaceObject_t surface) {
    return device_call([&] { return give(Views::surfaces(), surface, &ViewFacts::resource, resource); });
}
