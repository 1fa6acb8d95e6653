/* CUDA 12's descriptors of data that is only read. They are the others here: the SDK's functions take both. An SDK that
 * has these functions declares them by aliases.
 */
#ifndef MUSA_CUDA_ADAPTER_CUSPARSE_H
#define MUSA_CUDA_ADAPTER_CUSPARSE_H

#ifndef cusparseCreateConstCsr
typedef cusparseSpMatDescr_t cusparseConstSpMatDescr_t;
typedef cusparseSpVecDescr_t cusparseConstSpVecDescr_t;
typedef cusparseDnMatDescr_t cusparseConstDnMatDescr_t;
typedef cusparseDnVecDescr_t cusparseConstDnVecDescr_t;

static inline cusparseStatus_t musa_cuda_create_const_csr(cusparseConstSpMatDescr_t *descriptor, int64_t rows,
                                                          int64_t columns, int64_t count, const void *row_offsets,
                                                          const void *column_indices, const void *values,
                                                          cusparseIndexType_t offset_type,
                                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                          cudaDataType type) {
    return cusparseCreateCsr(descriptor, rows, columns, count, (void *)row_offsets, (void *)column_indices,
                             (void *)values, offset_type, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_create_const_csc(cusparseConstSpMatDescr_t *descriptor, int64_t rows,
                                                          int64_t columns, int64_t count, const void *column_offsets,
                                                          const void *row_indices, const void *values,
                                                          cusparseIndexType_t offset_type,
                                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                          cudaDataType type) {
    return cusparseCreateCsc(descriptor, rows, columns, count, (void *)column_offsets, (void *)row_indices,
                             (void *)values, offset_type, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_create_const_coo(cusparseConstSpMatDescr_t *descriptor, int64_t rows,
                                                          int64_t columns, int64_t count, const void *row_indices,
                                                          const void *column_indices, const void *values,
                                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                          cudaDataType type) {
    return cusparseCreateCoo(descriptor, rows, columns, count, (void *)row_indices, (void *)column_indices,
                             (void *)values, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_create_const_spvec(cusparseConstSpVecDescr_t *descriptor, int64_t size,
                                                            int64_t count, const void *indices, const void *values,
                                                            cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                                            cudaDataType type) {
    return cusparseCreateSpVec(descriptor, size, count, (void *)indices, (void *)values, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_create_const_dnmat(cusparseConstDnMatDescr_t *descriptor, int64_t rows,
                                                            int64_t columns, int64_t leading, const void *values,
                                                            cudaDataType type, cusparseOrder_t order) {
    return cusparseCreateDnMat(descriptor, rows, columns, leading, (void *)values, type, order);
}

static inline cusparseStatus_t musa_cuda_create_const_dnvec(cusparseConstDnVecDescr_t *descriptor, int64_t size,
                                                            const void *values, cudaDataType type) {
    return cusparseCreateDnVec(descriptor, size, (void *)values, type);
}

static inline cusparseStatus_t musa_cuda_const_csr_get(cusparseConstSpMatDescr_t descriptor, int64_t *rows,
                                                       int64_t *columns, int64_t *count, const void **row_offsets,
                                                       const void **column_indices, const void **values,
                                                       cusparseIndexType_t *offset_type,
                                                       cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                                       cudaDataType *type) {
    return cusparseCsrGet(descriptor, rows, columns, count, (void **)row_offsets, (void **)column_indices,
                          (void **)values, offset_type, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_const_coo_get(cusparseConstSpMatDescr_t descriptor, int64_t *rows,
                                                       int64_t *columns, int64_t *count, const void **row_indices,
                                                       const void **column_indices, const void **values,
                                                       cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                                       cudaDataType *type) {
    return cusparseCooGet(descriptor, rows, columns, count, (void **)row_indices, (void **)column_indices,
                          (void **)values, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_const_spvec_get(cusparseConstSpVecDescr_t descriptor, int64_t *size,
                                                         int64_t *count, const void **indices, const void **values,
                                                         cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                                         cudaDataType *type) {
    return cusparseSpVecGet(descriptor, size, count, (void **)indices, (void **)values, index_type, base, type);
}

static inline cusparseStatus_t musa_cuda_const_dnmat_get(cusparseConstDnMatDescr_t descriptor, int64_t *rows,
                                                         int64_t *columns, int64_t *leading, const void **values,
                                                         cudaDataType *type, cusparseOrder_t *order) {
    return cusparseDnMatGet(descriptor, rows, columns, leading, (void **)values, type, order);
}

static inline cusparseStatus_t musa_cuda_const_dnvec_get(cusparseConstDnVecDescr_t descriptor, int64_t *size,
                                                         const void **values, cudaDataType *type) {
    return cusparseDnVecGet(descriptor, size, (void **)values, type);
}

static inline cusparseStatus_t musa_cuda_const_spmat_get_values(cusparseConstSpMatDescr_t descriptor,
                                                                const void **values) {
    return cusparseSpMatGetValues(descriptor, (void **)values);
}

static inline cusparseStatus_t musa_cuda_const_spvec_get_values(cusparseConstSpVecDescr_t descriptor,
                                                                const void **values) {
    return cusparseSpVecGetValues(descriptor, (void **)values);
}

static inline cusparseStatus_t musa_cuda_const_dnmat_get_values(cusparseConstDnMatDescr_t descriptor,
                                                                const void **values) {
    return cusparseDnMatGetValues(descriptor, (void **)values);
}

static inline cusparseStatus_t musa_cuda_const_dnvec_get_values(cusparseConstDnVecDescr_t descriptor,
                                                                const void **values) {
    return cusparseDnVecGetValues(descriptor, (void **)values);
}

#define cusparseCreateConstCsr musa_cuda_create_const_csr
#define cusparseCreateConstCsc musa_cuda_create_const_csc
#define cusparseCreateConstCoo musa_cuda_create_const_coo
#define cusparseCreateConstSpVec musa_cuda_create_const_spvec
#define cusparseCreateConstDnMat musa_cuda_create_const_dnmat
#define cusparseCreateConstDnVec musa_cuda_create_const_dnvec
#define cusparseConstCsrGet musa_cuda_const_csr_get
#define cusparseConstCooGet musa_cuda_const_coo_get
#define cusparseConstSpVecGet musa_cuda_const_spvec_get
#define cusparseConstDnMatGet musa_cuda_const_dnmat_get
#define cusparseConstDnVecGet musa_cuda_const_dnvec_get
#define cusparseConstSpMatGetValues musa_cuda_const_spmat_get_values
#define cusparseConstSpVecGetValues musa_cuda_const_spvec_get_values
#define cusparseConstDnMatGetValues musa_cuda_const_dnmat_get_values
#define cusparseConstDnVecGetValues musa_cuda_const_dnvec_get_values
#endif

#endif
