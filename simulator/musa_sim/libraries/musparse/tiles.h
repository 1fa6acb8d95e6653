// Conversions between matrices of dense tiles of any size, compressed by rows of tiles. Compressed rows of entries (CSR) have
// tiles of one element.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "entries.h"

namespace musparse::tiles {

struct Shape {
    musparseDirection_t direction;  // of the elements in a tile
    int rows, columns;              // of a tile

    bool valid() const {
        return (direction == MUSPARSE_DIRECTION_ROW || direction == MUSPARSE_DIRECTION_COLUMN) && rows > 0 && columns > 0;
    }
    std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
    std::size_t element(int row, int column) const {
        return direction == MUSPARSE_DIRECTION_ROW ? static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)
                                                   : static_cast<std::size_t>(column) * rows + static_cast<std::size_t>(row);
    }
};

constexpr Shape entry{MUSPARSE_DIRECTION_ROW, 1, 1};

inline int lines_of(int elements, int size) { return (elements + size - 1) / size; }

// The positions of tiles, in the device's arrays.
struct Pattern {
    Shape shape;
    int lines;  // rows of tiles
    const int* begins;
    const int* columns;
    int base;

    // Call visit(row, column, position among the values) for each element of each tile in a row of tiles.
    template <class Visit>
    void in_line(int line, Visit&& visit) const {
        for (int tile = begins[line] - base; tile < begins[line + 1] - base; ++tile) {
            const std::size_t first = static_cast<std::size_t>(tile) * shape.size();
            for (int row = 0; row < shape.rows; ++row) {
                for (int column = 0; column < shape.columns; ++column)
                    visit(line * shape.rows + row, (columns[tile] - base) * shape.columns + column,
                          first + shape.element(row, column));
            }
        }
    }
    // The same for the elements in rows from `first` to before `end`.
    template <class Visit>
    void in_rows(int first, int end, Visit&& visit) const {
        for (int line = first / shape.rows; line < std::min(lines, lines_of(end, shape.rows)); ++line) {
            in_line(line, [&](int row, int column, std::size_t at) {
                if (row >= first && row < end) visit(row, column, at);
            });
        }
    }
    // The columns of tiles of another shape that have an element in a row of those tiles.
    std::vector<int> columns_in(int line, const Shape& other) const {
        std::set<int> found;
        in_rows(line * other.rows, (line + 1) * other.rows, [&](int, int column, std::size_t) { found.insert(column / other.columns); });
        return {found.begin(), found.end()};
    }
};

// Write the beginnings of rows of tiles of another shape; their number.
inline int count(const Pattern& from, const Shape& to, int lines, int base, int* begins) {
    int total = 0;
    for (int line = 0; line < lines; ++line) {
        begins[line] = total + base;
        total += static_cast<int>(from.columns_in(line, to).size());
    }
    begins[lines] = total + base;
    return total;
}

// Write a matrix in tiles of another shape, whose columns are sorted; `values` may be null.
template <class T>
void convert(const Pattern& from, const T* values, const Shape& to, int lines, int base, T* made, int* begins, int* columns) {
    count(from, to, lines, base, begins);
    for (int line = 0; line < lines; ++line) {
        const std::vector<int> there = from.columns_in(line, to);
        const int first = begins[line] - base;
        for (std::size_t i = 0; i < there.size(); ++i) columns[static_cast<std::size_t>(first) + i] = there[i] + base;
        if (!values) continue;
        std::fill_n(made + static_cast<std::size_t>(first) * to.size(), there.size() * to.size(), T());
        from.in_rows(line * to.rows, (line + 1) * to.rows, [&](int row, int column, std::size_t at) {
            const auto tile = std::lower_bound(there.begin(), there.end(), column / to.columns) - there.begin() + first;
            made[static_cast<std::size_t>(tile) * to.size() + to.element(row % to.rows, column % to.columns)] = values[at];
        });
    }
}

// Enqueue work that returns a number, which goes to host or device memory by the pointer mode; on the host it is there on
// return.
template <class Work>
musparseStatus_t enqueue_count(musparseHandle_t handle, int* total, Work work) {
    const musparseStatus_t status = enqueue(handle, [=] { *total = work(); });
    if (status != MUSPARSE_STATUS_SUCCESS || handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) return status;
    return musaStreamSynchronize(handle->stream) == musaSuccess ? status : MUSPARSE_STATUS_INTERNAL_ERROR;
}

}  // namespace musparse::tiles
