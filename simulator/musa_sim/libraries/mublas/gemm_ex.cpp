// Products of matrices whose types are arguments.
#include "gemm.h"

namespace mublas {
namespace {

// The matrices of a batch: at a constant stride, or at pointers in device memory.
struct Batch {
    const void* data;
    long long stride;  // elements
    bool pointers;

    template <class T>
    T* at(int i) const {
        if (pointers) return static_cast<T* const*>(data)[i];
        return static_cast<T*>(const_cast<void*>(data)) + i * stride;
    }
};

struct Types {
    musaDataType_t in;
    musaDataType_t out;
    mublasComputeType_t compute;
};

struct Call {
    mublasHandle_t handle;
    Shape shape;
    const void* alpha;
    const void* beta;
    Batch a, b, c;
    int count;
};

// In and Out are the element types, Sum the type of the sums, Factor the type of alpha and beta.
template <class In, class Out, class Factor, class Sum = Number<Factor>>
mublasStatus run(const Call& call) {
    const Scalar<Factor> alpha(call.handle, static_cast<const Factor*>(call.alpha));
    const Scalar<Factor> beta(call.handle, static_cast<const Factor*>(call.beta));
    return enqueue(call.handle, [=, shape = call.shape, a = call.a, b = call.b, c = call.c, count = call.count] {
        const Sum factor = Element<Factor>::number(alpha.get()), keep = Element<Factor>::number(beta.get());
        for (int i = 0; i < count; ++i) {
            gemm<In, Out, Sum>(shape, factor, a.at<const In>(i), b.at<const In>(i), keep, c.at<Out>(i));
        }
    });
}

bool sums_in_float(mublasComputeType_t type) {
    switch (type) {
        case MUBLAS_COMPUTE_32F:
        case MUBLAS_COMPUTE_32F_PEDANTIC:
        case MUBLAS_COMPUTE_32F_FAST_16F:
        case MUBLAS_COMPUTE_32F_FAST_16BF:
        case MUBLAS_COMPUTE_32F_FAST_TF32: return true;
        default: return false;
    }
}

bool sums_in_half(mublasComputeType_t type) {
    return type == MUBLAS_COMPUTE_16F || type == MUBLAS_COMPUTE_16F_PEDANTIC;
}
bool sums_in_double(mublasComputeType_t type) {
    return type == MUBLAS_COMPUTE_64F || type == MUBLAS_COMPUTE_64F_PEDANTIC;
}
bool sums_in_integers(mublasComputeType_t type) {
    return type == MUBLAS_COMPUTE_32I || type == MUBLAS_COMPUTE_32I_PEDANTIC;
}

// Choose a supported combination of types; return MUBLAS_STATUS_NOT_IMPLEMENTED for others.
mublasStatus run_for_types(const Types& types, const Call& call) {
    const bool in_float = sums_in_float(types.compute);
    const bool same = types.in == types.out;
    const bool to_float = types.out == MUSA_R_32F;
    switch (types.in) {
        case MUSA_R_32F:
            if (same && in_float) return run<float, float, float>(call);
            break;
        case MUSA_R_64F:
            if (same && sums_in_double(types.compute)) return run<double, double, double>(call);
            break;
        case MUSA_C_32F:
            if (same && in_float) return run<muComplex, muComplex, muComplex>(call);
            break;
        case MUSA_C_64F:
            if (same && sums_in_double(types.compute)) {
                return run<muDoubleComplex, muDoubleComplex, muDoubleComplex>(call);
            }
            break;
        case MUSA_R_16F:
            if (same && sums_in_half(types.compute)) return run<__half, __half, __half>(call);
            if (same && in_float) return run<__half, __half, float>(call);
            if (to_float && in_float) return run<__half, float, float>(call);
            break;
        case MUSA_R_16BF:
            if (same && in_float) return run<__mt_bfloat16, __mt_bfloat16, float>(call);
            if (to_float && in_float) return run<__mt_bfloat16, float, float>(call);
            break;
        case MUSA_R_8I:
            if (types.out == MUSA_R_32I && sums_in_integers(types.compute)) {
                return run<std::int8_t, std::int32_t, std::int32_t>(call);
            }
            if (to_float && in_float) return run<std::int8_t, float, float>(call);
            break;
        default: break;
    }
    return MUBLAS_STATUS_NOT_IMPLEMENTED;
}

mublasStatus gemm_ex(const Types& types, musaDataType_t type_b, const Call& call) {
    const mublasStatus status = check_shape(call.handle, call.shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (call.count < 0) return MUBLAS_STATUS_INVALID_SIZE;
    if (!call.alpha || !call.beta) return MUBLAS_STATUS_INVALID_POINTER;
    const bool writes = call.shape.m > 0 && call.shape.n > 0 && call.count > 0;
    const bool reads = writes && call.shape.k > 0;
    if ((reads && (!call.a.data || !call.b.data)) || (writes && !call.c.data)) return MUBLAS_STATUS_INVALID_POINTER;
    return types.in == type_b ? run_for_types(types, call) : MUBLAS_STATUS_NOT_IMPLEMENTED;
}

}  // namespace
}  // namespace mublas

MUSA_EXPORT mublasStatus mublasGemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                      int m, int n, int k, const void* alpha, const void* A, musaDataType_t type_a,
                                      int lda, const void* B, musaDataType_t type_b, int ldb, const void* beta,
                                      void* C, musaDataType_t type_c, int ldc, mublasComputeType_t compute_type,
                                      mublasGemmAlgo_t) {
    return mublas::gemm_ex({type_a, type_c, compute_type}, type_b,
                           {handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, {A, 0, false},
                            {B, 0, false}, {C, 0, false}, 1});
}

MUSA_EXPORT mublasStatus mublasGemmBatchedEx(mublasHandle_t handle, mublasOperation_t transa,
                                             mublasOperation_t transb, int m, int n, int k, const void* alpha,
                                             const void* const A[], musaDataType_t type_a, int lda,
                                             const void* const B[], musaDataType_t type_b, int ldb,
                                             const void* beta, void* const C[], musaDataType_t type_c, int ldc,
                                             int batch_count, mublasComputeType_t compute_type, mublasGemmAlgo_t) {
    return mublas::gemm_ex({type_a, type_c, compute_type}, type_b,
                           {handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, {A, 0, true},
                            {B, 0, true}, {C, 0, true}, batch_count});
}

MUSA_EXPORT mublasStatus mublasGemmStridedBatchedEx(
    mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n, int k, const void* alpha,
    const void* A, musaDataType_t type_a, int lda, long long stride_a, const void* B, musaDataType_t type_b, int ldb,
    long long stride_b, const void* beta, void* C, musaDataType_t type_c, int ldc, long long stride_c,
    int batch_count, mublasComputeType_t compute_type, mublasGemmAlgo_t) {
    return mublas::gemm_ex({type_a, type_c, compute_type}, type_b,
                           {handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, {A, stride_a, false},
                            {B, stride_b, false}, {C, stride_c, false}, batch_count});
}

MUSA_EXPORT mublasStatus mublasSgemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                       int m, int n, int k, const float* alpha, const void* A, musaDataType_t type_a,
                                       int lda, const void* B, musaDataType_t type_b, int ldb, const float* beta,
                                       void* C, musaDataType_t type_c, int ldc) {
    return mublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c, ldc,
                        MUBLAS_COMPUTE_32F, MUBLAS_GEMM_DEFAULT);
}

MUSA_EXPORT mublasStatus mublasCgemmEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                       int m, int n, int k, const muComplex* alpha, const void* A,
                                       musaDataType_t type_a, int lda, const void* B, musaDataType_t type_b, int ldb,
                                       const muComplex* beta, void* C, musaDataType_t type_c, int ldc) {
    return mublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c, ldc,
                        MUBLAS_COMPUTE_32F, MUBLAS_GEMM_DEFAULT);
}
