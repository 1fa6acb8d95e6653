/* Reading textures and surfaces, writing surfaces: the functions of CUDA's object API in one to three dimensions, with layers
 * and cube maps, at levels of mipmapped arrays.
 *
 * mcc only. The functions that choose a level of a cube map by gradients are absent.
 */
#ifndef MUSA_SIM_TEXTURE_FUNCTIONS_H
#define MUSA_SIM_TEXTURE_FUNCTIONS_H

#include <driver_types.h>
#include <musa_sim/channel_types.h>
#include <musa_sim/runtime_functions.h>

namespace musa_sim {

template <class T, class Component>
struct TexelOf {
    static __device__ __forceinline__ T get(const unsigned (&raw)[4]) {
        Component components[Channels<T>::count];
        for (int i = 0; i < Channels<T>::count; ++i) components[i] = static_cast<Component>(raw[i]);
        T texel;
        __builtin_memcpy(&texel, components, sizeof texel);
        return texel;
    }
};

/* Floats come as their bits. */
template <class T>
struct TexelOf<T, float> {
    static __device__ __forceinline__ T get(const unsigned (&raw)[4]) {
        T texel;
        __builtin_memcpy(&texel, raw, sizeof texel);
        return texel;
    }
};

template <class T, int dimensions>
__device__ __forceinline__ T fetch(musaTextureObject_t texture, float x, float y, float z) {
    const float at[3] = {x, y, z};
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_fetch(texture, dimensions, at, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T, int dimensions>
__device__ __forceinline__ T fetch_layer(musaTextureObject_t texture, float x, float y, int layer) {
    const float at[2] = {x, y};
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_layer(texture, dimensions, layer, at, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T>
__device__ __forceinline__ T fetch_cubemap(musaTextureObject_t texture, float x, float y, float z, int layer) {
    const float at[3] = {x, y, z};
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_cubemap(texture, layer, at, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T, int dimensions>
__device__ __forceinline__ T fetch_level(musaTextureObject_t texture, int layout, int layer, const float* at,
                                         float level) {
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_level(texture, dimensions, layout, layer, at, level, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T, int dimensions>
__device__ __forceinline__ T fetch_gradient(musaTextureObject_t texture, int layout, int layer, const float* at,
                                            const float* steps) {
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_gradient(texture, dimensions, layout, layer, at, steps, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T>
__device__ __forceinline__ T gather(musaTextureObject_t texture, float x, float y, int component) {
    const float at[2] = {x, y};
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_gather(texture, component, at, raw);
    return TexelOf<T, typename Channels<T>::Component>::get(raw);
}

template <class T, int dimensions>
__device__ __forceinline__ T* surface_element(musaSurfaceObject_t surface, int x, int y, int z,
                                    musaSurfaceBoundaryMode mode) {
    const int at[3] = {x, y, z};
    return static_cast<T*>(__musa_sim_surface_element(surface, dimensions, at, sizeof(T), mode));
}

template <class T>
__device__ __forceinline__ T read(const T* element) {
    if (element) return *element;
    T zero;
    __builtin_memset(&zero, 0, sizeof zero);
    return zero;
}

template <class T>
__device__ __forceinline__ void write(T* element, T value) {
    if (element) *element = value;
}

}  // namespace musa_sim

template <class T>
__device__ __forceinline__ T tex1Dfetch(musaTextureObject_t texture, int x) {
    unsigned raw[4] = {0, 0, 0, 0};
    __musa_sim_texture_element(texture, x, raw);
    return musa_sim::TexelOf<T, typename musa_sim::Channels<T>::Component>::get(raw);
}
template <class T>
__device__ __forceinline__ T tex1D(musaTextureObject_t texture, float x) {
    return musa_sim::fetch<T, 1>(texture, x, 0, 0);
}
template <class T>
__device__ __forceinline__ T tex2D(musaTextureObject_t texture, float x, float y) {
    return musa_sim::fetch<T, 2>(texture, x, y, 0);
}
template <class T>
__device__ __forceinline__ T tex3D(musaTextureObject_t texture, float x, float y, float z) {
    return musa_sim::fetch<T, 3>(texture, x, y, z);
}

template <class T>
__device__ __forceinline__ T tex1DLayered(musaTextureObject_t texture, float x, int layer) {
    return musa_sim::fetch_layer<T, 1>(texture, x, 0, layer);
}
template <class T>
__device__ __forceinline__ T tex2DLayered(musaTextureObject_t texture, float x, float y, int layer) {
    return musa_sim::fetch_layer<T, 2>(texture, x, y, layer);
}
template <class T>
__device__ __forceinline__ T texCubemap(musaTextureObject_t texture, float x, float y, float z) {
    return musa_sim::fetch_cubemap<T>(texture, x, y, z, 0);
}
template <class T>
__device__ __forceinline__ T texCubemapLayered(musaTextureObject_t texture, float x, float y, float z, int layer) {
    return musa_sim::fetch_cubemap<T>(texture, x, y, z, layer);
}
/* One component of the four elements that linear filtering would use: left and right of the lower row, right and left of the
 * upper one, where y grows downwards. */
template <class T>
__device__ __forceinline__ T tex2Dgather(musaTextureObject_t texture, float x, float y, int component = 0) {
    return musa_sim::gather<T>(texture, x, y, component);
}

/* The older forms, which give the texel by a pointer */
template <class T>
__device__ __forceinline__ void tex1Dfetch(T* texel, musaTextureObject_t texture, int x) {
    *texel = tex1Dfetch<T>(texture, x);
}
template <class T>
__device__ __forceinline__ void tex1D(T* texel, musaTextureObject_t texture, float x) {
    *texel = tex1D<T>(texture, x);
}
template <class T>
__device__ __forceinline__ void tex2D(T* texel, musaTextureObject_t texture, float x, float y) {
    *texel = tex2D<T>(texture, x, y);
}
template <class T>
__device__ __forceinline__ void tex3D(T* texel, musaTextureObject_t texture, float x, float y, float z) {
    *texel = tex3D<T>(texture, x, y, z);
}

template <class T>
__device__ __forceinline__ void tex1DLayered(T* texel, musaTextureObject_t texture, float x, int layer) {
    *texel = tex1DLayered<T>(texture, x, layer);
}
template <class T>
__device__ __forceinline__ void tex2DLayered(T* texel, musaTextureObject_t texture, float x, float y, int layer) {
    *texel = tex2DLayered<T>(texture, x, y, layer);
}
template <class T>
__device__ __forceinline__ void texCubemap(T* texel, musaTextureObject_t texture, float x, float y, float z) {
    *texel = texCubemap<T>(texture, x, y, z);
}
template <class T>
__device__ __forceinline__ void texCubemapLayered(T* texel, musaTextureObject_t texture, float x, float y, float z,
                                                  int layer) {
    *texel = texCubemapLayered<T>(texture, x, y, z, layer);
}
template <class T>
__device__ __forceinline__ void tex2Dgather(T* texel, musaTextureObject_t texture, float x, float y,
                                            int component = 0) {
    *texel = tex2Dgather<T>(texture, x, y, component);
}

/* At a level of a mipmapped array: a given one, or the one that suits the steps from pixel to pixel. */
template <class T>
__device__ __forceinline__ T tex1DLod(musaTextureObject_t texture, float x, float level) {
    const float at[3] = {x, 0, 0};
    return musa_sim::fetch_level<T, 1>(texture, 0, 0, at, level);
}
template <class T>
__device__ __forceinline__ void tex1DLod(T* texel, musaTextureObject_t texture, float x, float level) {
    *texel = tex1DLod<T>(texture, x, level);
}
template <class T>
__device__ __forceinline__ T tex2DLod(musaTextureObject_t texture, float x, float y, float level) {
    const float at[3] = {x, y, 0};
    return musa_sim::fetch_level<T, 2>(texture, 0, 0, at, level);
}
template <class T>
__device__ __forceinline__ void tex2DLod(T* texel, musaTextureObject_t texture, float x, float y, float level) {
    *texel = tex2DLod<T>(texture, x, y, level);
}
template <class T>
__device__ __forceinline__ T tex3DLod(musaTextureObject_t texture, float x, float y, float z, float level) {
    const float at[3] = {x, y, z};
    return musa_sim::fetch_level<T, 3>(texture, 0, 0, at, level);
}
template <class T>
__device__ __forceinline__ void tex3DLod(
    T* texel, musaTextureObject_t texture, float x, float y, float z, float level) {
    *texel = tex3DLod<T>(texture, x, y, z, level);
}
template <class T>
__device__ __forceinline__ T tex1DLayeredLod(musaTextureObject_t texture, float x, int layer, float level) {
    const float at[3] = {x, 0, 0};
    return musa_sim::fetch_level<T, 1>(texture, musaArrayLayered, layer, at, level);
}
template <class T>
__device__ __forceinline__ void tex1DLayeredLod(
    T* texel, musaTextureObject_t texture, float x, int layer, float level) {
    *texel = tex1DLayeredLod<T>(texture, x, layer, level);
}
template <class T>
__device__ __forceinline__ T tex2DLayeredLod(musaTextureObject_t texture, float x, float y, int layer, float level) {
    const float at[3] = {x, y, 0};
    return musa_sim::fetch_level<T, 2>(texture, musaArrayLayered, layer, at, level);
}
template <class T>
__device__ __forceinline__ void tex2DLayeredLod(
    T* texel, musaTextureObject_t texture, float x, float y, int layer, float level) {
    *texel = tex2DLayeredLod<T>(texture, x, y, layer, level);
}
template <class T>
__device__ __forceinline__ T texCubemapLod(musaTextureObject_t texture, float x, float y, float z, float level) {
    const float at[3] = {x, y, z};
    return musa_sim::fetch_level<T, 3>(texture, musaArrayCubemap, 0, at, level);
}
template <class T>
__device__ __forceinline__ void texCubemapLod(
    T* texel, musaTextureObject_t texture, float x, float y, float z, float level) {
    *texel = texCubemapLod<T>(texture, x, y, z, level);
}
template <class T>
__device__ __forceinline__ T texCubemapLayeredLod(
    musaTextureObject_t texture, float x, float y, float z, int layer, float level) {
    const float at[3] = {x, y, z};
    return musa_sim::fetch_level<T, 3>(texture, musaArrayCubemap, layer, at, level);
}
template <class T>
__device__ __forceinline__ void texCubemapLayeredLod(
    T* texel, musaTextureObject_t texture, float x, float y, float z, int layer, float level) {
    *texel = texCubemapLayeredLod<T>(texture, x, y, z, layer, level);
}
template <class T>
__device__ __forceinline__ T tex1DGrad(musaTextureObject_t texture, float x, float dx, float dy) {
    const float at[3] = {x, 0, 0}, steps[2] = {dx, dy};
    return musa_sim::fetch_gradient<T, 1>(texture, 0, 0, at, steps);
}
template <class T>
__device__ __forceinline__ void tex1DGrad(T* texel, musaTextureObject_t texture, float x, float dx, float dy) {
    *texel = tex1DGrad<T>(texture, x, dx, dy);
}
template <class T>
__device__ __forceinline__ T tex2DGrad(musaTextureObject_t texture, float x, float y, float2 dx, float2 dy) {
    const float at[3] = {x, y, 0}, steps[4] = {dx.x, dx.y, dy.x, dy.y};
    return musa_sim::fetch_gradient<T, 2>(texture, 0, 0, at, steps);
}
template <class T>
__device__ __forceinline__ void tex2DGrad(
    T* texel, musaTextureObject_t texture, float x, float y, float2 dx, float2 dy) {
    *texel = tex2DGrad<T>(texture, x, y, dx, dy);
}
template <class T>
__device__ __forceinline__ T tex3DGrad(musaTextureObject_t texture, float x, float y, float z, float4 dx, float4 dy) {
    const float at[3] = {x, y, z}, steps[6] = {dx.x, dx.y, dx.z, dy.x, dy.y, dy.z};
    return musa_sim::fetch_gradient<T, 3>(texture, 0, 0, at, steps);
}
template <class T>
__device__ __forceinline__ void tex3DGrad(
    T* texel, musaTextureObject_t texture, float x, float y, float z, float4 dx, float4 dy) {
    *texel = tex3DGrad<T>(texture, x, y, z, dx, dy);
}
template <class T>
__device__ __forceinline__ T tex1DLayeredGrad(musaTextureObject_t texture, float x, int layer, float dx, float dy) {
    const float at[3] = {x, 0, 0}, steps[2] = {dx, dy};
    return musa_sim::fetch_gradient<T, 1>(texture, musaArrayLayered, layer, at, steps);
}
template <class T>
__device__ __forceinline__ void tex1DLayeredGrad(
    T* texel, musaTextureObject_t texture, float x, int layer, float dx, float dy) {
    *texel = tex1DLayeredGrad<T>(texture, x, layer, dx, dy);
}
template <class T>
__device__ __forceinline__ T tex2DLayeredGrad(
    musaTextureObject_t texture, float x, float y, int layer, float2 dx, float2 dy) {
    const float at[3] = {x, y, 0}, steps[4] = {dx.x, dx.y, dy.x, dy.y};
    return musa_sim::fetch_gradient<T, 2>(texture, musaArrayLayered, layer, at, steps);
}
template <class T>
__device__ __forceinline__ void tex2DLayeredGrad(
    T* texel, musaTextureObject_t texture, float x, float y, int layer, float2 dx, float2 dy) {
    *texel = tex2DLayeredGrad<T>(texture, x, y, layer, dx, dy);
}

/* x in bytes */
template <class T>
__device__ __forceinline__ T surf1Dread(musaSurfaceObject_t surface, int x,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 1>(surface, x, 0, 0, mode));
}
template <class T>
__device__ __forceinline__ T surf2Dread(musaSurfaceObject_t surface, int x, int y,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 2>(surface, x, y, 0, mode));
}
template <class T>
__device__ __forceinline__ T surf3Dread(musaSurfaceObject_t surface, int x, int y, int z,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, z, mode));
}
template <class T>
__device__ __forceinline__ void surf1Dread(T* value, musaSurfaceObject_t surface, int x,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = surf1Dread<T>(surface, x, mode);
}
template <class T>
__device__ __forceinline__ void surf2Dread(T* value, musaSurfaceObject_t surface, int x, int y,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = surf2Dread<T>(surface, x, y, mode);
}
template <class T>
__device__ __forceinline__ void surf3Dread(T* value, musaSurfaceObject_t surface, int x, int y, int z,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = surf3Dread<T>(surface, x, y, z, mode);
}
template <class T>
__device__ __forceinline__ void surf1Dwrite(T value, musaSurfaceObject_t surface, int x,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 1>(surface, x, 0, 0, mode), value);
}
template <class T>
__device__ __forceinline__ void surf2Dwrite(T value, musaSurfaceObject_t surface, int x, int y,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 2>(surface, x, y, 0, mode), value);
}
template <class T>
__device__ __forceinline__ void surf3Dwrite(T value, musaSurfaceObject_t surface, int x, int y, int z,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 3>(surface, x, y, z, mode), value);
}

/* A layer is a third coordinate, and so is a face of a cube map: face 6 * layer + face of one with layers. */
template <class T>
__device__ __forceinline__ T surf1DLayeredread(musaSurfaceObject_t surface, int x, int layer,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, 0, layer, mode));
}
template <class T>
__device__ __forceinline__ void surf1DLayeredread(T* value, musaSurfaceObject_t surface, int x, int layer,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, 0, layer, mode));
}
template <class T>
__device__ __forceinline__ void surf1DLayeredwrite(T value, musaSurfaceObject_t surface, int x, int layer,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 3>(surface, x, 0, layer, mode), value);
}
template <class T>
__device__ __forceinline__ T surf2DLayeredread(musaSurfaceObject_t surface, int x, int y, int layer,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, layer, mode));
}
template <class T>
__device__ __forceinline__ void surf2DLayeredread(T* value, musaSurfaceObject_t surface, int x, int y, int layer,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, layer, mode));
}
template <class T>
__device__ __forceinline__ void surf2DLayeredwrite(T value, musaSurfaceObject_t surface, int x, int y, int layer,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 3>(surface, x, y, layer, mode), value);
}
template <class T>
__device__ __forceinline__ T surfCubemapread(musaSurfaceObject_t surface, int x, int y, int face,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, face, mode));
}
template <class T>
__device__ __forceinline__ void surfCubemapread(T* value, musaSurfaceObject_t surface, int x, int y, int face,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, face, mode));
}
template <class T>
__device__ __forceinline__ void surfCubemapwrite(T value, musaSurfaceObject_t surface, int x, int y, int face,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 3>(surface, x, y, face, mode), value);
}
template <class T>
__device__ __forceinline__ T surfCubemapLayeredread(musaSurfaceObject_t surface, int x, int y, int face,
                                        musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    return musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, face, mode));
}
template <class T>
__device__ __forceinline__ void surfCubemapLayeredread(T* value, musaSurfaceObject_t surface, int x, int y, int face,
                                           musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    *value = musa_sim::read(musa_sim::surface_element<T, 3>(surface, x, y, face, mode));
}
template <class T>
__device__ __forceinline__ void surfCubemapLayeredwrite(T value, musaSurfaceObject_t surface, int x, int y, int face,
                                            musaSurfaceBoundaryMode mode = musaBoundaryModeTrap) {
    musa_sim::write(musa_sim::surface_element<T, 3>(surface, x, y, face, mode), value);
}

#endif
