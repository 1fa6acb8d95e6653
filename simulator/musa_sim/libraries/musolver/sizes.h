// Types as arguments, and sizes of 64 bits.
#pragma once

#include <climits>
#include <cstdint>
#include <initializer_list>

#include "../data_types.h"
#include "solver.h"

namespace musolver {

// The sizes of a matrix; valid if LAPACK's integers hold them.
struct Sizes {
    std::int64_t rows, columns, ld;

    bool valid() const {
        return rows >= 0 && columns >= 0 && rows <= INT_MAX && columns <= INT_MAX && ld <= INT_MAX &&
               ld >= std::max<std::int64_t>(1, rows);
    }
    int m() const { return static_cast<int>(rows); }
    int n() const { return static_cast<int>(columns); }
    int lda() const { return static_cast<int>(ld); }
};

using musa_sim::real_type;

template <class Visit>
musolverStatus_t with_element(musaDataType_t type, Visit visit) {
    return musa_sim::with_data_type(type, MUSOLVER_STATUS_NOT_SUPPORTED, visit);
}

// Return the sizes of the workspace: not zero on the device, so that programs allocate it; zero on the host.
inline musolverStatus_t give_sizes(musolverDnHandle_t handle, bool valid, musaDataType_t type, std::size_t* on_device,
                            std::size_t* on_host) {
    return with_element(type, [&](auto element) {
        const musolverStatus_t status = check(handle, valid && on_device && on_host);
        if (status != MUSOLVER_STATUS_SUCCESS) return status;
        *on_device = sizeof(typename decltype(element)::type);
        *on_host = 0;
        return status;
    });
}

inline bool same(musaDataType_t type, std::initializer_list<musaDataType_t> others) {
    return std::all_of(others.begin(), others.end(), [=](musaDataType_t other) { return other == type; });
}

}  // namespace musolver
