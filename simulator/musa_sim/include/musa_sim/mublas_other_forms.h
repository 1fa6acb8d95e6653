/* Functions of mublas.h in other forms, which it includes. */

/* Sizes of 64 bits; those that do not fit 32 bits are MUBLAS_STATUS_NOT_SUPPORTED. */
mublasStatus mublasGemmEx_64(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int64_t m,
                             int64_t n, int64_t k, const void *alpha, const void *A, musaDataType_t type_a, int64_t lda,
                             const void *B, musaDataType_t type_b, int64_t ldb, const void *beta, void *C,
                             musaDataType_t type_c, int64_t ldc, mublasComputeType_t compute_type,
                             mublasGemmAlgo_t algorithm);
mublasStatus mublasGemmStridedBatchedEx_64(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb,
                                           int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
                                           musaDataType_t type_a, int64_t lda, long long stride_a, const void *B,
                                           musaDataType_t type_b, int64_t ldb, long long stride_b, const void *beta,
                                           void *C, musaDataType_t type_c, int64_t ldc, long long stride_c,
                                           int64_t batch_count, mublasComputeType_t compute_type,
                                           mublasGemmAlgo_t algorithm);
mublasStatus mublasSgemmEx_64(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int64_t m,
                              int64_t n, int64_t k, const float *alpha, const void *A, musaDataType_t type_a,
                              int64_t lda, const void *B, musaDataType_t type_b, int64_t ldb, const float *beta, void *C,
                              musaDataType_t type_c, int64_t ldc);
/* Matrices whose types are arguments: MUSA_C_32F alone. */
mublasStatus mublasCgemm3mEx(mublasHandle_t handle, mublasOperation_t transa, mublasOperation_t transb, int m, int n,
                             int k, const muComplex *alpha, const void *A, musaDataType_t type_a, int lda,
                             const void *B, musaDataType_t type_b, int ldb, const muComplex *beta, void *C,
                             musaDataType_t type_c, int ldc);
#define MUSA_SIM_RANK_K(name, Factor)                                                                                 \
    mublasStatus name(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, int n, int k,            \
                      const Factor *alpha, const void *A, musaDataType_t type_a, int lda, const Factor *beta,         \
                      void *C, musaDataType_t type_c, int ldc)
MUSA_SIM_RANK_K(mublasCherkEx, float);
MUSA_SIM_RANK_K(mublasCherk3mEx, float);
MUSA_SIM_RANK_K(mublasCsyrkEx, muComplex);
MUSA_SIM_RANK_K(mublasCsyrk3mEx, muComplex);
#undef MUSA_SIM_RANK_K
/* Prints that an argument of a routine is wrong. */
void mublasXerbla(const char *srName, int info);
