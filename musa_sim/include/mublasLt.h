/* muBLASLt: the types, and functions that link and fail.
 *
 * Handles can be made. Every other function returns MUBLAS_STATUS_NOT_IMPLEMENTED and says so once on stderr; muBLAS has
 * products with the same types (mublasGemmEx). Which functions there are: musa_sim/mublasLt_refused.h. Names are
 * cuBLASLt's, renamed.
 */
#ifndef MUBLASLT_H
#define MUBLASLT_H

#include <library_types.h>
#include <mublas.h>
#include <stddef.h>
#include <stdint.h>

/* Opaque: programs hold pointers to them, or copy an algorithm as a whole. */
struct mublasLtContext;
struct mublasLtMatmulDescOpaque;
struct mublasLtMatrixLayoutOpaque;
struct mublasLtMatmulPreferenceOpaque;
typedef struct mublasLtContext *mublasLtHandle_t;
typedef struct mublasLtMatmulDescOpaque *mublasLtMatmulDesc_t;
typedef struct mublasLtMatrixLayoutOpaque *mublasLtMatrixLayout_t;
typedef struct mublasLtMatmulPreferenceOpaque *mublasLtMatmulPreference_t;
typedef struct mublasLtMatmulAlgo_t {
    uint64_t data[8];
} mublasLtMatmulAlgo_t;

typedef struct mublasLtMatmulHeuristicResult_t {
    mublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    mublasStatus_t state;
    float wavesCount;
    int reserved[4];
} mublasLtMatmulHeuristicResult_t;

typedef enum mublasLtOrder_t { MUBLASLT_ORDER_COL = 0, MUBLASLT_ORDER_ROW = 1 } mublasLtOrder_t;
typedef enum mublasLtMatrixLayoutAttribute_t {
    MUBLASLT_MATRIX_LAYOUT_TYPE = 0,
    MUBLASLT_MATRIX_LAYOUT_ORDER = 1,
    MUBLASLT_MATRIX_LAYOUT_ROWS = 2,
    MUBLASLT_MATRIX_LAYOUT_COLS = 3,
    MUBLASLT_MATRIX_LAYOUT_LD = 4,
    MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6
} mublasLtMatrixLayoutAttribute_t;
typedef enum mublasLtMatmulDescAttributes_t {
    MUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
    MUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
    MUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
    MUBLASLT_MATMUL_DESC_TRANSA = 3,
    MUBLASLT_MATMUL_DESC_TRANSB = 4,
    MUBLASLT_MATMUL_DESC_TRANSC = 5,
    MUBLASLT_MATMUL_DESC_FILL_MODE = 6,
    MUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    MUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
} mublasLtMatmulDescAttributes_t;
typedef enum mublasLtMatmulPreferenceAttributes_t {
    MUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
    MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
} mublasLtMatmulPreferenceAttributes_t;
typedef enum mublasLtEpilogue_t {
    MUBLASLT_EPILOGUE_DEFAULT = 1,
    MUBLASLT_EPILOGUE_RELU = 2,
    MUBLASLT_EPILOGUE_BIAS = 4,
    MUBLASLT_EPILOGUE_RELU_BIAS = 6,
    MUBLASLT_EPILOGUE_GELU = 32,
    MUBLASLT_EPILOGUE_GELU_BIAS = 36
} mublasLtEpilogue_t;

#ifdef __cplusplus
extern "C" {
#endif

mublasStatus_t mublasLtCreate(mublasLtHandle_t *handle);
mublasStatus_t mublasLtDestroy(mublasLtHandle_t handle);
size_t mublasLtGetVersion(void);

#define MUSA_SIM_REFUSED(name, parameters) mublasStatus_t name parameters;
#include <musa_sim/mublasLt_refused.h>
#undef MUSA_SIM_REFUSED

#ifdef __cplusplus
}
#endif

#endif
