// The handle, the descriptors, and operations in the order of the handle's stream.
#pragma once

#include <musparse.h>

#include "../enqueue.h"

struct musparseContext {
    musaStream_t stream = nullptr;
    musparsePointerMode_t pointer_mode = MUSPARSE_POINTER_MODE_HOST;
};

// A matrix whose entries have coordinates: rows and columns, of which one may be compressed.
struct musparseSpMatDescr {
    musparseFormat_t format;
    std::int64_t rows, columns, count;
    const void* row_indices;  // CSR: the beginnings of rows
    const void* column_indices;  // CSC: the beginnings of columns
    void* values;
    musparseIndexType_t row_type, column_type;
    musparseIndexBase_t base;
    musaDataType type;
    int batches = 1;
    std::int64_t offset_stride = 0;  // between matrices of a batch: of the compressed indices
    std::int64_t entry_stride = 0;   // of the other indices and the values
    musparseFillMode_t fill = MUSPARSE_FILL_MODE_LOWER;  // the triangle that solvers read
    musparseDiagType_t diagonal = MUSPARSE_DIAG_TYPE_NON_UNIT;
};

struct musparseSpVecDescr {
    std::int64_t size, count;
    void* indices;
    void* values;
    musparseIndexType_t index_type;
    musparseIndexBase_t base;
    musaDataType type;
};

// A matrix of the older interface, whose arrays are arguments.
struct musparseMatDescr {
    musparseMatrixType_t type = MUSPARSE_MATRIX_TYPE_GENERAL;
    musparseFillMode_t fill = MUSPARSE_FILL_MODE_LOWER;
    musparseDiagType_t diagonal = MUSPARSE_DIAG_TYPE_NON_UNIT;
    musparseIndexBase_t base = MUSPARSE_INDEX_BASE_ZERO;
};

struct musparseDnVecDescr {
    std::int64_t size;
    void* values;
    musaDataType type;
};

struct musparseDnMatDescr {
    std::int64_t rows, columns, ld;
    void* values;
    musaDataType type;
    musparseOrder_t order;
    int batches = 1;
    std::int64_t stride = 0;
};

namespace musparse {

template <class Descriptor>
musparseStatus_t create_descriptor(Descriptor** created) {
    if (!created) return MUSPARSE_STATUS_INVALID_VALUE;
    *created = new Descriptor();
    return MUSPARSE_STATUS_SUCCESS;
}

template <class Descriptor>
musparseStatus_t destroy_descriptor(const Descriptor* descriptor) {
    if (!descriptor) return MUSPARSE_STATUS_INVALID_VALUE;
    delete descriptor;
    return MUSPARSE_STATUS_SUCCESS;
}

template <class Work>
musparseStatus_t enqueue(musparseHandle_t handle, Work work) {
    return musa_sim::enqueue_work(handle->stream, std::move(work)) == musaSuccess ? MUSPARSE_STATUS_SUCCESS
                                                                                 : MUSPARSE_STATUS_INTERNAL_ERROR;
}

inline bool is_base(musparseIndexBase_t base) {
    return base == MUSPARSE_INDEX_BASE_ZERO || base == MUSPARSE_INDEX_BASE_ONE;
}

}  // namespace musparse
