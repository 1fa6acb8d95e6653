// Functions in other forms: sizes of 64 bits, and types as arguments.
#include <mublas.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>

#include "../exported.h"

namespace mublas {
namespace {

bool fit(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) {
        if (size > std::numeric_limits<int>::max() || size < std::numeric_limits<int>::min()) return false;
    }
    return true;
}

int narrow(std::int64_t size) { return static_cast<int>(size); }

}  // namespace
}  // namespace mublas

MUSA_EXPORT mublasStatus mublasGemmEx_64(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                         int64_t m, int64_t n, int64_t k, const void* alpha, const void* A,
                                         musaDataType_t type_a, int64_t lda, const void* B, musaDataType_t type_b,
                                         int64_t ldb, const void* beta, void* C, musaDataType_t type_c, int64_t ldc,
                                         mublasComputeType_t compute_type, mublasGemmAlgo_t algorithm) {
    using mublas::narrow;
    if (!mublas::fit({m, n, k, lda, ldb, ldc})) return MUBLAS_STATUS_NOT_SUPPORTED;
    return mublasGemmEx(handle, transa, transb, narrow(m), narrow(n), narrow(k), alpha, A, type_a, narrow(lda), B, type_b,
                        narrow(ldb), beta, C, type_c, narrow(ldc), compute_type, algorithm);
}

MUSA_EXPORT mublasStatus mublasGemmStridedBatchedEx_64(
    mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* A, musaDataType_t type_a, int64_t lda, long long stride_a, const void* B,
    musaDataType_t type_b, int64_t ldb, long long stride_b, const void* beta, void* C, musaDataType_t type_c, int64_t ldc,
    long long stride_c, int64_t batch_count, mublasComputeType_t compute_type, mublasGemmAlgo_t algorithm) {
    using mublas::narrow;
    if (!mublas::fit({m, n, k, lda, ldb, ldc, batch_count})) return MUBLAS_STATUS_NOT_SUPPORTED;
    return mublasGemmStridedBatchedEx(handle, transa, transb, narrow(m), narrow(n), narrow(k), alpha, A, type_a, narrow(lda),
                                      stride_a, B, type_b, narrow(ldb), stride_b, beta, C, type_c, narrow(ldc), stride_c,
                                      narrow(batch_count), compute_type, algorithm);
}

MUSA_EXPORT mublasStatus mublasSgemmEx_64(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                          int64_t m, int64_t n, int64_t k, const float* alpha, const void* A,
                                          musaDataType_t type_a, int64_t lda, const void* B, musaDataType_t type_b,
                                          int64_t ldb, const float* beta, void* C, musaDataType_t type_c, int64_t ldc) {
    return mublasGemmEx_64(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c, ldc,
                           MUBLAS_COMPUTE_32F, MUBLAS_GEMM_DEFAULT);
}

MUSA_EXPORT mublasStatus mublasCgemm3mEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m,
                                         int n, int k, const muComplex* alpha, const void* A, musaDataType_t type_a,
                                         int lda, const void* B, musaDataType_t type_b, int ldb, const muComplex* beta,
                                         void* C, musaDataType_t type_c, int ldc) {
    return mublasCgemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c, ldc);
}

#define MUBLAS_RANK_K(name, plain, Factor)                                                                             \
    MUSA_EXPORT mublasStatus name(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n, int k, \
                                  const Factor* alpha, const void* A, musaDataType_t type_a, int lda,                  \
                                  const Factor* beta, void* C, musaDataType_t type_c, int ldc) {                       \
        if (type_a != MUSA_C_32F || type_c != MUSA_C_32F) return MUBLAS_STATUS_NOT_IMPLEMENTED;                        \
        return plain(handle, uplo, trans, n, k, alpha, static_cast<const muComplex*>(A), lda, beta,                    \
                     static_cast<muComplex*>(C), ldc);                                                                 \
    }
MUBLAS_RANK_K(mublasCherkEx, mublasCherk, float)
MUBLAS_RANK_K(mublasCherk3mEx, mublasCherk, float)
MUBLAS_RANK_K(mublasCsyrkEx, mublasCsyrk, muComplex)
MUBLAS_RANK_K(mublasCsyrk3mEx, mublasCsyrk, muComplex)

MUSA_EXPORT void mublasXerbla(const char* name, int info) {
    std::fprintf(stderr, "On entry to %s parameter number %d had an illegal value\n", name, info);
}
