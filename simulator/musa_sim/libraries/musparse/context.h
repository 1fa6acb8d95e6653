// The handle, the descriptors, and operations in the order of the handle's stream.
#pragma once

#include <musparse.h>

#include "../enqueue.h"

struct musparseContext {
    musaStream_t stream = nullptr;
    musparsePointerMode_t pointer_mode = MUSPARSE_POINTER_MODE_HOST;
};

// A matrix whose entries are given by coordinates: of rows and columns, one of them in the compressed form.
struct musparseSpMatDescr {
    musparseFormat_t format;
    std::int64_t rows, columns, count;
    const void* row_indices;     // in CSR: where each row begins
    const void* column_indices;  // in CSC: where each column begins
    void* values;
    musparseIndexType_t row_type, column_type;
    musparseIndexBase_t base;
    musaDataType type;
    int batches = 1;
    std::int64_t offset_stride = 0;  // from matrix to matrix: of the compressed indices
    std::int64_t entry_stride = 0;   // of the other indices and the values
    musparseFillMode_t fill = MUSPARSE_FILL_MODE_LOWER;     // which triangle solvers take
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

// A matrix of the older interface; its arrays are arguments.
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
