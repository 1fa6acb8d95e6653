// The description of a matrix.
#pragma once

#include <mublasLt.h>

#include <cstdint>

namespace mublas_lt {

struct Layout {
    std::uint32_t type = MUSA_R_32F;
    std::int32_t order = MUBLASLT_ORDER_COL;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t ld = 0;
    std::int32_t batches = 1;
    std::int64_t stride = 0;
    std::int64_t planes = 0;
};

// The rows of a tile of 32 columns; 0 for orders without tiles.
inline std::uint64_t rows_of_tile(std::int32_t order) {
    switch (order) {
        case MUBLASLT_ORDER_COL32: return 1;
        case MUBLASLT_ORDER_COL4_4R2_8C: return 8;
        case MUBLASLT_ORDER_COL32_2R_4R4: return 32;
        default: return 0;
    }
}

// Return MUBLAS_STATUS_INVALID_VALUE for sizes that are not those of a matrix, NOT_IMPLEMENTED for complex planes.
inline mublasStatus check(const Layout& layout) {
    if (layout.order < MUBLASLT_ORDER_COL || layout.order > MUBLASLT_ORDER_COL32_2R_4R4) return MUBLAS_STATUS_INVALID_VALUE;
    if (layout.planes != 0) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    const std::uint64_t tile = rows_of_tile(layout.order);
    const std::uint64_t line = tile ? (layout.rows + tile - 1) / tile * tile * 32
                               : layout.order == MUBLASLT_ORDER_COL ? layout.rows : layout.columns;
    const std::uint64_t most = 0x7fffffff;
    const bool fits = layout.rows > 0 && layout.columns > 0 && layout.rows <= most && layout.columns <= most &&
                      layout.ld >= static_cast<std::int64_t>(line) && layout.batches >= 1;
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace mublas_lt
