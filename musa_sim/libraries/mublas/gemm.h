// C = alpha op(A) op(B) + beta C, for any element types.
#pragma once

#include <algorithm>
#include <vector>

#include "context.h"
#include "numbers.h"
#include "tiles.h"

namespace mublas {

struct Shape {
    mublasOperation_t trans_a, trans_b;
    int m, n, k;
    int lda, ldb, ldc;
};

inline mublasStatus check_shape(mublasHandle_t handle, const Shape& s) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(s.trans_a) || !is_operation(s.trans_b)) return MUBLAS_STATUS_INVALID_VALUE;
    if (s.m < 0 || s.n < 0 || s.k < 0) return MUBLAS_STATUS_INVALID_SIZE;
    const int rows_a = s.trans_a == MUBLAS_OP_N ? s.m : s.k;
    const int rows_b = s.trans_b == MUBLAS_OP_N ? s.k : s.n;
    const bool fits = s.lda >= std::max(1, rows_a) && s.ldb >= std::max(1, rows_b) && s.ldc >= std::max(1, s.m);
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// Element (row, column) of op(X).
template <class T>
Number<T> element(const T* x, int ld, mublasOperation_t operation, int row, int column) {
    const std::size_t at = operation == MUBLAS_OP_N ? row + static_cast<std::size_t>(column) * ld
                                                    : column + static_cast<std::size_t>(row) * ld;
    const Number<T> value = Element<T>::number(x[at]);
    return operation == MUBLAS_OP_C ? conjugate(value) : value;
}

// Copies `count` columns of op(A) from `first` on, converted, in strips of Tile::rows rows; the last one ends with zeros.
template <class Sum, class In>
void pack_left(const Shape& s, const In* a, int first, int count, std::vector<Sum>& packed) {
    constexpr int rows = Tile<Sum>::rows;
    Sum* to = packed.data();
    for (int begin = 0; begin < s.m; begin += rows) {
        const int there = std::min(rows, s.m - begin);
        for (int p = 0; p < count; ++p, to += rows) {
            for (int i = 0; i < there; ++i) to[i] = element(a, s.lda, s.trans_a, begin + i, first + p);
            std::fill(to + there, to + rows, Sum());
        }
    }
}

// The same of rows of op(B), in strips of Tile::columns columns.
template <class Sum, class In>
void pack_right(const Shape& s, const In* b, int first, int count, std::vector<Sum>& packed) {
    constexpr int columns = Tile<Sum>::columns;
    Sum* to = packed.data();
    for (int begin = 0; begin < s.n; begin += columns) {
        const int there = std::min(columns, s.n - begin);
        for (int p = 0; p < count; ++p, to += columns) {
            for (int j = 0; j < there; ++j) to[j] = element(b, s.ldb, s.trans_b, first + p, begin + j);
            std::fill(to + there, to + columns, Sum());
        }
    }
}

// Panels of op(A) and op(B) that the processor's caches hold are packed and multiplied, tile by tile.
template <class In, class Out, class Sum>
void gemm(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    constexpr int panel = 256, rows = Tile<Sum>::rows, columns = Tile<Sum>::columns;
    const std::size_t strips_a = (s.m + rows - 1) / rows, strips_b = (s.n + columns - 1) / columns;
    std::vector<Sum> sums(static_cast<std::size_t>(s.m) * s.n);
    const int most = std::min(panel, s.k);
    std::vector<Sum> left(strips_a * rows * most), right(strips_b * columns * most);
    for (int first = 0; first < s.k; first += panel) {
        const int count = std::min(panel, s.k - first);
        pack_left(s, a, first, count, left);
        pack_right(s, b, first, count, right);
        for (std::size_t y = 0; y < strips_b; ++y) {
            for (std::size_t x = 0; x < strips_a; ++x) {
                Sum tile[rows * columns] = {};
                multiply_panels(count, &left[x * rows * count], &right[y * columns * count], tile);
                const int last_row = std::min<int>(rows, s.m - x * rows);
                const int last_column = std::min<int>(columns, s.n - y * columns);
                for (int j = 0; j < last_column; ++j) {
                    Sum* const column = &sums[(y * columns + j) * s.m + x * rows];
                    for (int i = 0; i < last_row; ++i) column[i] += tile[j * rows + i];
                }
            }
        }
    }
    for (int j = 0; j < s.n; ++j) {
        for (int i = 0; i < s.m; ++i) {
            Out& target = c[i + static_cast<std::size_t>(j) * s.ldc];
            Sum value = alpha * sums[static_cast<std::size_t>(j) * s.m + i];
            // With beta zero C is not read: it may hold anything, NaN included.
            if (!(beta == Sum())) value = value + beta * static_cast<Sum>(Element<Out>::number(target));
            target = Element<Out>::stored(value);
        }
    }
}

}  // namespace mublas
