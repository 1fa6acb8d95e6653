// Matrices whose entries are dense square blocks (BSR): products, triangular solvers and conversions.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "entries.h"

namespace musparse::blocks {
namespace {

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

// Call visit(row, column, value) for each element of each block.
template <class T, class Visit>
void for_each_element(const Blocks<T>& a, Visit&& visit) {
    for_each_block(a, [&](int block_row, int block_column, std::size_t block) {
        for (int row = 0; row < a.dim; ++row) {
            for (int column = 0; column < a.dim; ++column)
                visit(block_row * a.dim + row, block_column * a.dim + column,
                      Element<T>::number(a.values[a.element(block, row, column)]));
        }
    });
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

Pivot no_pivot() { return std::make_shared<std::atomic<int>>(-1); }

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
musparseStatus_t zero_pivot(musparseHandle_t handle, const Pivot* pivot, int* position) {
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

template <class T>
struct Entries {
    const T* values;
    const int* row_begins;
    const int* column_indices;
    int base;
};

// The columns of blocks in a row of blocks that have an entry, in their order.
template <class T>
std::vector<int> block_columns(const Entries<T>& a, int rows, int block_row, int dim) {
    std::vector<int> found;
    for (int row = block_row * dim; row < std::min(rows, (block_row + 1) * dim); ++row) {
        for (int i = a.row_begins[row] - a.base; i < a.row_begins[row + 1] - a.base; ++i)
            found.push_back((a.column_indices[i] - a.base) / dim);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

template <class T>
void to_blocks(const Entries<T>& a, int rows, const Blocks<T>& shape, T* values, int* row_begins, int* column_indices) {
    std::size_t count = 0;
    row_begins[0] = shape.base;
    const auto size = static_cast<std::size_t>(shape.dim) * static_cast<std::size_t>(shape.dim);
    for (int block_row = 0; block_row < shape.rows; ++block_row) {
        const std::vector<int> columns = block_columns(a, rows, block_row, shape.dim);
        std::fill_n(values + count * size, columns.size() * size, T());
        for (std::size_t i = 0; i < columns.size(); ++i) column_indices[count + i] = columns[i] + shape.base;
        for (int row = block_row * shape.dim; row < std::min(rows, (block_row + 1) * shape.dim); ++row) {
            for (int i = a.row_begins[row] - a.base; i < a.row_begins[row + 1] - a.base; ++i) {
                const int column = a.column_indices[i] - a.base;
                const auto at = std::lower_bound(columns.begin(), columns.end(), column / shape.dim) - columns.begin();
                const std::size_t block = count + static_cast<std::size_t>(at);
                values[shape.element(block, row - block_row * shape.dim, column % shape.dim)] = a.values[i];
            }
        }
        count += columns.size();
        row_begins[block_row + 1] = static_cast<int>(count) + shape.base;
    }
}

// Every element of a block becomes an entry, zeros too.
template <class T>
void to_entries(const Blocks<T>& a, int base, T* values, int* row_begins, int* column_indices) {
    int count = 0;
    for (int row = 0; row < a.scalar_rows(); ++row) {
        row_begins[row] = count + base;
        const int block_row = row / a.dim;
        for (int block = a.row_begins[block_row] - a.base; block < a.row_begins[block_row + 1] - a.base; ++block) {
            for (int column = 0; column < a.dim; ++column, ++count) {
                values[count] = a.values[a.element(static_cast<std::size_t>(block), row % a.dim, column)];
                column_indices[count] = (a.column_indices[block] - a.base) * a.dim + column + base;
            }
        }
    }
    row_begins[a.scalar_rows()] = count + base;
}

int base_of(musparseMatDescr_t description) { return description ? description->base : 0; }
int blocks_of(int lines, int dim) { return dim > 0 ? (lines + dim - 1) / dim : 0; }

musparseStatus_t give_size(musparseHandle_t handle, bool valid, int* size) {
    std::size_t given = 0;
    const musparseStatus_t status = give_some(handle, valid && size, &given);
    if (status == MUSPARSE_STATUS_SUCCESS) *size = static_cast<int>(given);
    return status;
}

}  // namespace
}  // namespace musparse::blocks

namespace bsr = musparse::blocks;

struct bsrsv2Info {
    bsr::Pivot pivot = bsr::no_pivot();
};
struct bsrsm2Info {
    bsr::Pivot pivot = bsr::no_pivot();
};

MUSA_EXPORT musparseStatus_t musparseCreateBsrsv2Info(bsrsv2Info_t* info) { return musparse::create_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseDestroyBsrsv2Info(bsrsv2Info_t info) { return musparse::destroy_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseCreateBsrsm2Info(bsrsm2Info_t* info) { return musparse::create_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseDestroyBsrsm2Info(bsrsm2Info_t info) { return musparse::destroy_descriptor(info); }

MUSA_EXPORT musparseStatus_t musparseXbsrsv2_zeroPivot(musparseHandle_t handle, bsrsv2Info_t info, int* position) {
    return bsr::zero_pivot(handle, info ? &info->pivot : nullptr, position);
}
MUSA_EXPORT musparseStatus_t musparseXbsrsm2_zeroPivot(musparseHandle_t handle, bsrsm2Info_t info, int* position) {
    return bsr::zero_pivot(handle, info ? &info->pivot : nullptr, position);
}

// The number of blocks goes to host or device memory, by the pointer mode.
MUSA_EXPORT musparseStatus_t musparseXcsr2bsrNnz(musparseHandle_t handle, musparseDirection_t, int m, int n,
                                                 musparseMatDescr_t descrA, const int* csrRowPtrA,
                                                 const int* csrColIndA, int blockDim, musparseMatDescr_t descrC,
                                                 int* bsrRowPtrC, int* nnzTotalDevHostPtr) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || blockDim <= 0 || !descrA || !descrC || !csrRowPtrA || !bsrRowPtrC || !nnzTotalDevHostPtr)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const bsr::Entries<float> a{nullptr, csrRowPtrA, csrColIndA, descrA->base};
    const musparseStatus_t status = musparse::enqueue(handle, [=, base = descrC->base] {
        int total = 0;
        for (int row = 0; row < bsr::blocks_of(m, blockDim); ++row) {
            bsrRowPtrC[row] = total + base;
            total += static_cast<int>(bsr::block_columns(a, m, row, blockDim).size());
        }
        bsrRowPtrC[bsr::blocks_of(m, blockDim)] = total + base;
        *nnzTotalDevHostPtr = total;
    });
    if (status != MUSPARSE_STATUS_SUCCESS || handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) return status;
    return musaStreamSynchronize(handle->stream) == musaSuccess ? status : MUSPARSE_STATUS_INTERNAL_ERROR;
}

#define MUSA_SIM_BLOCKS(L, T)                                                                                          \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrmv(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nb, int nnzb,       \
        const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,     \
        int blockDim, const T* x, const T* beta, T* y) {                                                               \
        const bsr::Blocks<T> a{dirA,    mb,         nb,         nnzb,    bsrValA,                                      \
                                    bsrRowPtrA, bsrColIndA, blockDim, bsr::base_of(descrA)};                           \
        const int in = std::max(1, nb * blockDim), out = std::max(1, mb * blockDim);                                   \
        return bsr::multiply<T>(handle, transA, MUSPARSE_OPERATION_NON_TRANSPOSE, descrA, a, alpha,                    \
                                     {x, in, false}, beta, {y, out, false}, 1);                                        \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrmm(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transB,     \
        int mb, int n, int kb, int nnzb, const T* alpha, musparseMatDescr_t descrA, const T* bsrValA,                  \
        const int* bsrRowPtrA, const int* bsrColIndA, int blockSize, const T* B, int ldb, const T* beta, T* C,         \
        int ldc) {                                                                                                     \
        const bsr::Blocks<T> a{dirA,    mb,         kb,         nnzb,    bsrValA,                                      \
                                    bsrRowPtrA, bsrColIndA, blockSize, bsr::base_of(descrA)};                          \
        return bsr::multiply<T>(handle, transA, transB, descrA, a, alpha,                                              \
                                     {B, ldb, transB != MUSPARSE_OPERATION_NON_TRANSPOSE}, beta, {C, ldc, false}, n);  \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_bufferSize(                                                       \
        musparseHandle_t handle, musparseDirection_t, musparseOperation_t, int mb, int nnzb,                           \
        musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsrsv2Info_t info,                        \
        int* pBufferSizeInBytes) {                                                                                     \
        return bsr::give_size(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSizeInBytes);     \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_analysis(                                                         \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t, int mb, int nnzb,                      \
        musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int blockDim,       \
        bsrsv2Info_t info, musparseSolvePolicy_t, void*) {                                                             \
        return bsr::analyse<T>(handle, descrA,                                                                         \
                                    {dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockDim,                    \
                                     bsr::base_of(descrA)},                                                            \
                                    info ? &info->pivot : nullptr);                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_solve(                                                            \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nnzb,               \
        const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,     \
        int blockDim, bsrsv2Info_t info, const T* f, T* x, musparseSolvePolicy_t, void*) {                             \
        const int size = std::max(1, mb * blockDim);                                                                   \
        return bsr::solve<T>(handle, descrA, MUSPARSE_OPERATION_NON_TRANSPOSE,                                         \
                                  {{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockDim,                     \
                                    bsr::base_of(descrA)},                                                             \
                                   transA, {}, {}, {f, size, false}, {x, size, false}, 1},                             \
                                  alpha, info ? &info->pivot : nullptr);                                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_bufferSize(                                                       \
        musparseHandle_t handle, musparseDirection_t, musparseOperation_t, musparseOperation_t, int mb, int n,         \
        int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockSize, bsrsm2Info_t info,             \
        int* pBufferSizeInBytes) {                                                                                     \
        return bsr::give_size(handle, mb >= 0 && n >= 0 && nnzb >= 0 && blockSize > 0 && descrA && info,               \
                                   pBufferSizeInBytes);                                                                \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_analysis(                                                         \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t, musparseOperation_t, int mb, int,      \
        int nnzb, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,           \
        int blockSize, bsrsm2Info_t info, musparseSolvePolicy_t, void*) {                                              \
        return bsr::analyse<T>(handle, descrA,                                                                         \
                                    {dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockSize,                   \
                                     bsr::base_of(descrA)},                                                            \
                                    info ? &info->pivot : nullptr);                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_solve(                                                            \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transXY,    \
        int mb, int n, int nnzb, const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA,   \
        const int* bsrColIndA, int blockSize, bsrsm2Info_t info, const T* B, int ldb, T* X, int ldx,                   \
        musparseSolvePolicy_t, void*) {                                                                                \
        const bool turned = transXY != MUSPARSE_OPERATION_NON_TRANSPOSE;                                               \
        return bsr::solve<T>(handle, descrA, transXY,                                                                  \
                                  {{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockSize,                    \
                                    bsr::base_of(descrA)},                                                             \
                                   transA, {}, {}, {B, ldb, turned}, {X, ldx, turned}, n},                             \
                                  alpha, info ? &info->pivot : nullptr);                                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2bsr(                                                                 \
        musparseHandle_t handle, musparseDirection_t dir, int m, int n, musparseMatDescr_t descrA, const T* csrValA,   \
        const int* csrRowPtrA, const int* csrColIndA, int blockDim, musparseMatDescr_t descrC, T* bsrValC,             \
        int* bsrRowPtrC, int* bsrColIndC) {                                                                            \
        if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;                                                           \
        if (m < 0 || n < 0 || blockDim <= 0 || !descrA || !descrC || !csrRowPtrA || !bsrRowPtrC)                       \
            return MUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        const bsr::Blocks<T> shape{dir,     bsr::blocks_of(m, blockDim), bsr::blocks_of(n, blockDim),                  \
                                        0,       nullptr,                          nullptr,                            \
                                        nullptr, blockDim,                         descrC->base};                      \
        const bsr::Entries<T> a{csrValA, csrRowPtrA, csrColIndA, descrA->base};                                        \
        return musparse::enqueue(handle,                                                                               \
                                 [=] { bsr::to_blocks<T>(a, m, shape, bsrValC, bsrRowPtrC, bsrColIndC); });            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsr2csr(                                                                 \
        musparseHandle_t handle, musparseDirection_t dir, int mb, int nb, musparseMatDescr_t descrA, const T* bsrValA, \
        const int* bsrRowPtrA, const int* bsrColIndA, int blockDim, musparseMatDescr_t descrC, T* csrValC,             \
        int* csrRowPtrC, int* csrColIndC) {                                                                            \
        if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;                                                           \
        if (mb < 0 || nb < 0 || blockDim <= 0 || !descrA || !descrC || !bsrRowPtrA || !csrRowPtrC)                     \
            return MUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        const bsr::Blocks<T> a{dir, mb, nb, 0, bsrValA, bsrRowPtrA, bsrColIndA, blockDim, descrA->base};               \
        return musparse::enqueue(handle, [=, base = descrC->base] {                                                    \
            bsr::to_entries<T>(a, base, csrValC, csrRowPtrC, csrColIndC);                                              \
        });                                                                                                            \
    }
MUSA_SIM_BLOCKS(S, float)
MUSA_SIM_BLOCKS(D, double)
MUSA_SIM_BLOCKS(C, muComplex)
MUSA_SIM_BLOCKS(Z, muDoubleComplex)
#undef MUSA_SIM_BLOCKS
