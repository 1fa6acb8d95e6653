// Older operations without a counterpart in the newer interface: products with sparse vectors, compression, pruning, sorting of rows,
// colouring.
#include <cmath>
#include <numeric>

#include "infos.h"
#include "tiles.h"

namespace musparse::older {
namespace {

template <class T>
void put(T& target, Number<T> sum, Number<T> alpha, Number<T> beta) {
    Number<T> value = alpha * sum;
    if (!(beta == Number<T>())) value = value + beta * Element<T>::number(target);
    target = Element<T>::stored(value);
}

// y = alpha op(A) x + beta y, A dense, x sparse.
template <class T>
musparseStatus_t multiply_by_sparse(musparseHandle_t handle, musparseOperation_t op, int m, int n, const T* alpha, const T* a, int ld,
                                    int count, const T* x, const int* indices, const T* beta, T* y, musparseIndexBase_t base) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!is_operation(op) || m < 0 || n < 0 || count < 0 || ld < std::max(1, m) || !alpha || !beta || !a || !y || !is_base(base) ||
        (count > 0 && !(x && indices)))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, factor = Scalar<T>(handle, alpha), kept = Scalar<T>(handle, beta)] {
        const bool plain = op == MUSPARSE_OPERATION_NON_TRANSPOSE;
        for (int row = 0; row < (plain ? m : n); ++row) {
            Number<T> sum{};
            for (int i = 0; i < count; ++i) {
                const auto other = static_cast<std::size_t>(indices[i] - base), line = static_cast<std::size_t>(row);
                const T element = a[plain ? line + other * static_cast<std::size_t>(ld) : other + line * static_cast<std::size_t>(ld)];
                sum += under<T>(op, Element<T>::number(element)) * Element<T>::number(x[i]);
            }
            put(y[row], sum, factor.get(), kept.get());
        }
    });
}

// C = alpha A B + beta C, A dense, B by compressed columns from 0.
template <class T>
musparseStatus_t multiply_by_columns(musparseHandle_t handle, int m, int n, int k, int count, const T* alpha, const T* a, int ld,
                                     const T* b, const int* begins, const int* rows, const T* beta, T* c, int ldc) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || count < 0 || ld < std::max(1, m) || ldc < std::max(1, m) || !alpha || !beta || !a || !begins || !c)
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, factor = Scalar<T>(handle, alpha), kept = Scalar<T>(handle, beta)] {
        for (int column = 0; column < n; ++column) {
            for (int row = 0; row < m; ++row) {
                Number<T> sum{};
                for (int i = begins[column]; i < begins[column + 1]; ++i)
                    sum += Element<T>::number(a[static_cast<std::size_t>(row) + static_cast<std::size_t>(rows[i]) * ld]) *
                           Element<T>::number(b[i]);
                put(c[static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * ldc], sum, factor.get(), kept.get());
            }
        }
    });
}

// y = alpha A x + beta y in the rows of blocks that the mask lists; a row of blocks ends where `ends` says.
template <class T>
musparseStatus_t multiply_masked(musparseHandle_t handle, const tiles::Shape& shape, musparseOperation_t op, int listed, int lines,
                                 int columns, int count, const T* alpha, musparseMatDescr_t description, const T* values,
                                 const int* mask, const int* begins, const int* ends, const int* indices, const T* x, const T* beta,
                                 T* y) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const bool has_arrays = (listed == 0 || mask) && begins && ends && x && y && (count == 0 || (values && indices));
    if (!is_operation(op) || !shape.valid() || listed < 0 || lines < 0 || columns < 0 || count < 0 || !description || !alpha ||
        !beta || !has_arrays)
        return MUSPARSE_STATUS_INVALID_VALUE;
    if (op != MUSPARSE_OPERATION_NON_TRANSPOSE) return MUSPARSE_STATUS_NOT_SUPPORTED;
    return enqueue(handle, [=, base = static_cast<int>(description->base), factor = Scalar<T>(handle, alpha),
                            kept = Scalar<T>(handle, beta)] {
        for (int i = 0; i < listed; ++i) {
            const int line = mask[i] - base;
            for (int row = 0; row < shape.rows; ++row) {
                Number<T> sum{};
                for (int tile = begins[line] - base; tile < ends[line] - base; ++tile) {
                    for (int column = 0; column < shape.columns; ++column)
                        sum += Element<T>::number(values[static_cast<std::size_t>(tile) * shape.size() + shape.element(row, column)]) *
                               Element<T>::number(x[(indices[tile] - base) * shape.columns + column]);
                }
                put(y[line * shape.rows + row], sum, factor.get(), kept.get());
            }
        }
    });
}

template <class T>
double size_of(T value) {
    return std::fabs(static_cast<double>(Element<T>::number(value)));
}
double size_of(muComplex value) { return std::hypot(static_cast<double>(value.x), static_cast<double>(value.y)); }
double size_of(muDoubleComplex value) { return std::hypot(value.x, value.y); }
template <class T>
double limit_of(T tolerance) {
    return static_cast<double>(Element<T>::number(tolerance));
}
double limit_of(muComplex tolerance) { return tolerance.x; }
double limit_of(muDoubleComplex tolerance) { return tolerance.x; }

template <class T>
musparseStatus_t count_above(musparseHandle_t handle, int m, musparseMatDescr_t description, const T* values, const int* begins,
                             int* of_rows, int* total, T tolerance) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || !description || !begins || !of_rows || !total || limit_of(tolerance) < 0) return MUSPARSE_STATUS_INVALID_VALUE;
    return tiles::enqueue_count(handle, total, [=, base = static_cast<int>(description->base), limit = limit_of(tolerance)] {
        int all = 0;
        for (int row = 0; row < m; ++row) {
            of_rows[row] = 0;
            for (int i = begins[row] - base; i < begins[row + 1] - base; ++i) of_rows[row] += size_of(values[i]) > limit;
            all += of_rows[row];
        }
        return all;
    });
}

template <class T>
musparseStatus_t keep_above(musparseHandle_t handle, int m, int n, musparseMatDescr_t description, const T* values, const int* columns,
                            const int* begins, const int* of_rows, T* kept, int* kept_columns, int* kept_begins, T tolerance) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || !description || !begins || !of_rows || !kept_begins || limit_of(tolerance) < 0) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, base = static_cast<int>(description->base), limit = limit_of(tolerance)] {
        int next = 0;
        for (int row = 0; row < m; ++row) {
            kept_begins[row] = next + base;
            for (int i = begins[row] - base; i < begins[row + 1] - base; ++i) {
                if (!(size_of(values[i]) > limit)) continue;
                kept[next] = values[i];
                kept_columns[next++] = columns[i];
            }
        }
        kept_begins[m] = next + base;
    });
}

// Sort the entries of each row, or put them back.
template <class T>
musparseStatus_t sort_rows(musparseHandle_t handle, int m, int n, int count, musparseMatDescr_t description, T* values, const int* begins,
                           int* columns, csru2csrInfo* info, bool sorts) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || count < 0 || !description || !info || !begins || (count > 0 && !(values && columns)))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, order = info->order, base = static_cast<int>(description->base)] {
        std::vector<int>& from = *order;
        if (sorts) {
            from.resize(static_cast<std::size_t>(count));
            std::iota(from.begin(), from.end(), 0);
            for (int row = 0; row < m; ++row)
                std::stable_sort(from.begin() + (begins[row] - base), from.begin() + (begins[row + 1] - base),
                                 [=](int a, int b) { return columns[a] < columns[b]; });
        }
        const std::vector<T> old(values, values + from.size());
        const std::vector<int> old_columns(columns, columns + from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto source = sorts ? static_cast<std::size_t>(from[i]) : i, target = sorts ? i : static_cast<std::size_t>(from[i]);
            values[target] = old[source];
            columns[target] = old_columns[source];
        }
    });
}

// Give each row the first colour that no row has which it shares an entry with. All rows get one, whatever part of them is asked
// for.
template <class Real>
musparseStatus_t color(musparseHandle_t handle, int m, int count, musparseMatDescr_t description, const int* begins, const int* columns,
                       const Real* fraction, int* colors, int* coloring, int* reordering, const musparseColorInfo* info) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || count < 0 || !description || !info || !fraction || !begins || !colors || (m > 0 && !coloring))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return tiles::enqueue_count(handle, colors, [=, base = static_cast<int>(description->base)] {
        std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(m));
        for (int row = 0; row < m; ++row) {
            for (int i = begins[row] - base; i < begins[row + 1] - base; ++i) {
                const int other = columns[i] - base;
                if (other == row) continue;
                neighbours[static_cast<std::size_t>(row)].push_back(other);
                neighbours[static_cast<std::size_t>(other)].push_back(row);
            }
        }
        int used = 0;
        std::fill_n(coloring, m, -1);
        for (int row = 0; row < m; ++row) {
            std::vector<bool> taken(static_cast<std::size_t>(used) + 1);
            for (int other : neighbours[static_cast<std::size_t>(row)])
                if (coloring[other] >= 0) taken[static_cast<std::size_t>(coloring[other])] = true;
            coloring[row] = static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
            used = std::max(used, coloring[row] + 1);
        }
        if (reordering) {
            std::vector<int> order(static_cast<std::size_t>(m));
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return coloring[a] < coloring[b]; });
            for (int i = 0; i < m; ++i) reordering[order[static_cast<std::size_t>(i)]] = i;
        }
        return used;
    });
}

template <class T>
musparseStatus_t rotate(musparseHandle_t handle, int count, T* x, const int* indices, T* y, const T* c, const T* s, musparseIndexBase_t base) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (count < 0 || !is_base(base) || !c || !s || (count > 0 && !(x && indices && y))) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, cosine = Scalar<T>(handle, c), sine = Scalar<T>(handle, s)] {
        for (int i = 0; i < count; ++i) {
            T &one = x[i], &other = y[indices[i] - base];
            const T a = one, b = other;
            one = cosine.get() * a + sine.get() * b;
            other = cosine.get() * b - sine.get() * a;
        }
    });
}

}  // namespace
}  // namespace musparse::older

// Rows without their small elements.
namespace musparse::prune {
namespace {

using older::limit_of;
using older::size_of;

// A matrix whose elements are looked at: dense by columns, or rows of entries.
template <class T>
struct Source {
    musparseHandle_t handle;
    int rows, columns, ld;
    const T* values;
    const int* begins;  // null if dense
    const int* indices;
    int base;
    bool valid;

    template <class Visit>
    void in_row(int row, Visit&& visit) const {
        if (begins) {
            for (int i = begins[row] - base; i < begins[row + 1] - base; ++i) visit(indices[i] - base, values[i]);
            return;
        }
        for (int column = 0; column < columns; ++column)
            visit(column, values[static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * static_cast<std::size_t>(ld)]);
    }
};

template <class T>
Source<T> dense(musparseHandle_t handle, int m, int n, const T* a, int ld) {
    return {handle, m, n, ld, a, nullptr, nullptr, 0, m >= 0 && n >= 0 && ld >= std::max(1, m) && a};
}
template <class T>
Source<T> sparse(musparseHandle_t handle, int m, int n, int count, musparseMatDescr_t description, const T* values, const int* begins,
                 const int* indices) {
    const bool valid = m >= 0 && n >= 0 && count >= 0 && description && begins && (count == 0 || (values && indices));
    return {handle, m, n, 0, values, begins, indices, description ? description->base : 0, valid};
}

// The elements that are kept: those larger than a number, or than a part of the elements.
template <class T>
struct Limit {
    bool valid;
    bool is_part;
    std::vector<musa_sim::Scalar<T>> number;
    float percentage;

    double of(const Source<T>& a) const {
        if (!is_part) return limit_of(number[0].get());
        std::vector<double> sizes;
        for (int row = 0; row < a.rows; ++row) a.in_row(row, [&](int, T value) { sizes.push_back(size_of(value)); });
        if (sizes.empty()) return 0;
        std::sort(sizes.begin(), sizes.end());
        const auto count = static_cast<double>(sizes.size());
        const double position = std::ceil(count * (static_cast<double>(percentage) / 100)) - 1;
        return sizes[static_cast<std::size_t>(std::min(std::max(position, 0.0), count - 1))];
    }
};
template <class T>
Limit<T> fixed(musparseHandle_t handle, const T* threshold) {
    if (!handle || !threshold) return {false, false, {}, 0};
    return {true, false, {{threshold, handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE}}, 0};
}
template <class T>
Limit<T> percentage(float part) {
    return {part >= 0 && part <= 100, true, {}, part};
}

template <class T>
musparseStatus_t count(const Source<T>& a, const Limit<T>& limit, musparseMatDescr_t description, int* begins, int* total) {
    if (!a.handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a.valid || !limit.valid || !description || !begins || !total) return MUSPARSE_STATUS_INVALID_VALUE;
    return tiles::enqueue_count(a.handle, total, [=, base = static_cast<int>(description->base)] {
        const double least = limit.of(a);
        int all = 0;
        for (int row = 0; row < a.rows; ++row) {
            begins[row] = all + base;
            a.in_row(row, [&](int, T value) { all += size_of(value) > least; });
        }
        begins[a.rows] = all + base;
        return all;
    });
}

template <class T>
musparseStatus_t keep(const Source<T>& a, const Limit<T>& limit, musparseMatDescr_t description, T* values, const int* begins, int* columns) {
    if (!a.handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a.valid || !limit.valid || !description || !begins) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(a.handle, [=, base = static_cast<int>(description->base)] {
        const double least = limit.of(a);
        for (int row = 0; row < a.rows; ++row) {
            int next = begins[row] - base;
            a.in_row(row, [&](int column, T value) {
                if (!(size_of(value) > least)) return;
                values[next] = value;
                columns[next++] = column + base;
            });
        }
    });
}

}  // namespace
}  // namespace musparse::prune

namespace csr = musparse::csr;
namespace older = musparse::older;
namespace prune = musparse::prune;

MUSA_EXPORT musparseStatus_t musparseCreateColorInfo(musparseColorInfo_t* info) { return musparse::create_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseDestroyColorInfo(musparseColorInfo_t info) { return musparse::destroy_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseSetColorAlgs(musparseColorInfo_t info, musparseColorAlg_t alg) {
    if (!info) return MUSPARSE_STATUS_INVALID_VALUE;
    info->algorithm = alg;
    return MUSPARSE_STATUS_SUCCESS;
}
MUSA_EXPORT musparseStatus_t musparseGetColorAlgs(musparseColorInfo_t info, musparseColorAlg_t* alg) {
    if (!info || !alg) return MUSPARSE_STATUS_INVALID_VALUE;
    *alg = info->algorithm;
    return MUSPARSE_STATUS_SUCCESS;
}


#define MUSPARSE_FUNCTIONS(L, T, R)                                                                                    \
    MUSA_EXPORT musparseStatus_t musparse##L##gemvi_bufferSize(musparseHandle_t handle, musparseOperation_t, int m,    \
    int n, int nnz, int* pBufferSize) {                                                                                \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && nnz >= 0, pBufferSize);                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gemvi(musparseHandle_t handle, musparseOperation_t transA, int m, int n, \
    const T* alpha, const T* A, int lda, int nnz, const T* xVal, const int* xInd, const T* beta, T* y,                 \
    musparseIndexBase_t idxBase, void*) {                                                                              \
        return older::multiply_by_sparse<T>(handle, transA, m, n, alpha, A, lda, nnz, xVal, xInd, beta, y, idxBase);   \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gemmi(musparseHandle_t handle, int m, int n, int k, int nnz, const T*    \
    alpha, const T* A, int lda, const T* cscValB, const int* cscColPtrB, const int* cscRowIndB, const T* beta, T* C,   \
    int ldc) {                                                                                                         \
        return older::multiply_by_columns<T>(handle, m, n, k, nnz, alpha, A, lda, cscValB, cscColPtrB, cscRowIndB,     \
            beta, C, ldc);                                                                                             \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrxmv(musparseHandle_t handle, musparseDirection_t dirA,                \
    musparseOperation_t transA, int sizeOfMask, int mb, int nb, int nnzb, const T* alpha, musparseMatDescr_t descrA,   \
    const T* bsrValA, const int* bsrMaskPtrA, const int* bsrRowPtrA, const int* bsrEndPtrA, const int* bsrColIndA, int \
    blockDim, const T* x, const T* beta, T* y) {                                                                       \
        return older::multiply_masked<T>(handle, {dirA, blockDim, blockDim}, transA, sizeOfMask, mb, nb, nnzb, alpha,  \
            descrA, bsrValA, bsrMaskPtrA, bsrRowPtrA, bsrEndPtrA, bsrColIndA, x, beta, y);                             \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##nnz_compress(musparseHandle_t handle, int m, musparseMatDescr_t descr,   \
    const T* csrValA, const int* csrRowPtrA, int* nnzPerRow, int* nnzC, T tol) {                                       \
        return older::count_above<T>(handle, m, descr, csrValA, csrRowPtrA, nnzPerRow, nnzC, tol);                     \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2csr_compress(musparseHandle_t handle, int m, int n,                  \
    musparseMatDescr_t descrA, const T* csrValA, const int* csrColIndA, const int* csrRowPtrA, int, const int*         \
    nnzPerRow, T* csrValC, int* csrColIndC, int* csrRowPtrC, T tol) {                                                  \
        return older::keep_above<T>(handle, m, n, descrA, csrValA, csrColIndA, csrRowPtrA, nnzPerRow, csrValC,         \
            csrColIndC, csrRowPtrC, tol);                                                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csru2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz,   \
    T*, const int*, int*, csru2csrInfo_t info, size_t* pBufferSize) {                                                  \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && nnz >= 0 && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csru2csr(musparseHandle_t handle, int m, int n, int nnz,                 \
    musparseMatDescr_t descrA, T* csrVal, const int* csrRowPtr, int* csrColInd, csru2csrInfo_t info, void*) {          \
        return older::sort_rows<T>(handle, m, n, nnz, descrA, csrVal, csrRowPtr, csrColInd, info, true);               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2csru(musparseHandle_t handle, int m, int n, int nnz,                 \
    musparseMatDescr_t descrA, T* csrVal, const int* csrRowPtr, int* csrColInd, csru2csrInfo_t info, void*) {          \
        return older::sort_rows<T>(handle, m, n, nnz, descrA, csrVal, csrRowPtr, csrColInd, info, false);              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrcolor(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t     \
    descrA, const T*, const int* csrRowPtrA, const int* csrColIndA, const R* fractionToColor, int* ncolors, int*       \
    coloring, int* reordering, const musparseColorInfo_t info) {                                                       \
        return older::color(handle, m, nnz, descrA, csrRowPtrA, csrColIndA, fractionToColor, ncolors, coloring,        \
            reordering, info);                                                                                         \
    }
MUSPARSE_FUNCTIONS(S, float, float)
MUSPARSE_FUNCTIONS(D, double, double)
MUSPARSE_FUNCTIONS(C, muComplex, float)
MUSPARSE_FUNCTIONS(Z, muDoubleComplex, double)
#undef MUSPARSE_FUNCTIONS

#define MUSPARSE_FUNCTIONS(L, T)                                                                                       \
    MUSA_EXPORT musparseStatus_t musparse##L##roti(musparseHandle_t handle, int nnz, T* xVal, const int* xInd, T* y,   \
    const T* c, const T* s, musparseIndexBase_t idxBase) {                                                             \
        return older::rotate<T>(handle, nnz, xVal, xInd, y, c, s, idxBase);                                            \
    }
MUSPARSE_FUNCTIONS(S, float)
MUSPARSE_FUNCTIONS(D, double)
#undef MUSPARSE_FUNCTIONS

#define MUSPARSE_FUNCTIONS(L, T)                                                                                       \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csr_bufferSizeExt(musparseHandle_t handle, int m, int n,      \
    const T*, int, const T*, musparseMatDescr_t descrC, const T*, const int*, const int*, size_t* pBufferSize) {       \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrC, pBufferSize);                                      \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csrNnz(musparseHandle_t handle, int m, int n, const T* A, int \
    lda, const T* threshold, musparseMatDescr_t descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr, void*) {             \
        return prune::count<T>(prune::dense<T>(handle, m, n, A, lda), prune::fixed<T>(handle, threshold), descrC,      \
            csrRowPtrC, nnzTotalDevHostPtr);                                                                           \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csr(musparseHandle_t handle, int m, int n, const T* A, int    \
    lda, const T* threshold, musparseMatDescr_t descrC, T* csrValC, const int* csrRowPtrC, int* csrColIndC, void*) {   \
        return prune::keep<T>(prune::dense<T>(handle, m, n, A, lda), prune::fixed<T>(handle, threshold), descrC,       \
            csrValC, csrRowPtrC, csrColIndC);                                                                          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m, \
    int n, const T*, int, float, musparseMatDescr_t descrC, const T*, const int*, const int*, pruneInfo_t info,        \
    size_t* pBufferSize) {                                                                                             \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrC && info, pBufferSize);                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csrNnzByPercentage(musparseHandle_t handle, int m, int n,     \
    const T* A, int lda, float percentage, musparseMatDescr_t descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr,        \
    pruneInfo_t, void*) {                                                                                              \
        return prune::count<T>(prune::dense<T>(handle, m, n, A, lda), prune::percentage<T>(percentage), descrC,        \
            csrRowPtrC, nnzTotalDevHostPtr);                                                                           \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneDense2csrByPercentage(musparseHandle_t handle, int m, int n, const  \
    T* A, int lda, float percentage, musparseMatDescr_t descrC, T* csrValC, const int* csrRowPtrC, int* csrColIndC,    \
    pruneInfo_t, void*) {                                                                                              \
        return prune::keep<T>(prune::dense<T>(handle, m, n, A, lda), prune::percentage<T>(percentage), descrC,         \
            csrValC, csrRowPtrC, csrColIndC);                                                                          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csr_bufferSizeExt(musparseHandle_t handle, int m, int n, int,   \
    musparseMatDescr_t, const T*, const int*, const int*, const T*, musparseMatDescr_t descrC, const T*, const int*,   \
    const int*, size_t* pBufferSize) {                                                                                 \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrC, pBufferSize);                                      \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csrNnz(musparseHandle_t handle, int m, int n, int nnzA,         \
    musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* threshold,     \
    musparseMatDescr_t descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr, void*) {                                      \
        return prune::count<T>(prune::sparse<T>(handle, m, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA),          \
            prune::fixed<T>(handle, threshold), descrC, csrRowPtrC, nnzTotalDevHostPtr);                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csr(musparseHandle_t handle, int m, int n, int nnzA,            \
    musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* threshold,     \
    musparseMatDescr_t descrC, T* csrValC, const int* csrRowPtrC, int* csrColIndC, void*) {                            \
        return prune::keep<T>(prune::sparse<T>(handle, m, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA),           \
            prune::fixed<T>(handle, threshold), descrC, csrValC, csrRowPtrC, csrColIndC);                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csrByPercentage_bufferSizeExt(musparseHandle_t handle, int m,   \
    int n, int, musparseMatDescr_t, const T*, const int*, const int*, float, musparseMatDescr_t descrC, const T*,      \
    const int*, const int*, pruneInfo_t info, size_t* pBufferSize) {                                                   \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrC && info, pBufferSize);                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csrNnzByPercentage(musparseHandle_t handle, int m, int n, int   \
    nnzA, musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, float percentage, \
    musparseMatDescr_t descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr, pruneInfo_t, void*) {                         \
        return prune::count<T>(prune::sparse<T>(handle, m, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA),          \
            prune::percentage<T>(percentage), descrC, csrRowPtrC, nnzTotalDevHostPtr);                                 \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##pruneCsr2csrByPercentage(musparseHandle_t handle, int m, int n, int      \
    nnzA, musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, float percentage, \
    musparseMatDescr_t descrC, T* csrValC, const int* csrRowPtrC, int* csrColIndC, pruneInfo_t, void*) {               \
        return prune::keep<T>(prune::sparse<T>(handle, m, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA),           \
            prune::percentage<T>(percentage), descrC, csrValC, csrRowPtrC, csrColIndC);                                \
    }
MUSPARSE_FUNCTIONS(H, __half)
MUSPARSE_FUNCTIONS(S, float)
MUSPARSE_FUNCTIONS(D, double)
#undef MUSPARSE_FUNCTIONS
