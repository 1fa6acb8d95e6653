// The entries of sparse matrices, and the elements of dense ones.
#pragma once

#include "../data_types.h"
#include "../mublas/element_arithmetic.h"
#include "../scalar.h"
#include "context.h"

namespace musparse {

using mublas::Element;
using mublas::Number;

inline std::int64_t index_at(const void* indices, musparseIndexType_t type, std::int64_t at) {
    return type == MUSPARSE_INDEX_32I ? static_cast<const std::int32_t*>(indices)[at]
                                      : static_cast<const std::int64_t*>(indices)[at];
}

// Call visit(row, column, entry) for each entry of one matrix of a batch; rows and columns count from zero.
template <class Visit>
void for_each_entry(const musparseSpMatDescr& a, int batch, Visit&& visit) {
    const std::int64_t first = a.entry_stride * batch;
    const std::int64_t offsets = a.offset_stride * batch;
    const std::int64_t base = a.base;
    if (a.format == MUSPARSE_FORMAT_COO) {
        for (std::int64_t i = first; i < first + a.count; ++i) {
            visit(index_at(a.row_indices, a.row_type, i) - base, index_at(a.column_indices, a.column_type, i) - base, i);
        }
        return;
    }
    const bool by_rows = a.format == MUSPARSE_FORMAT_CSR;
    const void* const lines = by_rows ? a.row_indices : a.column_indices;
    const musparseIndexType_t line_type = by_rows ? a.row_type : a.column_type;
    const void* const others = by_rows ? a.column_indices : a.row_indices;
    const musparseIndexType_t other_type = by_rows ? a.column_type : a.row_type;
    for (std::int64_t line = 0; line < (by_rows ? a.rows : a.columns); ++line) {
        const std::int64_t end = index_at(lines, line_type, offsets + line + 1) - base;
        for (std::int64_t i = index_at(lines, line_type, offsets + line) - base; i < end; ++i) {
            const std::int64_t other = index_at(others, other_type, first + i) - base;
            visit(by_rows ? line : other, by_rows ? other : line, first + i);
        }
    }
}

// View a vector as a matrix of one column.
inline musparseDnMatDescr as_matrix(const musparseDnVecDescr& vector) {
    return {vector.size, 1, vector.size, vector.values, vector.type, MUSPARSE_ORDER_COL};
}

inline std::int64_t offset(const musparseDnMatDescr& m, std::int64_t row, std::int64_t column) {
    return m.order == MUSPARSE_ORDER_COL ? row + column * m.ld : row * m.ld + column;
}

inline void put_index(void* indices, musparseIndexType_t type, std::int64_t at, std::int64_t value) {
    if (type == MUSPARSE_INDEX_32I) static_cast<std::int32_t*>(indices)[at] = static_cast<std::int32_t>(value);
    else static_cast<std::int64_t*>(indices)[at] = value;
}

template <class T>
Number<T> under(musparseOperation_t operation, Number<T> value) {
    return operation == MUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? mublas::conjugate(value) : value;
}

inline bool is_operation(musparseOperation_t operation) {
    return operation >= MUSPARSE_OPERATION_NON_TRANSPOSE && operation <= MUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

template <class Visit>
musparseStatus_t with_element(musaDataType type, Visit visit) {
    return musa_sim::with_data_type(type, MUSPARSE_STATUS_NOT_SUPPORTED, visit);
}

inline musparseStatus_t check_element(musaDataType type) {
    return with_element(type, [](auto) { return MUSPARSE_STATUS_SUCCESS; });
}

// alpha or beta, in the memory that the handle's pointer mode says.
template <class T>
class Scalar {
public:
    Scalar(musparseHandle_t handle, const void* address)
        : stored_(static_cast<const T*>(address), handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) {}
    Number<T> get() const { return Element<T>::number(stored_.get()); }

private:
    musa_sim::Scalar<T> stored_;
};

// Return the size of a buffer that is not used. It is not zero, so that programs allocate a buffer and call again with
// it.
inline musparseStatus_t give_some(musparseHandle_t handle, bool valid, std::size_t* size) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!valid || !size) return MUSPARSE_STATUS_INVALID_VALUE;
    *size = 16;
    return MUSPARSE_STATUS_SUCCESS;
}

}  // namespace musparse
