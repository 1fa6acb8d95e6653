// muBLASLt: descriptions, and products with epilogues. See include/mublasLt.h.
#include <mublasLt.h>

#include "../exported.h"
#include "product.h"
#include "descriptions.h"

struct mublasLtContext {};

namespace mublas_lt {

static Attribute find(Desc& desc, mublasLtMatmulDescAttributes_t number) {
    switch (number) {
        case MUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return attribute(desc.compute);
        case MUBLASLT_MATMUL_DESC_SCALE_TYPE: return attribute(desc.scale);
        case MUBLASLT_MATMUL_DESC_POINTER_MODE: return attribute(desc.pointer_mode);
        case MUBLASLT_MATMUL_DESC_TRANSA: return attribute(desc.trans_a);
        case MUBLASLT_MATMUL_DESC_TRANSB: return attribute(desc.trans_b);
        case MUBLASLT_MATMUL_DESC_TRANSC: return attribute(desc.trans_c);
        case MUBLASLT_MATMUL_DESC_EPILOGUE: return attribute(desc.epilogue);
        case MUBLASLT_MATMUL_DESC_BIAS_POINTER: return attribute(desc.bias);
        case MUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return attribute(desc.bias_stride);
        case MUBLASLT_MATMUL_DESC_FILL_MODE: return attribute(desc.fill);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return attribute(desc.aux);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return attribute(desc.aux_ld);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return attribute(desc.aux_stride);
        case MUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE: return attribute(desc.alpha_stride);
        case MUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: return attribute(desc.processors);
        case MUBLASLT_MATMUL_DESC_A_SCALE_POINTER: return attribute(desc.a_scale);
        case MUBLASLT_MATMUL_DESC_B_SCALE_POINTER: return attribute(desc.b_scale);
        case MUBLASLT_MATMUL_DESC_C_SCALE_POINTER: return attribute(desc.c_scale);
        case MUBLASLT_MATMUL_DESC_D_SCALE_POINTER: return attribute(desc.d_scale);
        case MUBLASLT_MATMUL_DESC_AMAX_D_POINTER: return attribute(desc.d_amax);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return attribute(desc.aux_type);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER: return attribute(desc.aux_scale);
        case MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER: return attribute(desc.aux_amax);
        case MUBLASLT_MATMUL_DESC_FAST_ACCUM: return attribute(desc.fast_sums);
        case MUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return attribute(desc.bias_type);
    }
    return {};
}

static Attribute find(Layout& layout, mublasLtMatrixLayoutAttribute_t number) {
    switch (number) {
        case MUBLASLT_MATRIX_LAYOUT_TYPE: return attribute(layout.type);
        case MUBLASLT_MATRIX_LAYOUT_ORDER: return attribute(layout.order);
        case MUBLASLT_MATRIX_LAYOUT_ROWS: return attribute(layout.rows);
        case MUBLASLT_MATRIX_LAYOUT_COLS: return attribute(layout.columns);
        case MUBLASLT_MATRIX_LAYOUT_LD: return attribute(layout.ld);
        case MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return attribute(layout.batches);
        case MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return attribute(layout.stride);
        case MUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET: return attribute(layout.planes);
    }
    return {};
}

static Attribute find(Preference& preference, mublasLtMatmulPreferenceAttributes_t number) {
    switch (number) {
        case MUBLASLT_MATMUL_PREF_SEARCH_MODE: return attribute(preference.search_mode);
        case MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return attribute(preference.workspace);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return attribute(preference.alignments[0]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return attribute(preference.alignments[1]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return attribute(preference.alignments[2]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return attribute(preference.alignments[3]);
        case MUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return attribute(preference.reduction_schemes);
        case MUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT: return attribute(preference.most_waves);
        case MUBLASLT_MATMUL_PREF_POINTER_MODE_MASK: return attribute(preference.pointer_modes);
        case MUBLASLT_MATMUL_PREF_EPILOGUE_MASK: return attribute(preference.epilogues);
        case MUBLASLT_MATMUL_PREF_IMPL_MASK: return attribute(preference.implementations);
        case MUBLASLT_MATMUL_PREF_SM_COUNT_TARGET: return attribute(preference.processors);
    }
    return {};
}

static Attribute find(Transform& transform, mublasLtMatrixTransformDescAttributes_t number) {
    switch (number) {
        case MUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE: return attribute(transform.scale);
        case MUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE: return attribute(transform.pointer_mode);
        case MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA: return attribute(transform.trans_a);
        case MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB: return attribute(transform.trans_b);
    }
    return {};
}

}  // namespace mublas_lt

namespace {

using mublas_lt::Desc;
using mublas_lt::get;
using mublas_lt::inside;
using mublas_lt::Layout;
using mublas_lt::Preference;
using mublas_lt::Product;
using mublas_lt::set;
using mublas_lt::Transform;

template <class Opaque, class Object>
mublasStatus init(Opaque* opaque, const Object& object) {
    if (!opaque) return MUBLAS_STATUS_INVALID_VALUE;
    *opaque = {};
    new (opaque->data) Object(object);
    return MUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Object>
mublasStatus create(Opaque** opaque, const Object& object) {
    if (!opaque) return MUBLAS_STATUS_INVALID_VALUE;
    return init(*opaque = new Opaque, object);
}

Desc description(mublasComputeType_t compute, musaDataType_t scale) {
    Desc desc;
    desc.compute = compute;
    desc.scale = scale;
    return desc;
}

Layout layout_of(musaDataType_t type, uint64_t rows, uint64_t columns, int64_t ld) {
    Layout layout;
    layout.type = type;
    layout.rows = rows;
    layout.columns = columns;
    layout.ld = ld;
    return layout;
}

template <class Object>
mublasStatus destroy(Object* object) {
    if (!object) return MUBLAS_STATUS_INVALID_VALUE;
    delete object;
    return MUBLAS_STATUS_SUCCESS;
}

}  // namespace

MUSA_EXPORT mublasStatus_t mublasLtCreate(mublasLtHandle_t* handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_POINTER;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    *handle = new mublasLtContext();
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT mublasStatus_t mublasLtDestroy(mublasLtHandle_t handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    delete handle;
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescCreate(mublasLtMatmulDesc_t* desc, mublasComputeType_t computeType,
                                                    musaDataType_t scaleType) {
    return create(desc, description(computeType, scaleType));
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescInit(mublasLtMatmulDesc_t desc, mublasComputeType_t computeType,
                                                  musaDataType_t scaleType) {
    return init(desc, description(computeType, scaleType));
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescDestroy(mublasLtMatmulDesc_t desc) { return destroy(desc); }

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescSetAttribute(mublasLtMatmulDesc_t desc,
                                                          mublasLtMatmulDescAttributes_t attr, const void* buf,
                                                          size_t sizeInBytes) {
    return set(inside(desc), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescGetAttribute(mublasLtMatmulDesc_t desc,
                                                          mublasLtMatmulDescAttributes_t attr, void* buf,
                                                          size_t sizeInBytes, size_t* sizeWritten) {
    return get(inside(desc), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutCreate(mublasLtMatrixLayout_t* layout, musaDataType_t type,
                                                      uint64_t rows, uint64_t cols, int64_t ld) {
    return create(layout, layout_of(type, rows, cols, ld));
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutInit(mublasLtMatrixLayout_t layout, musaDataType_t type,
                                                    uint64_t rows, uint64_t cols, int64_t ld) {
    return init(layout, layout_of(type, rows, cols, ld));
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutDestroy(mublasLtMatrixLayout_t layout) { return destroy(layout); }

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutSetAttribute(mublasLtMatrixLayout_t layout,
                                                            mublasLtMatrixLayoutAttribute_t attr,
                                                            const void* buf, size_t sizeInBytes) {
    return set(inside(layout), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutGetAttribute(mublasLtMatrixLayout_t layout,
                                                            mublasLtMatrixLayoutAttribute_t attr, void* buf,
                                                            size_t sizeInBytes, size_t* sizeWritten) {
    return get(inside(layout), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceCreate(mublasLtMatmulPreference_t* preference) {
    return create(preference, Preference());
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceInit(mublasLtMatmulPreference_t preference) {
    return init(preference, Preference());
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceDestroy(mublasLtMatmulPreference_t preference) {
    return destroy(preference);
}

// The only algorithm satisfies all preferences.
MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceSetAttribute(mublasLtMatmulPreference_t preference,
                                                                mublasLtMatmulPreferenceAttributes_t attr,
                                                                const void* buf, size_t sizeInBytes) {
    return set(inside(preference), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceGetAttribute(mublasLtMatmulPreference_t preference,
                                                                mublasLtMatmulPreferenceAttributes_t attr,
                                                                void* buf, size_t sizeInBytes,
                                                                size_t* sizeWritten) {
    return get(inside(preference), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmul(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, const void* alpha,
                                          const void* A, mublasLtMatrixLayout_t Adesc, const void* B,
                                          mublasLtMatrixLayout_t Bdesc, const void* beta, const void* C,
                                          mublasLtMatrixLayout_t Cdesc, void* D, mublasLtMatrixLayout_t Ddesc,
                                          const mublasLtMatmulAlgo_t* algo, void*, size_t,
                                          musaStream_t stream) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !alpha || !A || !B || !C || !D)
        return MUBLAS_STATUS_INVALID_VALUE;
    const bool beta_is_zero =
        inside(desc)->pointer_mode == MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    if (!beta && !beta_is_zero) return MUBLAS_STATUS_INVALID_VALUE;
    const Product product{*inside(desc), *inside(Adesc), *inside(Bdesc), *inside(Cdesc), *inside(Ddesc), A, B, C, D};
    const mublasStatus status = mublas_lt::check(product);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!mublas_lt::has_pointers(product.desc)) return MUBLAS_STATUS_INVALID_VALUE;
    if (algo && !mublas_lt::is_computed(*algo)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return mublas_lt::find_run(product)(product, alpha, beta, stream);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixTransformDescCreate(mublasLtMatrixTransformDesc_t* desc,
                                                             musaDataType_t scaleType) {
    Transform transform;
    transform.scale = scaleType;
    return create(desc, transform);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixTransformDescInit(mublasLtMatrixTransformDesc_t desc,
                                                           musaDataType_t scaleType) {
    Transform transform;
    transform.scale = scaleType;
    return init(desc, transform);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixTransformDescDestroy(mublasLtMatrixTransformDesc_t desc) {
    return destroy(desc);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixTransformDescSetAttribute(mublasLtMatrixTransformDesc_t desc,
                                                                   mublasLtMatrixTransformDescAttributes_t attr,
                                                                   const void* buf, size_t sizeInBytes) {
    return set(inside(desc), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixTransformDescGetAttribute(mublasLtMatrixTransformDesc_t desc,
                                                                   mublasLtMatrixTransformDescAttributes_t attr,
                                                                   void* buf, size_t sizeInBytes,
                                                                   size_t* sizeWritten) {
    return get(inside(desc), attr, buf, sizeInBytes, sizeWritten);
}

// B may be absent: beta counts as zero then.
MUSA_EXPORT mublasStatus_t mublasLtMatrixTransform(mublasLtHandle_t handle, mublasLtMatrixTransformDesc_t desc,
                                                   const void* alpha, const void* A, mublasLtMatrixLayout_t Adesc,
                                                   const void* beta, const void* B, mublasLtMatrixLayout_t Bdesc,
                                                   void* C, mublasLtMatrixLayout_t Cdesc, musaStream_t stream) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !alpha || !A || !Adesc || !C || !Cdesc || (B && (!beta || !Bdesc))) return MUBLAS_STATUS_INVALID_VALUE;
    return mublas_lt::transform({*inside(desc), *inside(Adesc), B ? *inside(Bdesc) : Layout{}, *inside(Cdesc), A, B, C}, alpha,
                                beta, stream);
}
