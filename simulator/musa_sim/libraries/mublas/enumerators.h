// Which enumerators of muBLAS are valid.
#pragma once

#include <mublas.h>

namespace mublas {

inline bool is_operation(mublasOperation_t operation) {
    return operation == MUBLAS_OP_N || operation == MUBLAS_OP_T || operation == MUBLAS_OP_C;
}

inline bool is_fill(mublasFillMode_t fill) { return fill == MUBLAS_FILL_MODE_LOWER || fill == MUBLAS_FILL_MODE_UPPER; }

inline bool is_side(mublasSideMode_t side) { return side == MUBLAS_SIDE_LEFT || side == MUBLAS_SIDE_RIGHT; }

}  // namespace mublas
