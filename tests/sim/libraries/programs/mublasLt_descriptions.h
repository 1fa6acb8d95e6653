// The status check of the programs of muBLASLt, and their descriptions of products and matrices.
#pragma once

#include <mublasLt.h>
#include <program.h>

#include <cstdint>

namespace {

void check(mublasStatus_t status, const char* what) {
    if (status == MUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", what, mublasGetStatusString(status));
    std::exit(4);
}

mublasLtHandle_t handle;
musaStream_t stream;

inline std::size_t size_of(int type) {
    switch (type) {
        case MUSA_R_8F_E4M3:
        case MUSA_R_8F_E5M2:
        case MUSA_R_8I: return 1;
        case MUSA_R_16F:
        case MUSA_R_16BF: return 2;
        case MUSA_R_32F:
        case MUSA_R_32I: return 4;
        case MUSA_C_64F: return 16;
        default: return 8;
    }
}

template <class T>
void set(mublasLtMatmulDesc_t desc, mublasLtMatmulDescAttributes_t number, T value) {
    check(mublasLtMatmulDescSetAttribute(desc, number, &value, sizeof value), "attribute of the product");
}

template <class T>
void set(mublasLtMatrixLayout_t layout, mublasLtMatrixLayoutAttribute_t number, T value) {
    check(mublasLtMatrixLayoutSetAttribute(layout, number, &value, sizeof value), "attribute of a matrix");
}

inline mublasLtMatrixLayout_t layout_of(int type, int rows, int columns, int order, int batches) {
    mublasLtMatrixLayout_t layout;
    const int ld = order == MUBLASLT_ORDER_COL ? rows : columns;
    check(mublasLtMatrixLayoutCreate(&layout, static_cast<musaDataType_t>(type), rows, columns, ld), "layout");
    set(layout, MUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t(order));
    set(layout, MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t(batches));
    set(layout, MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t(rows) * columns);
    return layout;
}

}  // namespace
