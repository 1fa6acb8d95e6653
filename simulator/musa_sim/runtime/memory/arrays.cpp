#include "memory/arrays.h"

#include "base/lifetime.h"

namespace musa_sim {

LiveObjects<musaArray>& live_arrays() {
    static auto& arrays = leaked<LiveObjects<musaArray>>();
    return arrays;
}

LiveObjects<musaMipmappedArray>& live_mipmapped_arrays() {
    static auto& arrays = leaked<LiveObjects<musaMipmappedArray>>();
    return arrays;
}

int components_of(const musaChannelFormatDesc& desc) {
    const int bits = desc.x;
    const bool has_kind = desc.f == musaChannelFormatKindFloat
                              ? bits == 16 || bits == 32
                              : (desc.f == musaChannelFormatKindSigned ||
                                 desc.f == musaChannelFormatKindUnsigned) &&
                                    (bits == 8 || bits == 16 || bits == 32);
    if (!has_kind) return 0;
    if (desc.y == 0) return desc.z == 0 && desc.w == 0 ? 1 : 0;
    if (desc.y != bits) return 0;
    if (desc.z == 0) return desc.w == 0 ? 2 : 0;
    return desc.z == bits && desc.w == bits ? 4 : 0;
}

}  // namespace musa_sim
