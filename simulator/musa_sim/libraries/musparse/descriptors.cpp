// Descriptors of sparse and dense matrices, and of vectors.
#include "context.h"

namespace {

bool is_index(musparseIndexType_t type) { return type == MUSPARSE_INDEX_32I || type == MUSPARSE_INDEX_64I; }

// The arrays may be null if there are no entries.
musparseStatus_t create(musparseSpMatDescr_t* result, const musparseSpMatDescr& matrix) {
    const bool sized = matrix.rows >= 0 && matrix.columns >= 0 && matrix.count >= 0;
    const bool has_entries =
        matrix.count == 0 || (matrix.row_indices && matrix.column_indices && matrix.values);
    if (!result || !sized || !has_entries || !musparse::is_base(matrix.base)) return MUSPARSE_STATUS_INVALID_VALUE;
    if (!is_index(matrix.row_type) || !is_index(matrix.column_type)) return MUSPARSE_STATUS_NOT_SUPPORTED;
    *result = new musparseSpMatDescr(matrix);
    return MUSPARSE_STATUS_SUCCESS;
}

template <class Descriptor>
musparseStatus_t give_values(Descriptor* descriptor, void** values) {
    if (!descriptor || !values) return MUSPARSE_STATUS_INVALID_VALUE;
    *values = descriptor->values;
    return MUSPARSE_STATUS_SUCCESS;
}

template <class Descriptor>
musparseStatus_t take_values(Descriptor* descriptor, void* values) {
    if (!descriptor || !values) return MUSPARSE_STATUS_INVALID_VALUE;
    descriptor->values = values;
    return MUSPARSE_STATUS_SUCCESS;
}

musparseStatus_t set_pointers(musparseSpMatDescr_t matrix, musparseFormat_t format, void* rows, void* columns,
                              void* values) {
    if (!matrix || matrix->format != format || !rows || !columns || !values) return MUSPARSE_STATUS_INVALID_VALUE;
    matrix->row_indices = rows;
    matrix->column_indices = columns;
    matrix->values = values;
    return MUSPARSE_STATUS_SUCCESS;
}

musparseStatus_t set_batches(musparseSpMatDescr_t matrix, musparseFormat_t format, int count, std::int64_t offsets,
                             std::int64_t entries) {
    if (!matrix || matrix->format != format || count < 1) return MUSPARSE_STATUS_INVALID_VALUE;
    matrix->batches = count;
    matrix->offset_stride = offsets;
    matrix->entry_stride = entries;
    return MUSPARSE_STATUS_SUCCESS;
}

template <class T>
musparseStatus_t give(const musparseSpMatDescr* matrix, T musparseSpMatDescr::*field, T* result) {
    if (!matrix || !result) return MUSPARSE_STATUS_INVALID_VALUE;
    *result = matrix->*field;
    return MUSPARSE_STATUS_SUCCESS;
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseCreateCsr(musparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                               int64_t nnz, void* csrRowOffsets, void* csrColInd,
                                               void* csrValues, musparseIndexType_t csrRowOffsetsType,
                                               musparseIndexType_t csrColIndType, musparseIndexBase_t idxBase,
                                               musaDataType valueType) {
    return create(spMatDescr, {MUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues,
                               csrRowOffsetsType, csrColIndType, idxBase, valueType});
}

MUSA_EXPORT musparseStatus_t musparseCreateCsc(musparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                               int64_t nnz, void* cscColOffsets, void* cscRowInd,
                                               void* cscValues, musparseIndexType_t cscColOffsetsType,
                                               musparseIndexType_t cscRowIndType, musparseIndexBase_t idxBase,
                                               musaDataType valueType) {
    return create(spMatDescr, {MUSPARSE_FORMAT_CSC, rows, cols, nnz, cscRowInd, cscColOffsets, cscValues,
                               cscRowIndType, cscColOffsetsType, idxBase, valueType});
}

MUSA_EXPORT musparseStatus_t musparseCreateCoo(musparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                               int64_t nnz, void* cooRowInd, void* cooColInd, void* cooValues,
                                               musparseIndexType_t cooIdxType, musparseIndexBase_t idxBase,
                                               musaDataType valueType) {
    return create(spMatDescr, {MUSPARSE_FORMAT_COO, rows, cols, nnz, cooRowInd, cooColInd, cooValues, cooIdxType,
                               cooIdxType, idxBase, valueType});
}

MUSA_EXPORT musparseStatus_t musparseDestroySpMat(const musparseSpMatDescr* spMatDescr) {
    return musparse::destroy_descriptor(spMatDescr);
}

MUSA_EXPORT musparseStatus_t musparseCsrSetPointers(musparseSpMatDescr_t spMatDescr, void* csrRowOffsets,
                                                    void* csrColInd, void* csrValues) {
    return set_pointers(spMatDescr, MUSPARSE_FORMAT_CSR, csrRowOffsets, csrColInd, csrValues);
}

MUSA_EXPORT musparseStatus_t musparseCscSetPointers(musparseSpMatDescr_t spMatDescr, void* cscColOffsets,
                                                    void* cscRowInd, void* cscValues) {
    return set_pointers(spMatDescr, MUSPARSE_FORMAT_CSC, cscRowInd, cscColOffsets, cscValues);
}

MUSA_EXPORT musparseStatus_t musparseCooSetPointers(musparseSpMatDescr_t spMatDescr, void* cooRows,
                                                    void* cooColumns, void* cooValues) {
    return set_pointers(spMatDescr, MUSPARSE_FORMAT_COO, cooRows, cooColumns, cooValues);
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetSize(const musparseSpMatDescr* spMatDescr, int64_t* rows,
                                                  int64_t* cols, int64_t* nnz) {
    if (!spMatDescr || !rows || !cols || !nnz) return MUSPARSE_STATUS_INVALID_VALUE;
    *rows = spMatDescr->rows;
    *cols = spMatDescr->columns;
    *nnz = spMatDescr->count;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetFormat(const musparseSpMatDescr* spMatDescr,
                                                    musparseFormat_t* format) {
    return give(spMatDescr, &musparseSpMatDescr::format, format);
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetIndexBase(const musparseSpMatDescr* spMatDescr,
                                                       musparseIndexBase_t* idxBase) {
    return give(spMatDescr, &musparseSpMatDescr::base, idxBase);
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetValues(musparseSpMatDescr_t spMatDescr, void** values) {
    return give_values(spMatDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseSpMatSetValues(musparseSpMatDescr_t spMatDescr, void* values) {
    return take_values(spMatDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseCsrSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount,
                                                        int64_t offsetsBatchStride,
                                                        int64_t columnsValuesBatchStride) {
    return set_batches(spMatDescr, MUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride, columnsValuesBatchStride);
}

MUSA_EXPORT musparseStatus_t musparseCooSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount,
                                                        int64_t batchStride) {
    return set_batches(spMatDescr, MUSPARSE_FORMAT_COO, batchCount, batchStride, batchStride);
}

// The older function says no strides: those of dense packing, with one structure for all.
MUSA_EXPORT musparseStatus_t musparseSpMatSetStridedBatch(musparseSpMatDescr_t spMatDescr, int batchCount) {
    if (!spMatDescr || batchCount < 1) return MUSPARSE_STATUS_INVALID_VALUE;
    spMatDescr->batches = batchCount;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseCreateDnVec(musparseDnVecDescr_t* dnVecDescr, int64_t size, void* values,
                                                 musaDataType valueType) {
    if (!dnVecDescr || size < 0 || (size > 0 && !values)) return MUSPARSE_STATUS_INVALID_VALUE;
    *dnVecDescr = new musparseDnVecDescr{size, values, valueType};
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDestroyDnVec(const musparseDnVecDescr* dnVecDescr) {
    return musparse::destroy_descriptor(dnVecDescr);
}

MUSA_EXPORT musparseStatus_t musparseDnVecGetValues(musparseDnVecDescr_t dnVecDescr, void** values) {
    return give_values(dnVecDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseDnVecSetValues(musparseDnVecDescr_t dnVecDescr, void* values) {
    return take_values(dnVecDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseCreateDnMat(musparseDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols,
                                                 int64_t ld, void* values, musaDataType valueType,
                                                 musparseOrder_t order) {
    if (!dnMatDescr || rows < 0 || cols < 0 || (order != MUSPARSE_ORDER_COL && order != MUSPARSE_ORDER_ROW))
        return MUSPARSE_STATUS_INVALID_VALUE;
    const std::int64_t line = order == MUSPARSE_ORDER_COL ? rows : cols;
    if (ld < line || (rows * cols > 0 && !values)) return MUSPARSE_STATUS_INVALID_VALUE;
    *dnMatDescr = new musparseDnMatDescr{rows, cols, ld, values, valueType, order};
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDestroyDnMat(const musparseDnMatDescr* dnMatDescr) {
    return musparse::destroy_descriptor(dnMatDescr);
}

MUSA_EXPORT musparseStatus_t musparseDnMatGetValues(musparseDnMatDescr_t dnMatDescr, void** values) {
    return give_values(dnMatDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseDnMatSetValues(musparseDnMatDescr_t dnMatDescr, void* values) {
    return take_values(dnMatDescr, values);
}

MUSA_EXPORT musparseStatus_t musparseDnMatSetStridedBatch(musparseDnMatDescr_t dnMatDescr, int batchCount,
                                                          int64_t batchStride) {
    if (!dnMatDescr || batchCount < 1) return MUSPARSE_STATUS_INVALID_VALUE;
    dnMatDescr->batches = batchCount;
    dnMatDescr->stride = batchStride;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpMatSetAttribute(musparseSpMatDescr_t spMatDescr,
                                                       musparseSpMatAttribute_t attribute, void* data,
                                                       size_t dataSize) {
    if (!spMatDescr || !data || dataSize != sizeof(int)) return MUSPARSE_STATUS_INVALID_VALUE;
    const int value = *static_cast<const int*>(data);
    if (value != 0 && value != 1) return MUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
        case MUSPARSE_SPMAT_FILL_MODE: spMatDescr->fill = static_cast<musparseFillMode_t>(value); break;
        case MUSPARSE_SPMAT_DIAG_TYPE: spMatDescr->diagonal = static_cast<musparseDiagType_t>(value); break;
        default: return MUSPARSE_STATUS_INVALID_VALUE;
    }
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetAttribute(const musparseSpMatDescr* spMatDescr,
                                                       musparseSpMatAttribute_t attribute, void* data,
                                                       size_t dataSize) {
    if (!spMatDescr || !data || dataSize != sizeof(int)) return MUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
        case MUSPARSE_SPMAT_FILL_MODE: *static_cast<int*>(data) = spMatDescr->fill; break;
        case MUSPARSE_SPMAT_DIAG_TYPE: *static_cast<int*>(data) = spMatDescr->diagonal; break;
        default: return MUSPARSE_STATUS_INVALID_VALUE;
    }
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpMatGetStridedBatch(const musparseSpMatDescr* spMatDescr, int* batchCount) {
    return give(spMatDescr, &musparseSpMatDescr::batches, batchCount);
}

MUSA_EXPORT musparseStatus_t musparseCsrGet(musparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                            int64_t* nnz, void** csrRowOffsets, void** csrColInd,
                                            void** csrValues, musparseIndexType_t* csrRowOffsetsType,
                                            musparseIndexType_t* csrColIndType, musparseIndexBase_t* idxBase,
                                            musaDataType* valueType) {
    if (!spMatDescr || spMatDescr->format != MUSPARSE_FORMAT_CSR || !rows || !cols || !nnz || !csrRowOffsets ||
        !csrColInd || !csrValues || !csrRowOffsetsType || !csrColIndType || !idxBase || !valueType)
        return MUSPARSE_STATUS_INVALID_VALUE;
    *rows = spMatDescr->rows;
    *cols = spMatDescr->columns;
    *nnz = spMatDescr->count;
    *csrRowOffsets = const_cast<void*>(spMatDescr->row_indices);
    *csrColInd = const_cast<void*>(spMatDescr->column_indices);
    *csrValues = spMatDescr->values;
    *csrRowOffsetsType = spMatDescr->row_type;
    *csrColIndType = spMatDescr->column_type;
    *idxBase = spMatDescr->base;
    *valueType = spMatDescr->type;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseCooGet(musparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                            int64_t* nnz, void** cooRowInd, void** cooColInd, void** cooValues,
                                            musparseIndexType_t* idxType, musparseIndexBase_t* idxBase,
                                            musaDataType* valueType) {
    if (!spMatDescr || spMatDescr->format != MUSPARSE_FORMAT_COO || !rows || !cols || !nnz || !cooRowInd ||
        !cooColInd || !cooValues || !idxType || !idxBase || !valueType)
        return MUSPARSE_STATUS_INVALID_VALUE;
    *rows = spMatDescr->rows;
    *cols = spMatDescr->columns;
    *nnz = spMatDescr->count;
    *cooRowInd = const_cast<void*>(spMatDescr->row_indices);
    *cooColInd = const_cast<void*>(spMatDescr->column_indices);
    *cooValues = spMatDescr->values;
    *idxType = spMatDescr->row_type;
    *idxBase = spMatDescr->base;
    *valueType = spMatDescr->type;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDnVecGet(musparseDnVecDescr_t dnVecDescr, int64_t* size, void** values,
                                              musaDataType* valueType) {
    if (!dnVecDescr || !size || !values || !valueType) return MUSPARSE_STATUS_INVALID_VALUE;
    *size = dnVecDescr->size;
    *values = dnVecDescr->values;
    *valueType = dnVecDescr->type;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDnMatGet(musparseDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols,
                                              int64_t* ld, void** values, musaDataType* type,
                                              musparseOrder_t* order) {
    if (!dnMatDescr || !rows || !cols || !ld || !values || !type || !order) return MUSPARSE_STATUS_INVALID_VALUE;
    *rows = dnMatDescr->rows;
    *cols = dnMatDescr->columns;
    *ld = dnMatDescr->ld;
    *values = dnMatDescr->values;
    *type = dnMatDescr->type;
    *order = dnMatDescr->order;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDnMatGetStridedBatch(musparseDnMatDescr_t dnMatDescr, int* batchCount,
                                                          int64_t* batchStride) {
    if (!dnMatDescr || !batchCount || !batchStride) return MUSPARSE_STATUS_INVALID_VALUE;
    *batchCount = dnMatDescr->batches;
    *batchStride = dnMatDescr->stride;
    return MUSPARSE_STATUS_SUCCESS;
}
