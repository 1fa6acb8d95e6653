// Choose a C++ type by the number of a data type.
#pragma once

#include <library_types.h>
#include <muComplex.h>

namespace musa_sim {

// A type as an argument of a generic lambda: typename decltype(tag)::type.
template <class T>
struct TypeTag {
    using type = T;
};

// Call `visit` with the tag of a type that is computed as it is stored; return `unsupported` for other data types.
template <class Status, class Visit>
Status with_data_type(musaDataType_t type, Status unsupported, Visit&& visit) {
    switch (type) {
        case MUSA_R_32F: return visit(TypeTag<float>());
        case MUSA_R_64F: return visit(TypeTag<double>());
        case MUSA_C_32F: return visit(TypeTag<muComplex>());
        case MUSA_C_64F: return visit(TypeTag<muDoubleComplex>());
        default: return unsupported;
    }
}

// The type of a complex number's parts; other types are their own.
inline musaDataType_t real_type(musaDataType_t type) {
    return type == MUSA_C_32F ? MUSA_R_32F : type == MUSA_C_64F ? MUSA_R_64F : type;
}

}  // namespace musa_sim
