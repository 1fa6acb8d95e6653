// The older functions of compressed rows (CSR): triangular solvers, incomplete factorisations, which blocks (BSR) have too,
// and products. Rows are blocks of size 1.
#include <cmath>
#include <cstring>
#include <map>

#include "blocks.h"
#include "infos.h"
#include "tiles.h"

namespace musparse::csr {
namespace {

namespace bsr = blocks;
using bsr::Blocks;

template <class T>
Blocks<T> matrix(int m, int nnz, const T* values, const int* begins, const int* columns, musparseMatDescr_t description) {
    return {MUSPARSE_DIRECTION_ROW, m, m, nnz, values, begins, columns, 1, bsr::base_of(description)};
}

template <class Info>
const bsr::Pivot* pivot_of(const Info* info) {
    return info ? &info->pivot : nullptr;
}

template <class T>
T real_part(T x) {
    return x;
}
template <class T>
T real_part(mublas::Complex<T> x) {
    return x.re;
}
template <class T>
double squared(T x) {
    return static_cast<double>(real_part(x * mublas::conjugate(x)));
}

// The elements of a factorisation in place: rows of (column, position), sorted, and the numbers at the positions.
template <class T>
struct Elements {
    explicit Elements(const Blocks<T>& a) : rows(static_cast<std::size_t>(a.scalar_rows())), diagonal(rows.size(), -1) {
        for_each_position(a, [&](int row, int column, std::size_t at) {
            if (numbers.size() <= at) numbers.resize(at + 1);
            numbers[at] = Element<T>::number(a.values[at]);
            rows[static_cast<std::size_t>(row)].emplace_back(column, at);
            if (row == column) diagonal[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(at);
        });
        for (auto& row : rows) std::sort(row.begin(), row.end());
    }
    Number<T> pivot(int row) const {
        const std::int64_t at = diagonal[static_cast<std::size_t>(row)];
        return at < 0 ? Number<T>() : numbers[static_cast<std::size_t>(at)];
    }
    std::vector<std::vector<std::pair<int, std::size_t>>> rows;
    std::vector<std::int64_t> diagonal;
    std::vector<Number<T>> numbers;
};

// The positions of one row by column, or -1.
class RowPositions {
public:
    explicit RowPositions(std::size_t columns) : positions_(columns, -1) {}
    template <class Row>
    void take(const Row& row) {
        for (int column : taken_) positions_[static_cast<std::size_t>(column)] = -1;
        taken_.clear();
        for (const auto& [column, at] : row) {
            positions_[static_cast<std::size_t>(column)] = static_cast<std::int64_t>(at);
            taken_.push_back(column);
        }
    }
    std::int64_t operator[](int column) const { return positions_[static_cast<std::size_t>(column)]; }

private:
    std::vector<std::int64_t> positions_;
    std::vector<int> taken_;
};

// A = L U without the elements that A lacks, L's diagonal is one. Pivots not larger than the boost's tolerance become its
// number. Return the first row without a pivot, or -1.
template <class T>
int factor(Elements<T>& a, const csrilu02Info& info) {
    int missing = -1;
    RowPositions positions(a.rows.size());
    for (int row = 0; row < static_cast<int>(a.rows.size()); ++row) {
        const auto& there = a.rows[static_cast<std::size_t>(row)];
        positions.take(there);
        for (const auto& [before, at] : there) {
            if (before >= row) break;
            const Number<T> factor = a.numbers[at] / a.pivot(before);
            a.numbers[at] = factor;
            for (const auto& [column, from] : a.rows[static_cast<std::size_t>(before)]) {
                const std::int64_t to = column > before ? positions[column] : -1;
                if (to >= 0) a.numbers[static_cast<std::size_t>(to)] = a.numbers[static_cast<std::size_t>(to)] - factor * a.numbers[from];
            }
        }
        const std::int64_t diagonal = a.diagonal[static_cast<std::size_t>(row)];
        if (diagonal >= 0 && info.boosts && squared(a.pivot(row)) <= info.tolerance() * info.tolerance())
            a.numbers[static_cast<std::size_t>(diagonal)] = Element<T>::number(info.number<T>());
        if (missing < 0 && a.pivot(row) == Number<T>()) missing = row;
    }
    return missing;
}

// A = L L^H in the lower triangle, the only one that is read and written.
template <class T>
int factor(Elements<T>& a, const csric02Info&) {
    int missing = -1;
    RowPositions positions(a.rows.size());
    for (int row = 0; row < static_cast<int>(a.rows.size()); ++row) {
        const auto& there = a.rows[static_cast<std::size_t>(row)];
        positions.take(there);
        double square = real_part(a.pivot(row));
        for (const auto& [before, at] : there) {
            if (before >= row) break;
            Number<T> value = a.numbers[at];
            for (const auto& [column, from] : a.rows[static_cast<std::size_t>(before)]) {
                if (column >= before) break;
                if (positions[column] < 0) continue;
                value = value - a.numbers[static_cast<std::size_t>(positions[column])] * mublas::conjugate(a.numbers[from]);
            }
            a.numbers[at] = value / a.pivot(before);
            square -= squared(a.numbers[at]);
        }
        const std::int64_t diagonal = a.diagonal[static_cast<std::size_t>(row)];
        if (missing < 0 && (diagonal < 0 || !(square > 0))) missing = row;
        using Real = decltype(real_part(Number<T>()));
        if (diagonal >= 0) a.numbers[static_cast<std::size_t>(diagonal)] = Number<T>(static_cast<Real>(std::sqrt(square)));
    }
    return missing;
}

template <class T, class Info>
musparseStatus_t check(musparseHandle_t handle, musparseMatDescr_t description, const Blocks<T>& a, const Info* info) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!description || !info || !a.valid()) return MUSPARSE_STATUS_INVALID_VALUE;
    return description->type == MUSPARSE_MATRIX_TYPE_GENERAL ? MUSPARSE_STATUS_SUCCESS : MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

template <class T, class Info>
musparseStatus_t analyse(musparseHandle_t handle, musparseMatDescr_t description, const Blocks<T>& a, const Info* info) {
    const musparseStatus_t status = check(handle, description, a, info);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, found = info->pivot] { found->store(missing_pivot(a, false)); });
}

template <class T, class Info>
musparseStatus_t factor(musparseHandle_t handle, musparseMatDescr_t description, const Blocks<T>& a, T* values, const Info* info) {
    const musparseStatus_t status = check(handle, description, a, info);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, info = *info] {
        Elements<T> elements(a);
        const int missing = factor(elements, info);
        for (int row = 0; row < a.scalar_rows(); ++row) {
            for (const auto& [column, at] : elements.rows[static_cast<std::size_t>(row)])
                if (!info.lower_alone || column <= row) values[at] = Element<T>::stored(elements.numbers[at]);
        }
        info.pivot->store(missing < 0 ? -1 : missing / a.dim + a.base);
    });
}

template <class T, class Info>
musparseStatus_t boost(musparseHandle_t handle, Info* info, int enable, const double* tolerance, const T* number) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!info || (enable && !(tolerance && number))) return MUSPARSE_STATUS_INVALID_VALUE;
    info->boosts = enable != 0;
    if (enable) info->set(tolerance, number, handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE);
    return MUSPARSE_STATUS_SUCCESS;
}

template <class T>
struct Sparse {
    const T* values;
    const int* begins;
    const int* columns;
    int base;

    template <class Visit>
    void in_row(int row, Visit&& visit) const {
        for (int i = begins[row] - base; i < begins[row + 1] - base; ++i) visit(columns[i] - base, i);
    }
};
template <class T>
Sparse<T> sparse(musparseMatDescr_t description, const T* values, const int* begins, const int* columns) {
    return {values, begins, columns, bsr::base_of(description)};
}

// A row of alpha A B + beta D; a null factor leaves its term out.
template <class T>
std::map<int, Number<T>> row_of(int row, const Number<T>* alpha, const Sparse<T>& a, const Sparse<T>& b, const Number<T>* beta,
                                const Sparse<T>& d) {
    std::map<int, Number<T>> sums;
    const auto at = [](const Sparse<T>& x, int i) { return x.values ? Element<T>::number(x.values[i]) : Number<T>(); };
    if (alpha) {
        a.in_row(row, [&](int middle, int i) {
            b.in_row(middle, [&](int column, int j) { sums[column] += at(a, i) * at(b, j); });
        });
        for (auto& [column, sum] : sums) sum = *alpha * sum;
    }
    if (beta) d.in_row(row, [&](int column, int i) { sums[column] += *beta * at(d, i); });
    return sums;
}

bool has_arrays(const csrgemm2Info& info, const Sparse<float>& a, const Sparse<float>& b, const Sparse<float>& d) {
    return (!info.has_product || (a.begins && b.begins)) && (!info.has_sum || d.begins);
}

musparseStatus_t count_product(musparseHandle_t handle, int m, const Sparse<float>& a, const Sparse<float>& b, const Sparse<float>& d,
                               musparseMatDescr_t description, int* begins, int* total, const csrgemm2Info* info) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || !info || !description || !begins || !total || !has_arrays(*info, a, b, d)) return MUSPARSE_STATUS_INVALID_VALUE;
    return tiles::enqueue_count(handle, total, [=, info = *info, base = static_cast<int>(description->base)] {
        const float one = 1;
        int count = 0;
        for (int row = 0; row < m; ++row) {
            begins[row] = count + base;
            count += static_cast<int>(
                row_of<float>(row, info.has_product ? &one : nullptr, a, b, info.has_sum ? &one : nullptr, d).size());
        }
        begins[m] = count + base;
        return count;
    });
}

// alpha or beta, or nothing.
template <class T>
class MaybeScalar {
public:
    MaybeScalar(musparseHandle_t handle, const T* address) {
        if (address) factor_.emplace_back(handle, address);
    }
    std::vector<Number<T>> get() const { return factor_.empty() ? std::vector<Number<T>>() : std::vector<Number<T>>{factor_[0].get()}; }

private:
    std::vector<Scalar<T>> factor_;
};

template <class T>
musparseStatus_t multiply_and_add(musparseHandle_t handle, int m, const T* alpha, const Sparse<T>& a, const Sparse<T>& b, const T* beta,
                                  const Sparse<T>& d, musparseMatDescr_t description, T* values, const int* begins, int* columns,
                                  const csrgemm2Info* info) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const bool product = !alpha || (a.begins && b.begins), sum = !beta || d.begins;
    if (m < 0 || !info || !description || !begins || !product || !sum || (!alpha && !beta)) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, base = static_cast<int>(description->base), factor = MaybeScalar<T>(handle, alpha),
                            kept = MaybeScalar<T>(handle, beta)] {
        const std::vector<Number<T>> one = factor.get(), other = kept.get();
        for (int row = 0; row < m; ++row) {
            int next = begins[row] - base;
            for (const auto& [column, value] : row_of<T>(row, one.data(), a, b, other.data(), d)) {
                columns[next] = column + base;
                values[next++] = Element<T>::stored(value);
            }
        }
    });
}

}  // namespace
}  // namespace musparse::csr

namespace bsr = musparse::blocks;
namespace csr = musparse::csr;

#define MUSPARSE_INFO(NAME, TYPE)                                                                          \
    MUSA_EXPORT musparseStatus_t musparseCreate##NAME##Info(TYPE##Info_t* info) {                          \
        return musparse::create_descriptor(info);                                                          \
    }                                                                                                      \
    MUSA_EXPORT musparseStatus_t musparseDestroy##NAME##Info(TYPE##Info_t info) {                          \
        return musparse::destroy_descriptor(info);                                                         \
    }
#define MUSPARSE_PIVOT_INFO(NAME, TYPE)                                                                    \
    MUSPARSE_INFO(NAME, TYPE)                                                                              \
    MUSA_EXPORT musparseStatus_t musparseX##TYPE##_zeroPivot(musparseHandle_t handle, TYPE##Info_t info,   \
                                                             int* position) {                              \
        return bsr::zero_pivot(handle, csr::pivot_of(info), position);                                     \
    }
MUSPARSE_PIVOT_INFO(Csrsv2, csrsv2)
MUSPARSE_PIVOT_INFO(Csrsm2, csrsm2)
MUSPARSE_PIVOT_INFO(Csric02, csric02)
MUSPARSE_PIVOT_INFO(Csrilu02, csrilu02)
MUSPARSE_PIVOT_INFO(Bsric02, bsric02)
MUSPARSE_PIVOT_INFO(Bsrilu02, bsrilu02)
MUSPARSE_INFO(Csrgemm2, csrgemm2)
MUSPARSE_INFO(Csru2csr, csru2csr)
MUSPARSE_INFO(Prune, prune)

MUSA_EXPORT musparseStatus_t musparseXcsrgemm2Nnz(musparseHandle_t handle, int m, int, int, musparseMatDescr_t descrA,
    int, const int* csrRowPtrA, const int* csrColIndA, musparseMatDescr_t descrB, int, const int* csrRowPtrB, const
    int* csrColIndB, musparseMatDescr_t descrD, int, const int* csrRowPtrD, const int* csrColIndD, musparseMatDescr_t
    descrC, int* csrRowPtrC, int* nnzTotalDevHostPtr, const csrgemm2Info_t info, void*) {
    return csr::count_product(handle, m, csr::sparse<float>(descrA, nullptr, csrRowPtrA, csrColIndA),
        csr::sparse<float>(descrB, nullptr, csrRowPtrB, csrColIndB), csr::sparse<float>(descrD, nullptr, csrRowPtrD,
        csrColIndD), descrC, csrRowPtrC, nnzTotalDevHostPtr, info);
}

#define MUSPARSE_FUNCTIONS(L, T)                                                                                       \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsv2_bufferSize(musparseHandle_t handle, musparseOperation_t, int m,   \
    int nnz, musparseMatDescr_t descrA, T*, const int*, const int*, csrsv2Info_t info, int* pBufferSize) {             \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsv2_bufferSizeExt(musparseHandle_t handle, musparseOperation_t, int   \
    m, int nnz, musparseMatDescr_t descrA, T*, const int*, const int*, csrsv2Info_t info, size_t* pBufferSize) {       \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsv2_analysis(musparseHandle_t handle, musparseOperation_t, int m, int \
    nnz, musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csrsv2Info_t info, \
    musparseSolvePolicy_t, void*) {                                                                                    \
        return bsr::analyse<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA),        \
            csr::pivot_of(info));                                                                                      \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsv2_solve(musparseHandle_t handle, musparseOperation_t transA, int m, \
    int nnz, const T* alpha, musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int*            \
    csrColIndA, csrsv2Info_t info, const T* f, T* x, musparseSolvePolicy_t, void*) {                                   \
        const int ld = std::max(1, m);                                                                                 \
        return bsr::solve<T>(handle, descrA, MUSPARSE_OPERATION_NON_TRANSPOSE, {csr::matrix<T>(m, nnz, csrValA,        \
            csrRowPtrA, csrColIndA, descrA), transA, {}, {}, {f, ld, false}, {x, ld, false}, 1}, alpha,                \
            csr::pivot_of(info));                                                                                      \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsm2_bufferSizeExt(musparseHandle_t handle, int, musparseOperation_t,  \
    musparseOperation_t, int m, int nrhs, int nnz, const T*, musparseMatDescr_t descrA, const T*, const int*, const    \
    int*, const T*, int, csrsm2Info_t info, musparseSolvePolicy_t, size_t* pBufferSize) {                              \
        return csr::give_buffer(handle, m >= 0 && nrhs >= 0 && nnz >= 0 && descrA && info, pBufferSize);               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsm2_analysis(musparseHandle_t handle, int, musparseOperation_t,       \
    musparseOperation_t, int m, int, int nnz, const T*, musparseMatDescr_t descrA, const T* csrValA, const int*        \
    csrRowPtrA, const int* csrColIndA, const T*, int, csrsm2Info_t info, musparseSolvePolicy_t, void*) {               \
        return bsr::analyse<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA),        \
            csr::pivot_of(info));                                                                                      \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrsm2_solve(musparseHandle_t handle, int, musparseOperation_t transA,   \
    musparseOperation_t transB, int m, int nrhs, int nnz, const T* alpha, musparseMatDescr_t descrA, const T* csrValA, \
    const int* csrRowPtrA, const int* csrColIndA, T* B, int ldb, csrsm2Info_t info, musparseSolvePolicy_t, void*) {    \
        const bool turned = transB != MUSPARSE_OPERATION_NON_TRANSPOSE;                                                \
        return bsr::solve<T>(handle, descrA, transB, {csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA), \
            transA, {}, {}, {B, ldb, turned}, {B, ldb, turned}, nrhs}, alpha, csr::pivot_of(info));                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csric02_bufferSize(musparseHandle_t handle, int m, int nnz,              \
    musparseMatDescr_t descrA, T*, const int*, const int*, csric02Info_t info, int* pBufferSize) {                     \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsric02_bufferSize(musparseHandle_t handle, musparseDirection_t, int mb, \
    int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsric02Info_t info, int*            \
    pBufferSize) {                                                                                                     \
        return csr::give_buffer(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSize);          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csric02_bufferSizeExt(musparseHandle_t handle, int m, int nnz,           \
    musparseMatDescr_t descrA, T*, const int*, const int*, csric02Info_t info, size_t* pBufferSize) {                  \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsric02_bufferSizeExt(musparseHandle_t handle, musparseDirection_t, int  \
    mb, int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsric02Info_t info, size_t*     \
    pBufferSize) {                                                                                                     \
        return csr::give_buffer(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSize);          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csric02_analysis(musparseHandle_t handle, int m, int nnz,                \
    musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csric02Info_t info,     \
    musparseSolvePolicy_t, void*) {                                                                                    \
        return csr::analyse<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA), info); \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csric02(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t      \
    descrA, T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csric02Info_t info, musparseSolvePolicy_t,       \
    void*) {                                                                                                           \
        return csr::factor<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA),         \
            csrValA, info);                                                                                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsric02_analysis(musparseHandle_t handle, musparseDirection_t dirA, int  \
    mb, int nnzb, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int       \
    blockDim, bsric02Info_t info, musparseSolvePolicy_t, void*) {                                                      \
        return csr::analyse<T>(handle, descrA, bsr::Blocks<T>{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA,     \
            blockDim, bsr::base_of(descrA)}, info);                                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsric02(musparseHandle_t handle, musparseDirection_t dirA, int mb, int   \
    nnzb, musparseMatDescr_t descrA, T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int blockDim,           \
    bsric02Info_t info, musparseSolvePolicy_t, void*) {                                                                \
        return csr::factor<T>(handle, descrA, bsr::Blocks<T>{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA,      \
            blockDim, bsr::base_of(descrA)}, bsrValA, info);                                                           \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrilu02_bufferSize(musparseHandle_t handle, int m, int nnz,             \
    musparseMatDescr_t descrA, T*, const int*, const int*, csrilu02Info_t info, int* pBufferSize) {                    \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrilu02_bufferSize(musparseHandle_t handle, musparseDirection_t, int    \
    mb, int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsrilu02Info_t info, int*       \
    pBufferSize) {                                                                                                     \
        return csr::give_buffer(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSize);          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrilu02_bufferSizeExt(musparseHandle_t handle, int m, int nnz,          \
    musparseMatDescr_t descrA, T*, const int*, const int*, csrilu02Info_t info, size_t* pBufferSize) {                 \
        return csr::give_buffer(handle, m >= 0 && nnz >= 0 && descrA && info, pBufferSize);                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrilu02_bufferSizeExt(musparseHandle_t handle, musparseDirection_t, int \
    mb, int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsrilu02Info_t info, size_t*    \
    pBufferSize) {                                                                                                     \
        return csr::give_buffer(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSize);          \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrilu02_analysis(musparseHandle_t handle, int m, int nnz,               \
    musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csrilu02Info_t info,    \
    musparseSolvePolicy_t, void*) {                                                                                    \
        return csr::analyse<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA), info); \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrilu02(musparseHandle_t handle, int m, int nnz, musparseMatDescr_t     \
    descrA, T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csrilu02Info_t info, musparseSolvePolicy_t,      \
    void*) {                                                                                                           \
        return csr::factor<T>(handle, descrA, csr::matrix<T>(m, nnz, csrValA, csrRowPtrA, csrColIndA, descrA),         \
            csrValA, info);                                                                                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrilu02_analysis(musparseHandle_t handle, musparseDirection_t dirA, int \
    mb, int nnzb, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int       \
    blockDim, bsrilu02Info_t info, musparseSolvePolicy_t, void*) {                                                     \
        return csr::analyse<T>(handle, descrA, bsr::Blocks<T>{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA,     \
            blockDim, bsr::base_of(descrA)}, info);                                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrilu02(musparseHandle_t handle, musparseDirection_t dirA, int mb, int  \
    nnzb, musparseMatDescr_t descrA, T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int blockDim,           \
    bsrilu02Info_t info, musparseSolvePolicy_t, void*) {                                                               \
        return csr::factor<T>(handle, descrA, bsr::Blocks<T>{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA,      \
            blockDim, bsr::base_of(descrA)}, bsrValA, info);                                                           \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrilu02_numericBoost(musparseHandle_t handle, csrilu02Info_t info, int  \
    enable_boost, double* tol, T* boost_val) {                                                                         \
        return csr::boost<T>(handle, info, enable_boost, tol, boost_val);                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrilu02_numericBoost(musparseHandle_t handle, bsrilu02Info_t info, int  \
    enable_boost, double* tol, T* boost_val) {                                                                         \
        return csr::boost<T>(handle, info, enable_boost, tol, boost_val);                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrgemm2_bufferSizeExt(musparseHandle_t handle, int m, int n, int k,     \
    const T* alpha, musparseMatDescr_t, int, const int*, const int*, musparseMatDescr_t, int, const int*, const int*,  \
    const T* beta, musparseMatDescr_t, int, const int*, const int*, csrgemm2Info_t info, size_t* pBufferSize) {        \
        if (info) info->has_product = alpha, info->has_sum = beta;                                                     \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && k >= 0 && info && (alpha || beta), pBufferSize);           \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csrgemm2(musparseHandle_t handle, int m, int, int, const T* alpha,       \
    musparseMatDescr_t descrA, int, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, musparseMatDescr_t \
    descrB, int, const T* csrValB, const int* csrRowPtrB, const int* csrColIndB, const T* beta, musparseMatDescr_t     \
    descrD, int, const T* csrValD, const int* csrRowPtrD, const int* csrColIndD, musparseMatDescr_t descrC, T*         \
    csrValC, const int* csrRowPtrC, int* csrColIndC, const csrgemm2Info_t info, void*) {                               \
        return csr::multiply_and_add<T>(handle, m, alpha, csr::sparse<T>(descrA, csrValA, csrRowPtrA, csrColIndA),     \
            csr::sparse<T>(descrB, csrValB, csrRowPtrB, csrColIndB), beta, csr::sparse<T>(descrD, csrValD, csrRowPtrD, \
            csrColIndD), descrC, csrValC, csrRowPtrC, csrColIndC, info);                                               \
    }
MUSPARSE_FUNCTIONS(S, float)
MUSPARSE_FUNCTIONS(D, double)
MUSPARSE_FUNCTIONS(C, muComplex)
MUSPARSE_FUNCTIONS(Z, muDoubleComplex)
#undef MUSPARSE_FUNCTIONS
