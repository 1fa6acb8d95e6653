// C = alpha op(A) op(B) + beta C, for any element types.
#pragma once

#include <algorithm>
#include <type_traits>
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

// The sum of the products of a row's elements, with so many sums at a time that none waits for the one before it.
template <class Sum, class In>
Sum dot_product(const In* row, const Sum* vector, int count, bool conjugated) {
    constexpr int lanes = 64 / sizeof(Sum) < 4 ? 4 : 64 / sizeof(Sum);
    const auto factor = [conjugated](In x) {
        const Number<In> number = Element<In>::number(x);
        return static_cast<Sum>(conjugated ? conjugate(number) : number);
    };
    Sum sums[lanes] = {};
    int p = 0;
    for (; p + lanes <= count; p += lanes) {
        for (int i = 0; i < lanes; ++i) sums[i] += factor(row[p + i]) * vector[p + i];
    }
    for (; p < count; ++p) sums[0] += factor(row[p]) * vector[p];
    for (int i = 1; i < lanes; ++i) sums[0] += sums[i];
    return sums[0];
}

// Adds `count` columns, each times its element of a vector, to the sums: four at a time, so that sums are read less often.
template <class Sum, class In>
void add_columns(const In* columns, int ld, bool conjugated, const Sum* vector, int count, std::vector<Sum>& sums) {
    const int rows = static_cast<int>(sums.size());
    const auto factor = [conjugated](In x) {
        const Number<In> number = Element<In>::number(x);
        return static_cast<Sum>(conjugated ? conjugate(number) : number);
    };
    const auto column = [columns, ld](int p) { return columns + static_cast<std::size_t>(p) * ld; };
    int p = 0;
    for (; p + 4 <= count; p += 4) {
        const In *const w = column(p), *const x = column(p + 1), *const y = column(p + 2), *const z = column(p + 3);
        const Sum f = vector[p], g = vector[p + 1], h = vector[p + 2], k = vector[p + 3];
        Sum* const to = sums.data();
        for (int i = 0; i < rows; ++i) {
            to[i] += (factor(w[i]) * f + factor(x[i]) * g) + (factor(y[i]) * h + factor(z[i]) * k);
        }
    }
    for (; p < count; ++p) {
        for (int i = 0; i < rows; ++i) sums[i] += factor(column(p)[i]) * vector[p];
    }
}

// C = alpha sum + beta C, for one element.
template <class Out, class Sum>
void finish(Out& target, Sum alpha, Sum sum, Sum beta) {
    Sum value = alpha * sum;
    // With beta zero C is not read: it may hold anything, NaN included.
    if (!(beta == Sum())) value = value + beta * static_cast<Sum>(Element<Out>::number(target));
    target = Element<Out>::stored(value);
}

// A product with one column (n = 1) or one row (m = 1): the matrix is read once, where it lies.
template <class In, class Out, class Sum>
void multiply_vector(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    const bool column = s.n == 1;
    const In* const matrix = column ? a : b;
    const int ld = column ? s.lda : s.ldb, count = column ? s.m : s.n;
    const mublasOperation_t operation = column ? s.trans_a : s.trans_b;
    const bool conjugated = operation == MUBLAS_OP_C;
    const bool is_row = count == 1 && ld == 1;  // which lies as a column would
    const bool by_rows = is_row || (operation == MUBLAS_OP_N) != column;
    constexpr int most = 4096;  // elements of the vector at a time: they stay in the cache
    std::vector<Sum> vector(std::min(most, s.k)), sums(count);
    for (int first = 0; first < s.k; first += most) {
        const int there = std::min(most, s.k - first);
        const Sum* factors = vector.data();
        if constexpr (std::is_same<In, Sum>::value) {
            if (column && s.trans_b == MUBLAS_OP_N) factors = b + first;  // where they lie already
        }
        for (int p = 0; factors == vector.data() && p < there; ++p) {
            vector[p] = column ? element(b, s.ldb, s.trans_b, first + p, 0) : element(a, s.lda, s.trans_a, 0, first + p);
        }
        if (!by_rows) {
            add_columns(matrix + static_cast<std::size_t>(first) * ld, ld, conjugated, factors, there, sums);
            continue;
        }
        for (int i = 0; i < count; ++i) {
            const In* const row = matrix + static_cast<std::size_t>(i) * ld + first;
            sums[i] += dot_product(row, factors, there, conjugated);
        }
    }
    for (int i = 0; i < count; ++i) {
        finish(c[column ? i : static_cast<std::size_t>(i) * s.ldc], alpha, sums[i], beta);
    }
}

// Panels of op(A) and op(B) that the processor's caches hold are packed and multiplied, tile by tile. Where there is more
// than one panel, the sums are kept until the last one.
template <class In, class Out, class Sum>
void gemm(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    if (s.m == 1 || s.n == 1) return multiply_vector(s, alpha, a, b, beta, c);
    constexpr int panel = 256, rows = Tile<Sum>::rows, columns = Tile<Sum>::columns;
    const std::size_t strips_a = (s.m + rows - 1) / rows, strips_b = (s.n + columns - 1) / columns;
    std::vector<Sum> sums(s.k > panel ? static_cast<std::size_t>(s.m) * s.n : 0);
    const int most = std::min(panel, s.k);
    std::vector<Sum> left(strips_a * rows * most), right(strips_b * columns * most);
    int first = 0;
    do {
        const int count = std::min(panel, s.k - first);
        const bool begins = first == 0, ends = first + count == s.k;
        pack_left(s, a, first, count, left);
        pack_right(s, b, first, count, right);
        for (std::size_t y = 0; y < strips_b; ++y) {
            for (std::size_t x = 0; x < strips_a; ++x) {
                Sum tile[rows * columns] = {};
                multiply_panels(count, left.data() + x * rows * count, right.data() + y * columns * count, tile);
                const int last_row = std::min<int>(rows, s.m - x * rows);
                const int last_column = std::min<int>(columns, s.n - y * columns);
                for (int j = 0; j < last_column; ++j) {
                    Sum* const column = sums.data() + (y * columns + j) * s.m + x * rows;
                    Out* const target = c + (y * columns + j) * s.ldc + x * rows;
                    Sum* const made = tile + j * rows;
                    if (!begins) {
                        for (int i = 0; i < last_row; ++i) made[i] += column[i];
                    }
                    if (ends) {
                        for (int i = 0; i < last_row; ++i) finish(target[i], alpha, made[i], beta);
                    } else {
                        std::copy(made, made + last_row, column);
                    }
                }
            }
        }
        first += panel;
    } while (first < s.k);
}

}  // namespace mublas
