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

// Return MUBLAS_STATUS_INVALID_VALUE for sizes that are not those of a matrix, NOT_IMPLEMENTED for an order of memory that
// is not by rows or columns.
inline mublasStatus check(const Layout& layout) {
    const bool by_columns = layout.order == MUBLASLT_ORDER_COL;
    if (!by_columns && layout.order != MUBLASLT_ORDER_ROW)
        return layout.order > MUBLASLT_ORDER_ROW && layout.order <= MUBLASLT_ORDER_COL32_2R_4R4
                   ? MUBLAS_STATUS_NOT_IMPLEMENTED
                   : MUBLAS_STATUS_INVALID_VALUE;
    if (layout.planes != 0) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    const std::uint64_t line = by_columns ? layout.rows : layout.columns;
    const std::uint64_t most = 0x7fffffff;
    const bool fits = layout.rows > 0 && layout.columns > 0 && layout.rows <= most && layout.columns <= most &&
                      layout.ld >= static_cast<std::int64_t>(line) && layout.batches >= 1;
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_VALUE;
}

}  // namespace mublas_lt
