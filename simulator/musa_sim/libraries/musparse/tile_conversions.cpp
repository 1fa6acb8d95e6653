// Conversions between compressed rows (CSR) and tiles that need not be square (GEBSR).
#include "infos.h"
#include "tiles.h"

namespace musparse::tiles {
namespace {

// `lines` counts rows of tiles of the source.
template <class T>
musparseStatus_t convert_to(musparseHandle_t handle, musparseMatDescr_t described, const Shape& from, int lines, int columns,
                            const T* values, const int* begins, const int* indices, musparseMatDescr_t wanted, const Shape& to,
                            T* made, int* made_begins, int* made_indices) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!described || !wanted || !from.valid() || !to.valid() || lines < 0 || columns < 0 || !begins || !made_begins)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const Pattern pattern{from, lines, begins, indices, described->base};
    return enqueue(handle, [=, base = static_cast<int>(wanted->base)] {
        convert<T>(pattern, values, to, lines_of(lines * from.rows, to.rows), base, made, made_begins, made_indices);
    });
}

musparseStatus_t count_to(musparseHandle_t handle, musparseMatDescr_t described, const Shape& from, int lines, int columns,
                          const int* begins, const int* indices, musparseMatDescr_t wanted, const Shape& to, int* made_begins,
                          int* total) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!described || !wanted || !from.valid() || !to.valid() || lines < 0 || columns < 0 || !begins || !made_begins || !total)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const Pattern pattern{from, lines, begins, indices, described->base};
    return enqueue_count(handle, total, [=, base = static_cast<int>(wanted->base)] {
        return count(pattern, to, lines_of(lines * from.rows, to.rows), base, made_begins);
    });
}

// Rows of tiles to columns of tiles; a tile stays as it is.
template <class T>
musparseStatus_t turn(musparseHandle_t handle, int lines, int columns, int count, const T* values, const int* begins,
                      const int* indices, const Shape& shape, T* made, int* rows, int* column_begins, musparseAction_t action,
                      musparseIndexBase_t index_base) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (lines < 0 || columns < 0 || count < 0 || !shape.valid() || !begins || !column_begins || !is_base(index_base))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=, base = static_cast<int>(index_base), copies = action == MUSPARSE_ACTION_NUMERIC] {
        int next = 0;
        for (int column = 0; column < columns; ++column) {
            column_begins[column] = next + base;
            for (int line = 0; line < lines; ++line) {
                for (int tile = begins[line] - base; tile < begins[line + 1] - base; ++tile) {
                    if (indices[tile] - base != column) continue;
                    rows[next] = line + base;
                    if (copies) std::copy_n(values + static_cast<std::size_t>(tile) * shape.size(), shape.size(), made + static_cast<std::size_t>(next) * shape.size());
                    ++next;
                }
            }
        }
        column_begins[columns] = next + base;
    });
}

}  // namespace
}  // namespace musparse::tiles

namespace csr = musparse::csr;
namespace tiles = musparse::tiles;

MUSA_EXPORT musparseStatus_t musparseXcsr2gebsrNnz(musparseHandle_t handle, musparseDirection_t dir, int m, int n,
    musparseMatDescr_t descrA, const int* csrRowPtrA, const int* csrColIndA, musparseMatDescr_t descrC, int*
    bsrRowPtrC, int rowBlockDim, int colBlockDim, int* nnzTotalDevHostPtr, void*) {
    return tiles::count_to(handle, descrA, tiles::entry, m, n, csrRowPtrA, csrColIndA, descrC, {dir, rowBlockDim,
        colBlockDim}, bsrRowPtrC, nnzTotalDevHostPtr);
}
MUSA_EXPORT musparseStatus_t musparseXgebsr2gebsrNnz(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb,
    int, musparseMatDescr_t descrA, const int* bsrRowPtrA, const int* bsrColIndA, int rowBlockDimA, int colBlockDimA,
    musparseMatDescr_t descrC, int* bsrRowPtrC, int rowBlockDimC, int colBlockDimC, int* nnzTotalDevHostPtr, void*) {
    return tiles::count_to(handle, descrA, {dir, rowBlockDimA, colBlockDimA}, mb, nb, bsrRowPtrA, bsrColIndA, descrC,
        {dir, rowBlockDimC, colBlockDimC}, bsrRowPtrC, nnzTotalDevHostPtr);
}
MUSA_EXPORT musparseStatus_t musparseXgebsr2csr(musparseHandle_t handle, musparseDirection_t dir, int mb, int nb,
    musparseMatDescr_t descrA, const int* bsrRowPtrA, const int* bsrColIndA, int rowBlockDim, int colBlockDim,
    musparseMatDescr_t descrC, int* csrRowPtrC, int* csrColIndC) {
    return tiles::convert_to<float>(handle, descrA, {dir, rowBlockDim, colBlockDim}, mb, nb, nullptr, bsrRowPtrA,
        bsrColIndA, descrC, tiles::entry, nullptr, csrRowPtrC, csrColIndC);
}

#define MUSPARSE_FUNCTIONS(L, T)                                                                                       \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2gebsr_bufferSize(musparseHandle_t handle, musparseDirection_t, int   \
    m, int n, musparseMatDescr_t descrA, const T*, const int*, const int*, int rowBlockDim, int colBlockDim, int*      \
    pBufferSize) {                                                                                                     \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrA && rowBlockDim > 0 && colBlockDim > 0,              \
            pBufferSize);                                                                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsc_bufferSize(musparseHandle_t handle, int mb, int nb, int      \
    nnzb, const T*, const int*, const int*, int rowBlockDim, int colBlockDim, int* pBufferSize) {                      \
        return csr::give_buffer(handle, mb >= 0 && nb >= 0 && nnzb >= 0 && rowBlockDim > 0 && colBlockDim > 0,         \
            pBufferSize);                                                                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsr_bufferSize(musparseHandle_t handle, musparseDirection_t, int \
    mb, int nb, int nnzb, musparseMatDescr_t descrA, const T*, const int*, const int*, int rowBlockDimA, int           \
    colBlockDimA, int rowBlockDimC, int colBlockDimC, int* pBufferSize) {                                              \
        return csr::give_buffer(handle, mb >= 0 && nb >= 0 && nnzb >= 0 && descrA && rowBlockDimA > 0 && colBlockDimA  \
            > 0 && rowBlockDimC > 0 && colBlockDimC > 0, pBufferSize);                                                 \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2gebsr_bufferSizeExt(musparseHandle_t handle, musparseDirection_t,    \
    int m, int n, musparseMatDescr_t descrA, const T*, const int*, const int*, int rowBlockDim, int colBlockDim,       \
    size_t* pBufferSize) {                                                                                             \
        return csr::give_buffer(handle, m >= 0 && n >= 0 && descrA && rowBlockDim > 0 && colBlockDim > 0,              \
            pBufferSize);                                                                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsc_bufferSizeExt(musparseHandle_t handle, int mb, int nb, int   \
    nnzb, const T*, const int*, const int*, int rowBlockDim, int colBlockDim, size_t* pBufferSize) {                   \
        return csr::give_buffer(handle, mb >= 0 && nb >= 0 && nnzb >= 0 && rowBlockDim > 0 && colBlockDim > 0,         \
            pBufferSize);                                                                                              \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsr_bufferSizeExt(musparseHandle_t handle, musparseDirection_t,  \
    int mb, int nb, int nnzb, musparseMatDescr_t descrA, const T*, const int*, const int*, int rowBlockDimA, int       \
    colBlockDimA, int rowBlockDimC, int colBlockDimC, size_t* pBufferSize) {                                           \
        return csr::give_buffer(handle, mb >= 0 && nb >= 0 && nnzb >= 0 && descrA && rowBlockDimA > 0 && colBlockDimA  \
            > 0 && rowBlockDimC > 0 && colBlockDimC > 0, pBufferSize);                                                 \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2gebsr(musparseHandle_t handle, musparseDirection_t dir, int m, int   \
    n, musparseMatDescr_t descrA, const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, musparseMatDescr_t   \
    descrC, T* bsrValC, int* bsrRowPtrC, int* bsrColIndC, int rowBlockDim, int colBlockDim, void*) {                   \
        return tiles::convert_to<T>(handle, descrA, tiles::entry, m, n, csrValA, csrRowPtrA, csrColIndA, descrC, {dir, \
            rowBlockDim, colBlockDim}, bsrValC, bsrRowPtrC, bsrColIndC);                                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2csr(musparseHandle_t handle, musparseDirection_t dir, int mb, int  \
    nb, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int rowBlockDim,    \
    int colBlockDim, musparseMatDescr_t descrC, T* csrValC, int* csrRowPtrC, int* csrColIndC) {                        \
        return tiles::convert_to<T>(handle, descrA, {dir, rowBlockDim, colBlockDim}, mb, nb, bsrValA, bsrRowPtrA,      \
            bsrColIndA, descrC, tiles::entry, csrValC, csrRowPtrC, csrColIndC);                                        \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsr(musparseHandle_t handle, musparseDirection_t dir, int mb,    \
    int nb, int, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int        \
    rowBlockDimA, int colBlockDimA, musparseMatDescr_t descrC, T* bsrValC, int* bsrRowPtrC, int* bsrColIndC, int       \
    rowBlockDimC, int colBlockDimC, void*) {                                                                           \
        return tiles::convert_to<T>(handle, descrA, {dir, rowBlockDimA, colBlockDimA}, mb, nb, bsrValA, bsrRowPtrA,    \
            bsrColIndA, descrC, {dir, rowBlockDimC, colBlockDimC}, bsrValC, bsrRowPtrC, bsrColIndC);                   \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##gebsr2gebsc(musparseHandle_t handle, int mb, int nb, int nnzb, const T*  \
    bsrVal, const int* bsrRowPtr, const int* bsrColInd, int rowBlockDim, int colBlockDim, T* bscVal, int* bscRowInd,   \
    int* bscColPtr, musparseAction_t copyValues, musparseIndexBase_t idxBase, void*) {                                 \
        return tiles::turn<T>(handle, mb, nb, nnzb, bsrVal, bsrRowPtr, bsrColInd, {MUSPARSE_DIRECTION_ROW,             \
            rowBlockDim, colBlockDim}, bscVal, bscRowInd, bscColPtr, copyValues, idxBase);                             \
    }
MUSPARSE_FUNCTIONS(S, float)
MUSPARSE_FUNCTIONS(D, double)
MUSPARSE_FUNCTIONS(C, muComplex)
MUSPARSE_FUNCTIONS(Z, muDoubleComplex)
#undef MUSPARSE_FUNCTIONS
