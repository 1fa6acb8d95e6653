// Texture and surface objects, by calls of the runtime. The descriptors are kept for later queries.
#include <cstring>
#include <map>
#include <mutex>

#include "base/lifetime.h"
#include "driver.h"

using driver::pointer;

namespace {

struct Given {
    MUSA_RESOURCE_DESC resource{};
    MUSA_TEXTURE_DESC texture{};
    bool is_restricted = false;
    MUSA_RESOURCE_VIEW_DESC view{};
};

class Objects {
public:
    void add(unsigned long long object, const Given& given) {
        std::lock_guard<std::mutex> lock(mutex_);
        given_[object] = given;
    }
    void remove(unsigned long long object) {
        std::lock_guard<std::mutex> lock(mutex_);
        given_.erase(object);
    }
    bool find(unsigned long long object, Given* given) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = given_.find(object);
        if (found != given_.end()) *given = found->second;
        return found != given_.end();
    }

private:
    std::mutex mutex_;
    std::map<unsigned long long, Given> given_;
};

Objects& textures() {
    static auto& objects = musa_sim::leaked<Objects>();
    return objects;
}

Objects& surfaces() {
    static auto& objects = musa_sim::leaked<Objects>();
    return objects;
}

// Return false for an invalid element type.
bool runtime_resource(const MUSA_RESOURCE_DESC& given, musaResourceDesc* same) {
    std::memset(same, 0, sizeof *same);
    same->resType = static_cast<musaResourceType>(given.resType);
    switch (given.resType) {
        case MU_RESOURCE_TYPE_ARRAY: same->res.array.array = driver::runtimes(given.res.array.hArray); return true;
        case MU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            same->res.mipmap.mipmap = driver::runtimes(given.res.mipmap.hMipmappedArray);
            return true;
        case MU_RESOURCE_TYPE_LINEAR: {
            const auto& linear = given.res.linear;
            same->res.linear.devPtr = pointer(linear.devPtr);
            same->res.linear.sizeInBytes = linear.sizeInBytes;
            return driver::describe(linear.format, linear.numChannels, &same->res.linear.desc);
        }
        case MU_RESOURCE_TYPE_PITCH2D: {
            const auto& plane = given.res.pitch2D;
            same->res.pitch2D.devPtr = pointer(plane.devPtr);
            same->res.pitch2D.width = plane.width;
            same->res.pitch2D.height = plane.height;
            same->res.pitch2D.pitchInBytes = plane.pitchInBytes;
            return driver::describe(plane.format, plane.numChannels, &same->res.pitch2D.desc);
        }
    }
    return false;
}

// Find the element type of a resource.
bool elements_of(const musaResourceDesc& resource, musaChannelFormatDesc* element) {
    switch (resource.resType) {
        case musaResourceTypeArray:
            return musaArrayGetInfo(element, nullptr, nullptr, resource.res.array.array) == musaSuccess;
        case musaResourceTypeMipmappedArray: {
            musaArray_t first = nullptr;
            return musaGetMipmappedArrayLevel(&first, resource.res.mipmap.mipmap, 0) == musaSuccess &&
                   musaArrayGetInfo(element, nullptr, nullptr, first) == musaSuccess;
        }
        case musaResourceTypeLinear: *element = resource.res.linear.desc; return true;
        case musaResourceTypePitch2D: *element = resource.res.pitch2D.desc; return true;
        default: return false;
    }
}

// The element type of a view's format, as far as its reading depends on it.
void read_as(MUresourceViewFormat format, musaChannelFormatDesc* element) {
    if (format < MU_RES_VIEW_FORMAT_UINT_1X8 || format > MU_RES_VIEW_FORMAT_FLOAT_4X32) return;
    element->f = format >= MU_RES_VIEW_FORMAT_FLOAT_1X16 ? musaChannelFormatKindFloat : musaChannelFormatKindUnsigned;
    element->x = format <= MU_RES_VIEW_FORMAT_SINT_4X8 ? 8 : format <= MU_RES_VIEW_FORMAT_SINT_4X16 ? 16 : 32;
}

musaResourceViewDesc runtime_view(const MUSA_RESOURCE_VIEW_DESC& given) {
    return {static_cast<musaResourceViewFormat>(given.format),
            given.width,
            given.height,
            given.depth,
            given.firstMipmapLevel,
            given.lastMipmapLevel,
            given.firstLayer,
            given.lastLayer};
}

// The driver reads integers of 8 and 16 bits as fractions, unless the program requests integers.
musaTextureDesc runtime_texture(const MUSA_TEXTURE_DESC& given, const musaChannelFormatDesc& element) {
    musaTextureDesc same{};
    for (int i = 0; i < 3; ++i) same.addressMode[i] = static_cast<musaTextureAddressMode>(given.addressMode[i]);
    same.filterMode = static_cast<musaTextureFilterMode>(given.filterMode);
    const bool as_fractions = element.f != musaChannelFormatKindFloat && element.x < 32 &&
                              !(given.flags & MU_TRSF_READ_AS_INTEGER);
    same.readMode = as_fractions ? musaReadModeNormalizedFloat : musaReadModeElementType;
    same.sRGB = (given.flags & MU_TRSF_SRGB) != 0;
    std::memcpy(same.borderColor, given.borderColor, sizeof same.borderColor);
    same.normalizedCoords = (given.flags & MU_TRSF_NORMALIZED_COORDINATES) != 0;
    same.maxAnisotropy = given.maxAnisotropy;
    same.mipmapFilterMode = static_cast<musaTextureFilterMode>(given.mipmapFilterMode);
    same.mipmapLevelBias = given.mipmapLevelBias;
    same.minMipmapLevelClamp = given.minMipmapLevelClamp;
    same.maxMipmapLevelClamp = given.maxMipmapLevelClamp;
    return same;
}

template <class T>
MUresult give(Objects& objects, unsigned long long object, T Given::*field, T* result) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    Given given;
    if (!result || !objects.find(object, &given)) return MUSA_ERROR_INVALID_VALUE;
    *result = given.*field;
    return MUSA_SUCCESS;
}

}  // namespace

MUSA_EXPORT MUresult muTexObjectCreate(MUtexObject* texture, const MUSA_RESOURCE_DESC* resource,
                                       const MUSA_TEXTURE_DESC* description,
                                       const MUSA_RESOURCE_VIEW_DESC* view) {
    musaResourceDesc same;
    if (!texture || !resource || !description || !runtime_resource(*resource, &same)) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = driver::call([&] {
        musaChannelFormatDesc element{};
        if (!elements_of(same, &element)) return musaErrorInvalidResourceHandle;
        if (view) read_as(view->format, &element);
        const musaTextureDesc reading = runtime_texture(*description, element);
        const musaResourceViewDesc restriction = view ? runtime_view(*view) : musaResourceViewDesc{};
        return musaCreateTextureObject(texture, &same, &reading, view ? &restriction : nullptr);
    });
    if (status != MUSA_SUCCESS) return status;
    textures().add(*texture, {*resource, *description, view != nullptr, view ? *view : MUSA_RESOURCE_VIEW_DESC{}});
    return status;
}

MUSA_EXPORT MUresult muTexObjectDestroy(MUtexObject texture) {
    textures().remove(texture);
    return driver::call([=] { return musaDestroyTextureObject(texture); });
}

MUSA_EXPORT MUresult muTexObjectGetResourceDesc(MUSA_RESOURCE_DESC* resource, MUtexObject texture) {
    return give(textures(), texture, &Given::resource, resource);
}

MUSA_EXPORT MUresult muTexObjectGetTextureDesc(MUSA_TEXTURE_DESC* description, MUtexObject texture) {
    return give(textures(), texture, &Given::texture, description);
}

MUSA_EXPORT MUresult muTexObjectGetResourceViewDesc(MUSA_RESOURCE_VIEW_DESC* view, MUtexObject texture) {
    const MUresult status = driver::check_initialised();
    if (status != MUSA_SUCCESS) return status;
    Given given;
    if (!view || !textures().find(texture, &given) || !given.is_restricted) return MUSA_ERROR_INVALID_VALUE;
    *view = given.view;
    return MUSA_SUCCESS;
}

MUSA_EXPORT MUresult muSurfObjectCreate(MUsurfObject* surface, const MUSA_RESOURCE_DESC* resource) {
    musaResourceDesc same;
    if (!surface || !resource || !runtime_resource(*resource, &same)) return MUSA_ERROR_INVALID_VALUE;
    const MUresult status = driver::call([&] { return musaCreateSurfaceObject(surface, &same); });
    if (status == MUSA_SUCCESS) surfaces().add(*surface, {*resource, {}, false, {}});
    return status;
}

MUSA_EXPORT MUresult muSurfObjectDestroy(MUsurfObject surface) {
    surfaces().remove(surface);
    return driver::call([=] { return musaDestroySurfaceObject(surface); });
}

MUSA_EXPORT MUresult muSurfObjectGetResourceDesc(MUSA_RESOURCE_DESC* resource, MUsurfObject surface) {
    return give(surfaces(), surface, &Given::resource, resource);
}
