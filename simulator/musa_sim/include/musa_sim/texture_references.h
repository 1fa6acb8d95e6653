/* Texture references, CUDA's interface before texture objects. muAlg's templates name them, so they are declared; to make
 * one, or to bind one, is an error that says so.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_TEXTURE_REFERENCES_H
#define MUSA_SIM_TEXTURE_REFERENCES_H

#include <driver_types.h>

#define MUSA_SIM_NO_TEXTURE_REFERENCES \
    "the simulator has no texture references: use a texture object (musaCreateTextureObject)"

template <class T, int dimensions = musaTextureType1D, musaTextureReadMode mode = musaReadModeElementType>
struct texture {
    static_assert(sizeof(T) == 0, MUSA_SIM_NO_TEXTURE_REFERENCES);
};

#define MUSA_SIM_REFUSED(name)                                                                   \
    template <class T, int dimensions, musaTextureReadMode mode, class... More>                  \
    musaError_t name(const texture<T, dimensions, mode>&, More...) {                             \
        static_assert(sizeof(T) == 0, MUSA_SIM_NO_TEXTURE_REFERENCES);                           \
        return musaErrorNotSupported;                                                            \
    }
MUSA_SIM_REFUSED(musaBindTexture2D)
MUSA_SIM_REFUSED(musaBindTextureToArray)
MUSA_SIM_REFUSED(musaUnbindTexture)
#undef MUSA_SIM_REFUSED
template <class T, int dimensions, musaTextureReadMode mode, class... More>
musaError_t musaBindTexture(size_t*, const texture<T, dimensions, mode>&, More...) {
    static_assert(sizeof(T) == 0, MUSA_SIM_NO_TEXTURE_REFERENCES);
    return musaErrorNotSupported;
}
template <class T, int dimensions, musaTextureReadMode mode>
__device__ T tex1Dfetch(const texture<T, dimensions, mode>&, int) {
    static_assert(sizeof(T) == 0, MUSA_SIM_NO_TEXTURE_REFERENCES);
    return T();
}

#endif
