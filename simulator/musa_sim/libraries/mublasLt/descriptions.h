// The content of opaque structures, and their attributes.
#pragma once

#include <mublasLt.h>

#include <cstring>
#include <new>
#include <type_traits>

#include "product.h"
#include "transform.h"

namespace mublas_lt {

// The criteria for choosing an algorithm; there is one.
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t search_mode = 0;
    std::uint32_t reduction_schemes = MUBLASLT_REDUCTION_SCHEME_MASK;
    float most_waves = 0;
    std::uint32_t pointer_modes = 0;
    std::uint32_t epilogues = 0;
    std::uint64_t implementations = ~std::uint64_t{};
    std::int32_t processors = 0;
    std::uint32_t alignments[4] = {256, 256, 256, 256};  // of A, B, C, D
};

// The content of an opaque structure.
template <class Object, class Opaque>
Object* inside(Opaque* opaque) {
    static_assert(sizeof(Object) <= sizeof opaque->data && std::is_trivially_copyable<Object>::value);
    return opaque ? std::launder(reinterpret_cast<Object*>(opaque->data)) : nullptr;
}
inline Desc* inside(mublasLtMatmulDesc_t desc) { return inside<Desc>(desc); }
inline Layout* inside(mublasLtMatrixLayout_t layout) { return inside<Layout>(layout); }
inline Preference* inside(mublasLtMatmulPreference_t preference) { return inside<Preference>(preference); }
inline Transform* inside(mublasLtMatrixTransformDesc_t desc) { return inside<Transform>(desc); }


struct Attribute {
    void* at = nullptr;  // nullptr: no attribute has this number
    std::size_t size = 0;
};

template <class T>
Attribute attribute(T& field) {
    return {&field, sizeof field};
}

// `find(object, number)` returns the attribute of an object.
template <class Object, class Number>
mublasStatus set(Object* object, Number number, const void* value, std::size_t size) {
    if (!object || !value) return MUBLAS_STATUS_INVALID_VALUE;
    const Attribute found = find(*object, number);
    if (!found.at) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (size != found.size) return MUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(found.at, value, size);
    return MUBLAS_STATUS_SUCCESS;
}

// Without room for the value, return its size alone.
template <class Object, class Number>
mublasStatus get(Object* object, Number number, void* value, std::size_t size, std::size_t* written) {
    if (!object) return MUBLAS_STATUS_INVALID_VALUE;
    const Attribute found = find(*object, number);
    if (!found.at) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (size == 0 && !written) return MUBLAS_STATUS_INVALID_VALUE;
    if (written) *written = found.size;
    if (size == 0) return MUBLAS_STATUS_SUCCESS;
    if (!value || size < found.size) return MUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, found.at, found.size);
    return MUBLAS_STATUS_SUCCESS;
}

}  // namespace mublas_lt
