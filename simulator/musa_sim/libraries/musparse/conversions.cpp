// Conversions between sparse and dense matrices and between CSR and CSC, sums of sparse matrices, and sorting by
// columns.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "entries.h"

using namespace musparse;

namespace {

// Return the order that sorts the entries of a row by column.
std::vector<int> sorted_order(const int* columns, int begin, int end) {
    std::vector<int> order(static_cast<std::size_t>(end - begin));
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(), [=](int a, int b) { return columns[a] < columns[b]; });
    return order;
}

musparseStatus_t check_dense(musparseHandle_t handle, const musparseDnMatDescr* dense, const musparseSpMatDescr* sparse) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!dense || !sparse || dense->rows != sparse->rows || dense->columns != sparse->columns ||
        dense->type != sparse->type)
        return MUSPARSE_STATUS_INVALID_VALUE;
    return check_element(dense->type);
}

// Call visit(row, column, value) for each nonzero element of a dense matrix, in the order of a sparse format.
template <class T, class Visit>
void for_each_value(const musparseDnMatDescr& dense, musparseFormat_t format, Visit&& visit) {
    const bool by_columns = format == MUSPARSE_FORMAT_CSC;
    const auto* const values = static_cast<const T*>(dense.values);
    const std::int64_t lines = by_columns ? dense.columns : dense.rows, length = by_columns ? dense.rows : dense.columns;
    for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t row = by_columns ? i : line, column = by_columns ? line : i;
            const T value = values[offset(dense, row, column)];
            if (!(Element<T>::number(value) == Number<T>())) visit(row, column, value);
        }
    }
}

// Write the beginning of each line: the running sum of `count_of`.
template <class Count>
void put_offsets(const musparseSpMatDescr& m, std::int64_t lines, Count count_of) {
    const bool by_columns = m.format == MUSPARSE_FORMAT_CSC;
    void* const to = const_cast<void*>(by_columns ? m.column_indices : m.row_indices);
    const musparseIndexType_t type = by_columns ? m.column_type : m.row_type;
    std::int64_t total = m.base;
    for (std::int64_t line = 0; line <= lines; ++line) {
        put_index(to, type, line, total);
        if (line < lines) total += count_of(line);
    }
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseSparseToDense_bufferSize(musparseHandle_t handle,
                                                              const musparseSpMatDescr* matA,
                                                              musparseDnMatDescr_t matB, musparseSparseToDenseAlg_t,
                                                              size_t* bufferSize) {
    const musparseStatus_t status = check_dense(handle, matB, matA);
    return status == MUSPARSE_STATUS_SUCCESS ? give_some(handle, true, bufferSize) : status;
}

MUSA_EXPORT musparseStatus_t musparseSparseToDense(musparseHandle_t handle, const musparseSpMatDescr* matA,
                                                   musparseDnMatDescr_t matB, musparseSparseToDenseAlg_t, void*) {
    const musparseStatus_t status = check_dense(handle, matB, matA);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return with_element(matA->type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [a = *matA, b = *matB] {
            auto* const dense = static_cast<T*>(b.values);
            for (std::int64_t row = 0; row < b.rows; ++row) {
                for (std::int64_t column = 0; column < b.columns; ++column) dense[offset(b, row, column)] = T();
            }
            for_each_entry(a, 0, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
                dense[offset(b, row, column)] = static_cast<const T*>(a.values)[entry];
            });
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseDenseToSparse_bufferSize(musparseHandle_t handle,
                                                              const musparseDnMatDescr* matA,
                                                              musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t,
                                                              size_t* bufferSize) {
    const musparseStatus_t status = check_dense(handle, matA, matB);
    return status == MUSPARSE_STATUS_SUCCESS ? give_some(handle, true, bufferSize) : status;
}

// Count the entries, and write the beginnings of rows or columns. The host knows the count on return.
MUSA_EXPORT musparseStatus_t musparseDenseToSparse_analysis(musparseHandle_t handle,
                                                            const musparseDnMatDescr* matA,
                                                            musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t,
                                                            void*) {
    const musparseStatus_t status = check_dense(handle, matA, matB);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    const bool by_columns = matB->format == MUSPARSE_FORMAT_CSC, compressed = matB->format != MUSPARSE_FORMAT_COO;
    if (compressed && !(by_columns ? matB->column_indices : matB->row_indices)) return MUSPARSE_STATUS_INVALID_VALUE;
    return with_element(matA->type, [&](auto element) {
        using T = typename decltype(element)::type;
        if (musaStreamSynchronize(handle->stream) != musaSuccess) return MUSPARSE_STATUS_INTERNAL_ERROR;
        const std::int64_t lines = by_columns ? matA->columns : matA->rows;
        std::vector<std::int64_t> counts(static_cast<std::size_t>(lines));
        for_each_value<T>(*matA, matB->format, [&](std::int64_t row, std::int64_t column, T) {
            ++counts[static_cast<std::size_t>(by_columns ? column : row)];
        });
        matB->count = std::accumulate(counts.begin(), counts.end(), std::int64_t(0));
        if (compressed) put_offsets(*matB, lines, [&](std::int64_t line) { return counts[static_cast<std::size_t>(line)]; });
        return MUSPARSE_STATUS_SUCCESS;
    });
}

MUSA_EXPORT musparseStatus_t musparseDenseToSparse_convert(musparseHandle_t handle,
                                                           const musparseDnMatDescr* matA,
                                                           musparseSpMatDescr_t matB, musparseDenseToSparseAlg_t,
                                                           void*) {
    const musparseStatus_t status = check_dense(handle, matA, matB);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    if (matB->count > 0 && (!matB->row_indices || !matB->column_indices || !matB->values))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return with_element(matA->type, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [a = *matA, b = *matB] {
            std::int64_t entry = 0;
            for_each_value<T>(a, b.format, [&](std::int64_t row, std::int64_t column, T value) {
                if (entry == b.count) return;  // more than the analysis counted
                if (b.format != MUSPARSE_FORMAT_CSR)
                    put_index(const_cast<void*>(b.row_indices), b.row_type, entry, row + b.base);
                if (b.format != MUSPARSE_FORMAT_CSC)
                    put_index(const_cast<void*>(b.column_indices), b.column_type, entry, column + b.base);
                static_cast<T*>(b.values)[entry++] = value;
            });
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseCsr2cscEx2_bufferSize(musparseHandle_t handle, int m, int n, int nnz,
                                                           const void*, const int*, const int*, void*, int*, int*,
                                                           musaDataType, musparseAction_t,
                                                           musparseIndexBase_t idxBase, musparseCsr2CscAlg_t,
                                                           size_t* bufferSize) {
    return give_some(handle, m >= 0 && n >= 0 && nnz >= 0 && is_base(idxBase), bufferSize);
}

// Convert a matrix to CSC, or its transpose to CSR; rows stay in order within a column.
MUSA_EXPORT musparseStatus_t musparseCsr2cscEx2(musparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                                                const int* csrRowPtr, const int* csrColInd, void* cscVal,
                                                int* cscColPtr, int* cscRowInd, musaDataType valType,
                                                musparseAction_t copyValues, musparseIndexBase_t idxBase,
                                                musparseCsr2CscAlg_t, void*) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const bool copies = copyValues == MUSPARSE_ACTION_NUMERIC;
    const bool has_arrays = nnz == 0 || (csrColInd && cscRowInd && (!copies || (csrVal && cscVal)));
    if (m < 0 || n < 0 || nnz < 0 || !csrRowPtr || !cscColPtr || !has_arrays || !is_base(idxBase))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return with_element(valType, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [=] {
            std::vector<int> next(static_cast<std::size_t>(n) + 1);
            for (int i = 0; i < nnz; ++i) ++next[static_cast<std::size_t>(csrColInd[i] - idxBase) + 1];
            std::partial_sum(next.begin(), next.end(), next.begin());
            for (int column = 0; column <= n; ++column) cscColPtr[column] = next[static_cast<std::size_t>(column)] + idxBase;
            for (int row = 0; row < m; ++row) {
                for (int i = csrRowPtr[row] - idxBase; i < csrRowPtr[row + 1] - idxBase; ++i) {
                    const int to = next[static_cast<std::size_t>(csrColInd[i] - idxBase)]++;
                    cscRowInd[to] = row + idxBase;
                    if (copies) static_cast<T*>(cscVal)[to] = static_cast<const T*>(csrVal)[i];
                }
            }
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseXcsrsort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz,
                                                            const int*, const int*, size_t* pBufferSizeInBytes) {
    return give_some(handle, m >= 0 && n >= 0 && nnz >= 0, pBufferSizeInBytes);
}

MUSA_EXPORT musparseStatus_t musparseXcsrsort(musparseHandle_t handle, int m, int n, int nnz,
                                              musparseMatDescr_t descrA, const int* csrRowPtrA, int* csrColIndA,
                                              int* P, void*) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || !descrA || !csrRowPtrA || (nnz > 0 && !csrColIndA))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, base = descrA->base] {
        for (int row = 0; row < m; ++row) {
            const int begin = csrRowPtrA[row] - base;
            const std::vector<int> order = sorted_order(csrColIndA, begin, csrRowPtrA[row + 1] - base);
            const auto rearrange = [&](int* values) {
                std::vector<int> sorted;
                for (int from : order) sorted.push_back(values[from]);
                std::copy(sorted.begin(), sorted.end(), values + begin);
            };
            rearrange(csrColIndA);
            if (P) rearrange(P);
        }
    });
}

MUSA_EXPORT musparseStatus_t musparseXcscsort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz,
                                                            const int* cscColPtrA, const int* cscRowIndA,
                                                            size_t* pBufferSizeInBytes) {
    return musparseXcsrsort_bufferSizeExt(handle, n, m, nnz, cscColPtrA, cscRowIndA, pBufferSizeInBytes);
}

MUSA_EXPORT musparseStatus_t musparseXcscsort(musparseHandle_t handle, int m, int n, int nnz, musparseMatDescr_t descrA,
                                              const int* cscColPtrA, int* cscRowIndA, int* P, void* pBuffer) {
    return musparseXcsrsort(handle, n, m, nnz, descrA, cscColPtrA, cscRowIndA, P, pBuffer);
}

// --- the older interface: a matrix is a descriptor and its arrays ---

namespace {

template <class T>
musparseStatus_t set(musparseMatDescr_t descriptor, T musparseMatDescr::*field, T value) {
    if (!descriptor) return MUSPARSE_STATUS_INVALID_VALUE;
    descriptor->*field = value;
    return MUSPARSE_STATUS_SUCCESS;
}

template <class T>
struct Csr {
    int count;
    const T* values;
    const int* offsets;
    const int* columns;
    int base;
};

// Call visit(column, a's entry or -1, b's entry or -1) for each column that a row of a or b has. Their columns are
// sorted.
template <class T, class Visit>
void merge_row(int row, const Csr<T>& a, const Csr<T>& b, Visit&& visit) {
    int i = a.offsets[row] - a.base, j = b.offsets[row] - b.base;
    const int end_a = a.offsets[row + 1] - a.base, end_b = b.offsets[row + 1] - b.base;
    while (i < end_a || j < end_b) {
        const int in_a = i < end_a ? a.columns[i] - a.base : INT32_MAX, in_b = j < end_b ? b.columns[j] - b.base : INT32_MAX;
        const int column = std::min(in_a, in_b);
        visit(column, in_a == column ? i++ : -1, in_b == column ? j++ : -1);
    }
}

template <class T>
musparseStatus_t add_matrices(musparseHandle_t handle, int m, const T* alpha, const Csr<T>& a, const T* beta,
                              const Csr<T>& b, int base, T* values, const int* offsets, int* columns) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || !alpha || !beta || !offsets || !a.offsets || !b.offsets) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const Number<T> factor_a = s.get(), factor_b = t.get();
        for (int row = 0; row < m; ++row) {
            int to = offsets[row] - base;
            merge_row(row, a, b, [&](int column, int i, int j) {
                Number<T> sum{};
                if (i >= 0) sum += factor_a * Element<T>::number(a.values[i]);
                if (j >= 0) sum += factor_b * Element<T>::number(b.values[j]);
                columns[to] = column + base;
                values[to++] = Element<T>::stored(sum);
            });
        }
    });
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseCreateMatDescr(musparseMatDescr_t* descrA) {
    if (!descrA) return MUSPARSE_STATUS_INVALID_VALUE;
    *descrA = new musparseMatDescr();
    return MUSPARSE_STATUS_SUCCESS;
}
MUSA_EXPORT musparseStatus_t musparseDestroyMatDescr(musparseMatDescr_t descrA) {
    delete descrA;
    return MUSPARSE_STATUS_SUCCESS;
}
MUSA_EXPORT musparseStatus_t musparseSetMatType(musparseMatDescr_t descrA, musparseMatrixType_t type) {
    return set(descrA, &musparseMatDescr::type, type);
}
MUSA_EXPORT musparseStatus_t musparseSetMatFillMode(musparseMatDescr_t descrA, musparseFillMode_t mode) {
    return set(descrA, &musparseMatDescr::fill, mode);
}
MUSA_EXPORT musparseStatus_t musparseSetMatDiagType(musparseMatDescr_t descrA, musparseDiagType_t type) {
    return set(descrA, &musparseMatDescr::diagonal, type);
}
MUSA_EXPORT musparseStatus_t musparseSetMatIndexBase(musparseMatDescr_t descrA, musparseIndexBase_t base) {
    return is_base(base) ? set(descrA, &musparseMatDescr::base, base) : MUSPARSE_STATUS_INVALID_VALUE;
}
MUSA_EXPORT musparseMatrixType_t musparseGetMatType(const musparseMatDescr* descrA) { return descrA->type; }
MUSA_EXPORT musparseFillMode_t musparseGetMatFillMode(const musparseMatDescr* descrA) { return descrA->fill; }
MUSA_EXPORT musparseDiagType_t musparseGetMatDiagType(const musparseMatDescr* descrA) { return descrA->diagonal; }
MUSA_EXPORT musparseIndexBase_t musparseGetMatIndexBase(const musparseMatDescr* descrA) { return descrA->base; }

// Write the beginnings of the rows of a sum, and the number of its entries to nnzTotalDevHostPtr: in host or device
// memory, by the pointer mode.
MUSA_EXPORT musparseStatus_t musparseXcsrgeam2Nnz(musparseHandle_t handle, int m, int n, musparseMatDescr_t descrA,
                                                  int nnzA, const int* csrRowPtrA, const int* csrColIndA,
                                                  musparseMatDescr_t descrB, int nnzB, const int* csrRowPtrB,
                                                  const int* csrColIndB, musparseMatDescr_t descrC,
                                                  int* csrRowPtrC, int* nnzTotalDevHostPtr, void*) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    const bool has_arrays = csrRowPtrA && csrRowPtrB && csrRowPtrC && (nnzA == 0 || csrColIndA) && (nnzB == 0 || csrColIndB);
    if (m < 0 || n < 0 || !descrA || !descrB || !descrC || !nnzTotalDevHostPtr || !has_arrays)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const Csr<float> a{nnzA, nullptr, csrRowPtrA, csrColIndA, descrA->base};
    const Csr<float> b{nnzB, nullptr, csrRowPtrB, csrColIndB, descrB->base};
    const musparseStatus_t status = enqueue(handle, [=, base = descrC->base] {
        int total = 0;
        for (int row = 0; row < m; ++row) {
            csrRowPtrC[row] = total + base;
            merge_row(row, a, b, [&](int, int, int) { ++total; });
        }
        csrRowPtrC[m] = total + base;
        *nnzTotalDevHostPtr = total;
    });
    if (status != MUSPARSE_STATUS_SUCCESS || handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) return status;
    return musaStreamSynchronize(handle->stream) == musaSuccess ? status : MUSPARSE_STATUS_INTERNAL_ERROR;
}

#define MUSA_SIM_GEAM(L, T)                                                                                       \
    MUSA_EXPORT musparseStatus_t musparse##L##csrgeam2_bufferSizeExt(                                             \
        musparseHandle_t handle, int m, int n, const T*, musparseMatDescr_t descrA, int, const T*, const int*,    \
        const int*, const T*, musparseMatDescr_t descrB, int, const T*, const int*, const int*,                   \
        musparseMatDescr_t descrC, const T*, const int*, const int*, size_t* pBufferSizeInBytes) {                \
        return give_some(handle, m >= 0 && n >= 0 && descrA && descrB && descrC, pBufferSizeInBytes);             \
    }                                                                                                             \
    MUSA_EXPORT musparseStatus_t musparse##L##csrgeam2(                                                           \
        musparseHandle_t handle, int m, int n, const T* alpha, musparseMatDescr_t descrA, int nnzA,               \
        const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* beta, musparseMatDescr_t descrB, \
        int nnzB, const T* csrValB, const int* csrRowPtrB, const int* csrColIndB, musparseMatDescr_t descrC,      \
        T* csrValC, int* csrRowPtrC, int* csrColIndC, void*) {                                                    \
        if (n < 0 || !descrA || !descrB || !descrC) return MUSPARSE_STATUS_INVALID_VALUE;                         \
        return add_matrices<T>(handle, m, alpha, {nnzA, csrValA, csrRowPtrA, csrColIndA, descrA->base}, beta,     \
                               {nnzB, csrValB, csrRowPtrB, csrColIndB, descrB->base}, descrC->base, csrValC,      \
                               csrRowPtrC, csrColIndC);                                                           \
    }
MUSA_SIM_GEAM(S, float)
MUSA_SIM_GEAM(D, double)
MUSA_SIM_GEAM(C, muComplex)
MUSA_SIM_GEAM(Z, muDoubleComplex)
#undef MUSA_SIM_GEAM
