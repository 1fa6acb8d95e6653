/* muBLASLt: products of dense matrices with a description for each, and what is done with the result on the way out.
 *
 * Names are cuBLASLt's, renamed. Types that are not computed together, and attributes and epilogues that are not here give
 * MUBLAS_STATUS_NOT_IMPLEMENTED. There is one algorithm, and it takes no workspace.
 */
#ifndef MUBLASLT_H
#define MUBLASLT_H

#include <library_types.h>
#include <mublas.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opaque structures: programs hold pointers to them, have them on the stack (...Init instead of ...Create), or copy
 * them. */
struct mublasLtContext;
typedef struct mublasLtContext *mublasLtHandle_t;
typedef struct mublasLtMatmulDescOpaque_t {
    uint64_t data[32];
} mublasLtMatmulDescOpaque_t;
typedef struct mublasLtMatrixLayoutOpaque_t {
    uint64_t data[8];
} mublasLtMatrixLayoutOpaque_t;
typedef struct mublasLtMatmulPreferenceOpaque_t {
    uint64_t data[8];
} mublasLtMatmulPreferenceOpaque_t;
typedef struct mublasLtMatrixTransformDescOpaque_t {
    uint64_t data[8];
} mublasLtMatrixTransformDescOpaque_t;
typedef mublasLtMatrixTransformDescOpaque_t *mublasLtMatrixTransformDesc_t;
typedef mublasLtMatmulDescOpaque_t *mublasLtMatmulDesc_t;
typedef mublasLtMatrixLayoutOpaque_t *mublasLtMatrixLayout_t;
typedef mublasLtMatmulPreferenceOpaque_t *mublasLtMatmulPreference_t;
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

/* The memory of alpha and beta; a vector has a number for each row of D. */
typedef enum mublasLtPointerMode_t {
    MUBLASLT_POINTER_MODE_HOST = MUBLAS_POINTER_MODE_HOST,
    MUBLASLT_POINTER_MODE_DEVICE = MUBLAS_POINTER_MODE_DEVICE,
    MUBLASLT_POINTER_MODE_DEVICE_VECTOR = 2,
    MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO = 3,
    MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST = 4
} mublasLtPointerMode_t;

/* The last three are tiles of 32 columns and 1, 8 or 32 rows. The leading dimension counts from a group of 32 columns to
 * the next one. */
typedef enum mublasLtOrder_t {
    MUBLASLT_ORDER_COL = 0,
    MUBLASLT_ORDER_ROW = 1,
    MUBLASLT_ORDER_COL32 = 2,
    MUBLASLT_ORDER_COL4_4R2_8C = 3,
    MUBLASLT_ORDER_COL32_2R_4R4 = 4
} mublasLtOrder_t;
typedef enum mublasLtMatrixLayoutAttribute_t {
    MUBLASLT_MATRIX_LAYOUT_TYPE = 0,
    MUBLASLT_MATRIX_LAYOUT_ORDER = 1,
    MUBLASLT_MATRIX_LAYOUT_ROWS = 2,
    MUBLASLT_MATRIX_LAYOUT_COLS = 3,
    MUBLASLT_MATRIX_LAYOUT_LD = 4,
    MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
    MUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET = 7
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
    MUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
    MUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE = 10,
    /* An epilogue keeps this matrix for its gradient: numbers (GELU), or a bit for each element (ReLU, whose leading
     * dimension and stride count bits). */
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 13,
    MUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE = 14,
    MUBLASLT_MATMUL_DESC_SM_COUNT_TARGET = 15,
    /* Factors of matrices of 8-bit floats, in device memory. AMAX: the largest magnitude before the factor. */
    MUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17,
    MUBLASLT_MATMUL_DESC_B_SCALE_POINTER = 18,
    MUBLASLT_MATMUL_DESC_C_SCALE_POINTER = 19,
    MUBLASLT_MATMUL_DESC_D_SCALE_POINTER = 20,
    MUBLASLT_MATMUL_DESC_AMAX_D_POINTER = 21,
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22,
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER = 23,
    MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER = 24,
    MUBLASLT_MATMUL_DESC_FAST_ACCUM = 25,
    MUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26
} mublasLtMatmulDescAttributes_t;
typedef enum mublasLtMatmulPreferenceAttributes_t {
    MUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
    MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    MUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
    MUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT = 9,
    MUBLASLT_MATMUL_PREF_POINTER_MODE_MASK = 10,
    MUBLASLT_MATMUL_PREF_EPILOGUE_MASK = 11,
    MUBLASLT_MATMUL_PREF_IMPL_MASK = 12,
    MUBLASLT_MATMUL_PREF_SM_COUNT_TARGET = 13
} mublasLtMatmulPreferenceAttributes_t;
typedef enum mublasLtEpilogue_t {
    MUBLASLT_EPILOGUE_DEFAULT = 1,
    MUBLASLT_EPILOGUE_RELU = 2,
    MUBLASLT_EPILOGUE_RELU_AUX = 130,
    MUBLASLT_EPILOGUE_BIAS = 4,
    MUBLASLT_EPILOGUE_RELU_BIAS = 6,
    MUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134,
    MUBLASLT_EPILOGUE_DRELU = 136,
    MUBLASLT_EPILOGUE_DRELU_BGRAD = 152,
    MUBLASLT_EPILOGUE_GELU = 32,
    MUBLASLT_EPILOGUE_GELU_AUX = 160,
    MUBLASLT_EPILOGUE_GELU_BIAS = 36,
    MUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
    MUBLASLT_EPILOGUE_DGELU = 192,
    MUBLASLT_EPILOGUE_DGELU_BGRAD = 208,
    /* the gradient of a bias of A's or B's product: sums of op(A)'s rows or op(B)'s columns */
    MUBLASLT_EPILOGUE_BGRADA = 256,
    MUBLASLT_EPILOGUE_BGRADB = 512
} mublasLtEpilogue_t;
typedef enum mublasLtReductionScheme_t {
    MUBLASLT_REDUCTION_SCHEME_NONE = 0,
    MUBLASLT_REDUCTION_SCHEME_INPLACE = 1,
    MUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
    MUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
    MUBLASLT_REDUCTION_SCHEME_MASK = 7
} mublasLtReductionScheme_t;
typedef enum mublasLtMatrixTransformDescAttributes_t {
    MUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE = 0,
    MUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE = 1,
    MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA = 2,
    MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB = 3
} mublasLtMatrixTransformDescAttributes_t;

/* Capabilities and configuration of an algorithm. The tiles and stages of the one algorithm are undefined, and it
 * does not split sums: another number of parts than 1 is stored, and MUBLAS_STATUS_NOT_IMPLEMENTED when it is used. */
typedef enum mublasLtMatmulAlgoCapAttributes_t {
    MUBLASLT_ALGO_CAP_SPLITK_SUPPORT = 0,
    MUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK = 1,
    MUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT = 2,
    MUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT = 3,
    MUBLASLT_ALGO_CAP_UPLO_SUPPORT = 5,
    MUBLASLT_ALGO_CAP_TILE_IDS = 6,
    MUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX = 7,
    MUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER = 10,
    MUBLASLT_ALGO_CAP_POINTER_MODE_MASK = 11,
    MUBLASLT_ALGO_CAP_EPILOGUE_MASK = 12,
    MUBLASLT_ALGO_CAP_STAGES_IDS = 13,
    MUBLASLT_ALGO_CAP_LD_NEGATIVE = 14,
    MUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS = 15,
    MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES = 16,
    MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES = 17,
    MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES = 18,
    MUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES = 19
} mublasLtMatmulAlgoCapAttributes_t;
typedef enum mublasLtMatmulAlgoConfigAttributes_t {
    MUBLASLT_ALGO_CONFIG_ID = 0,
    MUBLASLT_ALGO_CONFIG_TILE_ID = 1,
    MUBLASLT_ALGO_CONFIG_SPLITK_NUM = 2,
    MUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME = 3,
    MUBLASLT_ALGO_CONFIG_CTA_SWIZZLING = 4,
    MUBLASLT_ALGO_CONFIG_CUSTOM_OPTION = 5,
    MUBLASLT_ALGO_CONFIG_STAGES_ID = 6,
    MUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID = 7,
    MUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID = 8
} mublasLtMatmulAlgoConfigAttributes_t;
typedef enum mublasLtMatmulTile_t { MUBLASLT_MATMUL_TILE_UNDEFINED = 0 } mublasLtMatmulTile_t;
typedef enum mublasLtMatmulStages_t { MUBLASLT_MATMUL_STAGES_UNDEFINED = 0 } mublasLtMatmulStages_t;
typedef enum mublasLtMatmulSearch_t {
    MUBLASLT_SEARCH_BEST_FIT = 0,
    MUBLASLT_SEARCH_LIMITED_BY_ALGO_ID = 1,
    MUBLASLT_SEARCH_RESERVED_02 = 2,
    MUBLASLT_SEARCH_RESERVED_03 = 3,
    MUBLASLT_SEARCH_RESERVED_04 = 4,
    MUBLASLT_SEARCH_RESERVED_05 = 5
} mublasLtMatmulSearch_t;
typedef enum mublasLt3mMode_t {
    MUBLASLT_3M_MODE_DISALLOWED = 0,
    MUBLASLT_3M_MODE_ALLOWED = 1
} mublasLt3mMode_t;
typedef enum mublasLtPointerModeMask_t {
    MUBLASLT_POINTER_MODE_MASK_NO_FILTERING = 0,
    MUBLASLT_POINTER_MODE_MASK_HOST = 1,
    MUBLASLT_POINTER_MODE_MASK_DEVICE = 2,
    MUBLASLT_POINTER_MODE_MASK_DEVICE_VECTOR = 4,
    MUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO = 8,
    MUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_HOST = 16
} mublasLtPointerModeMask_t;
typedef uint64_t mublasLtNumericalImplFlags_t;
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_FMA (0x01ull << 0)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA (0x02ull << 0)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_IMMA (0x04ull << 0)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA (0x08ull << 0)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F (0x01ull << 8)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F (0x02ull << 8)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F (0x04ull << 8)
#define MUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I (0x08ull << 8)

typedef void (*mublasLtLoggerCallback_t)(int logLevel, const char *functionName, const char *message);

#ifdef __cplusplus
extern "C" {
#endif

mublasStatus_t mublasLtCreate(mublasLtHandle_t *handle);
mublasStatus_t mublasLtDestroy(mublasLtHandle_t handle);
size_t mublasLtGetVersion(void);
size_t mublasLtGetCudartVersion(void);
mublasStatus_t mublasLtGetProperty(libraryPropertyType type, int *value);
const char *mublasLtGetStatusName(mublasStatus_t status);
const char *mublasLtGetStatusString(mublasStatus_t status);

/* Nothing is logged. */
mublasStatus_t mublasLtLoggerSetCallback(mublasLtLoggerCallback_t callback);
mublasStatus_t mublasLtLoggerSetFile(FILE *file);
mublasStatus_t mublasLtLoggerOpenFile(const char *logFile);
mublasStatus_t mublasLtLoggerSetLevel(int level);
mublasStatus_t mublasLtLoggerSetMask(int mask);
mublasStatus_t mublasLtLoggerForceDisable(void);

/* D = epilogue(alpha op(A) op(B) + beta C + bias) */
mublasStatus_t mublasLtMatmul(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, const void *alpha, const void *A,
                              mublasLtMatrixLayout_t Adesc, const void *B, mublasLtMatrixLayout_t Bdesc,
                              const void *beta, const void *C, mublasLtMatrixLayout_t Cdesc, void *D,
                              mublasLtMatrixLayout_t Ddesc, const mublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspaceSizeInBytes, musaStream_t stream);
mublasStatus_t mublasLtMatmulAlgoGetHeuristic(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc,
                                              mublasLtMatrixLayout_t Adesc, mublasLtMatrixLayout_t Bdesc,
                                              mublasLtMatrixLayout_t Cdesc, mublasLtMatrixLayout_t Ddesc,
                                              mublasLtMatmulPreference_t preference, int requestedAlgoCount,
                                              mublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                                              int *returnAlgoCount);
mublasStatus_t mublasLtMatmulAlgoCheck(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, mublasLtMatrixLayout_t Adesc,
                                       mublasLtMatrixLayout_t Bdesc, mublasLtMatrixLayout_t Cdesc,
                                       mublasLtMatrixLayout_t Ddesc, const mublasLtMatmulAlgo_t *algo,
                                       mublasLtMatmulHeuristicResult_t *result);
mublasStatus_t mublasLtMatmulAlgoGetIds(mublasLtHandle_t handle, mublasComputeType_t computeType,
                                        musaDataType_t scaleType, musaDataType_t Atype, musaDataType_t Btype,
                                        musaDataType_t Ctype, musaDataType_t Dtype, int requestedAlgoCount,
                                        int algoIdsArray[], int *returnAlgoCount);
mublasStatus_t mublasLtMatmulAlgoInit(mublasLtHandle_t handle, mublasComputeType_t computeType,
                                      musaDataType_t scaleType, musaDataType_t Atype, musaDataType_t Btype,
                                      musaDataType_t Ctype, musaDataType_t Dtype, int algoId,
                                      mublasLtMatmulAlgo_t *algo);

/* Without room for the value, the size alone is returned. Tiles and stages are arrays. */
mublasStatus_t mublasLtMatmulAlgoCapGetAttribute(const mublasLtMatmulAlgo_t *algo, mublasLtMatmulAlgoCapAttributes_t attr,
                                                 void *buf, size_t sizeInBytes, size_t *sizeWritten);
mublasStatus_t mublasLtMatmulAlgoConfigSetAttribute(mublasLtMatmulAlgo_t *algo, mublasLtMatmulAlgoConfigAttributes_t attr,
                                                    const void *buf, size_t sizeInBytes);
mublasStatus_t mublasLtMatmulAlgoConfigGetAttribute(const mublasLtMatmulAlgo_t *algo,
                                                    mublasLtMatmulAlgoConfigAttributes_t attr, void *buf,
                                                    size_t sizeInBytes, size_t *sizeWritten);

/* C = alpha op(A) + beta op(B), converted from the types and orders of A and B to C's; without B: alpha op(A) */
mublasStatus_t mublasLtMatrixTransform(mublasLtHandle_t handle, mublasLtMatrixTransformDesc_t desc, const void *alpha,
                                       const void *A, mublasLtMatrixLayout_t Adesc, const void *beta, const void *B,
                                       mublasLtMatrixLayout_t Bdesc, void *C, mublasLtMatrixLayout_t Cdesc,
                                       musaStream_t stream);
mublasStatus_t mublasLtMatrixTransformDescCreate(mublasLtMatrixTransformDesc_t *desc, musaDataType_t scaleType);
mublasStatus_t mublasLtMatrixTransformDescInit(mublasLtMatrixTransformDesc_t desc, musaDataType_t scaleType);
mublasStatus_t mublasLtMatrixTransformDescDestroy(mublasLtMatrixTransformDesc_t desc);
mublasStatus_t mublasLtMatrixTransformDescSetAttribute(mublasLtMatrixTransformDesc_t desc,
                                                       mublasLtMatrixTransformDescAttributes_t attr, const void *buf,
                                                       size_t sizeInBytes);
mublasStatus_t mublasLtMatrixTransformDescGetAttribute(mublasLtMatrixTransformDesc_t desc,
                                                       mublasLtMatrixTransformDescAttributes_t attr, void *buf,
                                                       size_t sizeInBytes, size_t *sizeWritten);

mublasStatus_t mublasLtMatmulDescCreate(mublasLtMatmulDesc_t *desc, mublasComputeType_t computeType,
                                        musaDataType_t scaleType);
mublasStatus_t mublasLtMatmulDescInit(mublasLtMatmulDesc_t desc, mublasComputeType_t computeType,
                                      musaDataType_t scaleType);
mublasStatus_t mublasLtMatmulDescDestroy(mublasLtMatmulDesc_t desc);
mublasStatus_t mublasLtMatmulDescSetAttribute(mublasLtMatmulDesc_t desc, mublasLtMatmulDescAttributes_t attr,
                                              const void *buf, size_t sizeInBytes);
mublasStatus_t mublasLtMatmulDescGetAttribute(mublasLtMatmulDesc_t desc, mublasLtMatmulDescAttributes_t attr,
                                              void *buf, size_t sizeInBytes, size_t *sizeWritten);
mublasStatus_t mublasLtMatrixLayoutCreate(mublasLtMatrixLayout_t *layout, musaDataType_t type, uint64_t rows,
                                          uint64_t cols, int64_t ld);
mublasStatus_t mublasLtMatrixLayoutInit(mublasLtMatrixLayout_t layout, musaDataType_t type, uint64_t rows,
                                        uint64_t cols, int64_t ld);
mublasStatus_t mublasLtMatrixLayoutDestroy(mublasLtMatrixLayout_t layout);
mublasStatus_t mublasLtMatrixLayoutSetAttribute(mublasLtMatrixLayout_t layout, mublasLtMatrixLayoutAttribute_t attr,
                                                const void *buf, size_t sizeInBytes);
mublasStatus_t mublasLtMatrixLayoutGetAttribute(mublasLtMatrixLayout_t layout, mublasLtMatrixLayoutAttribute_t attr,
                                                void *buf, size_t sizeInBytes, size_t *sizeWritten);
mublasStatus_t mublasLtMatmulPreferenceCreate(mublasLtMatmulPreference_t *preference);
mublasStatus_t mublasLtMatmulPreferenceInit(mublasLtMatmulPreference_t preference);
mublasStatus_t mublasLtMatmulPreferenceDestroy(mublasLtMatmulPreference_t preference);
mublasStatus_t mublasLtMatmulPreferenceSetAttribute(mublasLtMatmulPreference_t preference,
                                                    mublasLtMatmulPreferenceAttributes_t attr, const void *buf,
                                                    size_t sizeInBytes);
mublasStatus_t mublasLtMatmulPreferenceGetAttribute(mublasLtMatmulPreference_t preference,
                                                    mublasLtMatmulPreferenceAttributes_t attr, void *buf,
                                                    size_t sizeInBytes, size_t *sizeWritten);

#ifdef __cplusplus
}
#endif

#endif
