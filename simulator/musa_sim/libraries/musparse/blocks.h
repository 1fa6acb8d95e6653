// Matrices whose entries are dense square blocks (BSR), of which compressed rows (CSR) are those of size 1: products and
// triangular solvers.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "entries.h"

namespace musparse::blocks {

// Blocks of `dim` rows and columns, compressed by rows of blocks. The arrays are those of the device.
template <class T>
struct Blocks {
    musparseDirection_t direction;  // of the elements in a block
    int rows, columns, count;       // of blocks
    const T* values;
    const int* row_begins;
    const int* column_indices;
    int dim;
    int base;

    bool valid() const {
        const bool by_known = direction == MUSPARSE_DIRECTION_ROW || direction == MUSPARSE_DIRECTION_COLUMN;
        return by_known && rows >= 0 && columns >= 0 && count >= 0 && dim > 0 && row_begins &&
               (count == 0 || (values && column_indices));
    }
    int scalar_rows() const { return rows * dim; }
    int scalar_columns() const { return columns * dim; }
    std::size_t element(std::size_t block, int row, int column) const {
        const auto size = static_cast<std::size_t>(dim);
        const int first = direction == MUSPARSE_DIRECTION_ROW ? row : column;
        const int second = direction == MUSPARSE_DIRECTION_ROW ? column : row;
        return block * size * size + static_cast<std::size_t>(first) * size + static_cast<std::size_t>(second);
    }
};

// Call visit(row of blocks, column of blocks, block) for each block.
template <class T, class Visit>
void for_each_block(const Blocks<T>& a, Visit&& visit) {
    for (int row = 0; row < a.rows; ++row) {
        for (int block = a.row_begins[row] - a.base; block < a.row_begins[row + 1] - a.base; ++block)
            visit(row, a.column_indices[block] - a.base, static_cast<std::size_t>(block));
    }
}

// Call visit(row, column, position among the values) for each element of each block.
template <class T, class Visit>
void for_each_position(const Blocks<T>& a, Visit&& visit) {
    for_each_block(a, [&](int block_row, int block_column, std::size_t block) {
        for (int row = 0; row < a.dim; ++row) {
            for (int column = 0; column < a.dim; ++column)
                visit(block_row * a.dim + row, block_column * a.dim + column, a.element(block, row, column));
        }
    });
}

// Call visit(row, column, value) for each element of each block.
template <class T, class Visit>
void for_each_element(const Blocks<T>& a, Visit&& visit) {
    for_each_position(a, [&](int row, int column, std::size_t at) { visit(row, column, Element<T>::number(a.values[at])); });
}

template <class T>
struct Dense {
    T* values;
    int ld;
    bool transposed;

    T& at(int row, int column) const {
        const auto line = static_cast<std::size_t>(ld);
        return transposed ? values[static_cast<std::size_t>(column) + static_cast<std::size_t>(row) * line]
                          : values[static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * line];
    }
};

// C = alpha A op(B) + beta C. If beta is zero, C is not read.
template <class T>
void multiply(const Blocks<T>& a, Number<T> alpha, const Dense<const T>& b, Number<T> beta, const Dense<T>& c,
              int columns) {
    const auto width = static_cast<std::size_t>(columns);
    std::vector<Number<T>> sums(static_cast<std::size_t>(a.scalar_rows()) * width);
    for_each_element(a, [&](int row, int column, Number<T> value) {
        for (int j = 0; j < columns; ++j)
            sums[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(j)] +=
                value * Element<T>::number(b.at(column, j));
    });
    for (int row = 0; row < a.scalar_rows(); ++row) {
        for (int j = 0; j < columns; ++j) {
            T& target = c.at(row, j);
            Number<T> value = alpha * sums[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(j)];
            if (!(beta == Number<T>())) value = value + beta * Element<T>::number(target);
            target = Element<T>::stored(value);
        }
    }
}

template <class T>
musparseStatus_t multiply(musparseHandle_t handle, musparseOperation_t op_a, musparseOperation_t op_b,
                          musparseMatDescr_t description, const Blocks<T>& a, const T* alpha, const Dense<const T>& b,
                          const T* beta, const Dense<T>& c, int columns) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const int b_lines = b.transposed ? columns : a.scalar_columns();
    const bool has_arrays = alpha && beta && b.values && c.values;
    if (!is_operation(op_a) || !is_operation(op_b) || !description || !a.valid() || columns < 0 || !has_arrays ||
        b.ld < std::max(1, b_lines) || c.ld < std::max(1, a.scalar_rows()))
        return MUSPARSE_STATUS_INVALID_VALUE;
    // As in cuSPARSE: the matrix of blocks is not transposed, and the other one not conjugated.
    if (op_a != MUSPARSE_OPERATION_NON_TRANSPOSE || op_b == MUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return MUSPARSE_STATUS_NOT_SUPPORTED;
    if (description->type != MUSPARSE_MATRIX_TYPE_GENERAL) return MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return enqueue(handle, [=, factor = Scalar<T>(handle, alpha), kept = Scalar<T>(handle, beta)] {
        multiply<T>(a, factor.get(), b, kept.get(), c, columns);
    });
}

// The first row of blocks, counted from the matrix's base, whose block on the diagonal is missing or has a zero on the
// diagonal, or -1. The work of a stream writes it, and the program may destroy its handle of it before.
using Pivot = std::shared_ptr<std::atomic<int>>;

inline Pivot no_pivot() { return std::make_shared<std::atomic<int>>(-1); }

template <class T>
int missing_pivot(const Blocks<T>& a, bool numbers) {
    std::vector<bool> good(static_cast<std::size_t>(a.rows));
    for_each_block(a, [&](int row, int column, std::size_t block) {
        if (row != column) return;
        bool all = true;
        for (int i = 0; numbers && i < a.dim; ++i)
            all = all && !(Element<T>::number(a.values[a.element(block, i, i)]) == Number<T>());
        good[static_cast<std::size_t>(row)] = all;
    });
    const auto found = std::find(good.begin(), good.end(), false);
    return found == good.end() ? -1 : static_cast<int>(found - good.begin()) + a.base;
}

// op(A) op(X) = alpha op(B), where A is a triangle.
template <class T>
struct System {
    Blocks<T> a;
    musparseOperation_t op_a;
    musparseFillMode_t fill;
    musparseDiagType_t diagonal;
    Dense<const T> b;
    Dense<T> x;
    int columns;
};

template <class T>
void substitute(const System<T>& s, Number<T> alpha) {
    const bool plain = s.op_a == MUSPARSE_OPERATION_NON_TRANSPOSE, unit = s.diagonal == MUSPARSE_DIAG_TYPE_UNIT;
    const bool lower = (s.fill == MUSPARSE_FILL_MODE_LOWER) == plain;
    const int size = s.a.scalar_rows();
    std::vector<std::vector<std::pair<int, Number<T>>>> lines(static_cast<std::size_t>(size));
    std::vector<Number<T>> pivots(static_cast<std::size_t>(size), Number<T>(unit ? 1 : 0));
    for_each_element(s.a, [&](int row, int column, Number<T> value) {
        const Number<T> factor = under<T>(s.op_a, value);
        if (row == column) {
            if (!unit) pivots[static_cast<std::size_t>(row)] = factor;
        } else if ((s.fill == MUSPARSE_FILL_MODE_LOWER) == (row > column)) {
            lines[static_cast<std::size_t>(plain ? row : column)].emplace_back(plain ? column : row, factor);
        }
    });
    std::vector<Number<T>> x(static_cast<std::size_t>(size));
    for (int column = 0; column < s.columns; ++column) {
        for (int step = 0; step < size; ++step) {
            const int row = lower ? step : size - 1 - step;
            Number<T> value = alpha * Element<T>::number(s.b.at(row, column));
            for (const auto& [other, factor] : lines[static_cast<std::size_t>(row)])
                value = value - factor * x[static_cast<std::size_t>(other)];
            x[static_cast<std::size_t>(row)] = value / pivots[static_cast<std::size_t>(row)];
        }
        for (int row = 0; row < size; ++row) s.x.at(row, column) = Element<T>::stored(x[static_cast<std::size_t>(row)]);
    }
}

template <class T>
musparseStatus_t analyse(musparseHandle_t handle, musparseMatDescr_t description, const Blocks<T>& a,
                         const Pivot* pivot) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!description || !pivot || !a.valid()) return MUSPARSE_STATUS_INVALID_VALUE;
    const bool unit = description->diagonal == MUSPARSE_DIAG_TYPE_UNIT;
    return enqueue(handle, [=, found = *pivot] { found->store(unit ? -1 : missing_pivot(a, false)); });
}

template <class T>
musparseStatus_t solve(musparseHandle_t handle, musparseMatDescr_t description, musparseOperation_t op_x,
                       System<T> system, const T* alpha, const Pivot* pivot) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const int size = system.a.scalar_rows(), lines = system.b.transposed ? system.columns : size;
    if (!description || !pivot || !alpha || !system.a.valid() || !is_operation(system.op_a) || !is_operation(op_x) ||
        system.columns < 0 || !system.b.values || !system.x.values || system.b.ld < std::max(1, lines) ||
        system.x.ld < std::max(1, lines))
        return MUSPARSE_STATUS_INVALID_VALUE;
    if (op_x == MUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) return MUSPARSE_STATUS_NOT_SUPPORTED;
    system.fill = description->fill;
    system.diagonal = description->diagonal;
    return enqueue(handle, [=, found = *pivot, factor = Scalar<T>(handle, alpha)] {
        if (system.diagonal == MUSPARSE_DIAG_TYPE_NON_UNIT) found->store(missing_pivot(system.a, true));
        substitute<T>(system, factor.get());
    });
}

// Waits for the work that looks for the pivot.
inline musparseStatus_t zero_pivot(musparseHandle_t handle, const Pivot* pivot, int* position) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!pivot || !position) return MUSPARSE_STATUS_INVALID_VALUE;
    if (musaStreamSynchronize(handle->stream) != musaSuccess) return MUSPARSE_STATUS_INTERNAL_ERROR;
    const int found = (*pivot)->load();
    const musparseStatus_t result = found < 0 ? MUSPARSE_STATUS_SUCCESS : MUSPARSE_STATUS_ZERO_PIVOT;
    if (handle->pointer_mode == MUSPARSE_POINTER_MODE_HOST) {
        *position = found;
        return result;
    }
    const musparseStatus_t status = enqueue(handle, [=] { *position = found; });
    return status == MUSPARSE_STATUS_SUCCESS ? result : status;
}

inline int base_of(musparseMatDescr_t description) { return description ? description->base : 0; }

inline musparseStatus_t give_size(musparseHandle_t handle, bool valid, int* size) {
    std::size_t given = 0;
    const musparseStatus_t status = give_some(handle, valid && size, &given);
    if (status == MUSPARSE_STATUS_SUCCESS) *size = static_cast<int>(given);
    return status;
}

}  // namespace musparse::blocks
