// Products of sparse matrices with dense vectors and matrices, and conversions of indices.
#include <vector>

#include "entries.h"

using namespace musparse;

namespace {

struct Product {
    musparseOperation_t op_a, op_b;
    musparseSpMatDescr a;
    musparseDnMatDescr b, c;
    musaDataType compute;
};

template <class In, class Out>
void multiply(const Product& p, int batch, Number<In> alpha, Number<In> beta) {
    const auto* const values = static_cast<const In*>(p.a.values);
    const auto* const b = static_cast<const In*>(p.b.values) + p.b.stride * batch;
    auto* const c = static_cast<Out*>(p.c.values) + p.c.stride * batch;
    const bool plain_a = p.op_a == MUSPARSE_OPERATION_NON_TRANSPOSE, plain_b = p.op_b == MUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto columns = static_cast<std::size_t>(p.c.columns);
    std::vector<Number<In>> sums(static_cast<std::size_t>(p.c.rows) * columns);
    for_each_entry(p.a, p.a.batches > 1 ? batch : 0, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
        const Number<In> factor = under<In>(p.op_a, Element<In>::number(values[entry]));
        const std::int64_t to = plain_a ? row : column, from = plain_a ? column : row;
        Number<In>* const line = &sums[static_cast<std::size_t>(to) * columns];
        for (std::int64_t j = 0; j < p.c.columns; ++j) {
            const In other = b[plain_b ? offset(p.b, from, j) : offset(p.b, j, from)];
            line[j] += factor * under<In>(p.op_b, Element<In>::number(other));
        }
    });
    for (std::int64_t row = 0; row < p.c.rows; ++row) {
        for (std::int64_t column = 0; column < p.c.columns; ++column) {
            Out& target = c[offset(p.c, row, column)];
            Number<In> value = alpha * sums[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
            // If beta is zero, C is not read: it may hold anything, NaN included.
            if (!(beta == Number<In>())) value = value + beta * static_cast<Number<In>>(Element<Out>::number(target));
            target = Element<Out>::stored(value);
        }
    }
}

// `Scale`: the type of alpha and beta.
template <class In, class Out, class Scale>
musparseStatus_t run(musparseHandle_t handle, const Product& p, const void* alpha, const void* beta) {
    const bool on_device = handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE;
    const auto read = [](const void* at) { return Element<Scale>::number(*static_cast<const Scale*>(at)); };
    const Number<Scale> alpha_now = on_device ? Number<Scale>() : read(alpha);
    const Number<Scale> beta_now = on_device ? Number<Scale>() : read(beta);
    return enqueue(handle, [=] {
        const Number<Scale> factor = on_device ? read(alpha) : alpha_now, kept = on_device ? read(beta) : beta_now;
        for (int batch = 0; batch < p.c.batches; ++batch) multiply<In, Out>(p, batch, factor, kept);
    });
}

using Run = musparseStatus_t (*)(musparseHandle_t, const Product&, const void*, const void*);

// Return nullptr for a combination of types that is not supported.
Run find_run(const Product& p) {
    const bool same = p.c.type == p.a.type;
    if (p.b.type != p.a.type) return nullptr;
    const bool in_type = same && p.compute == p.a.type;
    const bool in_float = p.compute == MUSA_R_32F;
    switch (p.a.type) {
        case MUSA_R_32F: return in_type ? run<float, float, float> : nullptr;
        case MUSA_R_64F: return in_type ? run<double, double, double> : nullptr;
        case MUSA_C_32F: return in_type ? run<muComplex, muComplex, muComplex> : nullptr;
        case MUSA_C_64F: return in_type ? run<muDoubleComplex, muDoubleComplex, muDoubleComplex> : nullptr;
        case MUSA_R_16F:
            if (!in_float) return nullptr;
            return same ? run<__half, __half, float> : p.c.type == MUSA_R_32F ? run<__half, float, float> : nullptr;
        case MUSA_R_16BF:
            if (!in_float) return nullptr;
            return same ? run<__mt_bfloat16, __mt_bfloat16, float>
                        : p.c.type == MUSA_R_32F ? run<__mt_bfloat16, float, float> : nullptr;
        default: return nullptr;
    }
}

musparseStatus_t check(musparseHandle_t handle, const Product& p, const void* alpha, const void* beta) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta || !is_operation(p.op_a) || !is_operation(p.op_b)) return MUSPARSE_STATUS_INVALID_VALUE;
    const bool plain_a = p.op_a == MUSPARSE_OPERATION_NON_TRANSPOSE, plain_b = p.op_b == MUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool fit = (plain_a ? p.a.rows : p.a.columns) == p.c.rows &&
                     (plain_a ? p.a.columns : p.a.rows) == (plain_b ? p.b.rows : p.b.columns) &&
                     (plain_b ? p.b.columns : p.b.rows) == p.c.columns;
    const bool batched = p.b.batches == p.c.batches && (p.a.batches == 1 || p.a.batches == p.c.batches);
    if (!fit || !batched) return MUSPARSE_STATUS_INVALID_VALUE;
    return find_run(p) ? MUSPARSE_STATUS_SUCCESS : MUSPARSE_STATUS_NOT_SUPPORTED;
}

musparseStatus_t give_size(musparseStatus_t status, std::size_t* size) {
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    if (!size) return MUSPARSE_STATUS_INVALID_VALUE;
    *size = 0;
    return status;
}

musparseStatus_t multiply(musparseHandle_t handle, const Product& p, const void* alpha, const void* beta) {
    const musparseStatus_t status = check(handle, p, alpha, beta);
    return status == MUSPARSE_STATUS_SUCCESS ? find_run(p)(handle, p, alpha, beta) : status;
}

// Check the arguments that the three functions of a product share, and call `then` with them.
template <class Then>
musparseStatus_t with_vectors(musparseOperation_t op, const musparseSpMatDescr* a, const musparseDnVecDescr* x,
                              const musparseDnVecDescr* y, musaDataType compute, Then&& then) {
    if (!a || !x || !y) return MUSPARSE_STATUS_INVALID_VALUE;
    return then(Product{op, MUSPARSE_OPERATION_NON_TRANSPOSE, *a, as_matrix(*x), as_matrix(*y), compute});
}

template <class Then>
musparseStatus_t with_matrices(musparseOperation_t op_a, musparseOperation_t op_b, const musparseSpMatDescr* a,
                               const musparseDnMatDescr* b, const musparseDnMatDescr* c, musaDataType compute,
                               Then&& then) {
    if (!a || !b || !c) return MUSPARSE_STATUS_INVALID_VALUE;
    return then(Product{op_a, op_b, *a, *b, *c, compute});
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseSpMV_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                     const void* alpha, const musparseSpMatDescr* matA,
                                                     const musparseDnVecDescr* vecX, const void* beta,
                                                     musparseDnVecDescr_t vecY, musaDataType computeType,
                                                     musparseSpMVAlg_t, size_t* bufferSize) {
    return with_vectors(opA, matA, vecX, vecY, computeType,
                        [&](const Product& p) { return give_size(check(handle, p, alpha, beta), bufferSize); });
}

MUSA_EXPORT musparseStatus_t musparseSpMV_preprocess(musparseHandle_t handle, musparseOperation_t opA,
                                                     const void* alpha, const musparseSpMatDescr* matA,
                                                     const musparseDnVecDescr* vecX, const void* beta,
                                                     musparseDnVecDescr_t vecY, musaDataType computeType,
                                                     musparseSpMVAlg_t, void*) {
    return with_vectors(opA, matA, vecX, vecY, computeType,
                        [&](const Product& p) { return check(handle, p, alpha, beta); });
}

MUSA_EXPORT musparseStatus_t musparseSpMV(musparseHandle_t handle, musparseOperation_t opA, const void* alpha,
                                          const musparseSpMatDescr* matA, const musparseDnVecDescr* vecX,
                                          const void* beta, musparseDnVecDescr_t vecY, musaDataType computeType,
                                          musparseSpMVAlg_t, void*) {
    return with_vectors(opA, matA, vecX, vecY, computeType,
                        [&](const Product& p) { return multiply(handle, p, alpha, beta); });
}

MUSA_EXPORT musparseStatus_t musparseSpMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                     musparseOperation_t opB, const void* alpha,
                                                     const musparseSpMatDescr* matA,
                                                     const musparseDnMatDescr* matB, const void* beta,
                                                     musparseDnMatDescr_t matC, musaDataType computeType,
                                                     musparseSpMMAlg_t, size_t* bufferSize) {
    return with_matrices(opA, opB, matA, matB, matC, computeType,
                         [&](const Product& p) { return give_size(check(handle, p, alpha, beta), bufferSize); });
}

MUSA_EXPORT musparseStatus_t musparseSpMM_preprocess(musparseHandle_t handle, musparseOperation_t opA,
                                                     musparseOperation_t opB, const void* alpha,
                                                     const musparseSpMatDescr* matA,
                                                     const musparseDnMatDescr* matB, const void* beta,
                                                     musparseDnMatDescr_t matC, musaDataType computeType,
                                                     musparseSpMMAlg_t, void*) {
    return with_matrices(opA, opB, matA, matB, matC, computeType,
                         [&](const Product& p) { return check(handle, p, alpha, beta); });
}

MUSA_EXPORT musparseStatus_t musparseSpMM(musparseHandle_t handle, musparseOperation_t opA,
                                          musparseOperation_t opB, const void* alpha,
                                          const musparseSpMatDescr* matA, const musparseDnMatDescr* matB,
                                          const void* beta, musparseDnMatDescr_t matC, musaDataType computeType,
                                          musparseSpMMAlg_t, void*) {
    return with_matrices(opA, opB, matA, matB, matC, computeType,
                         [&](const Product& p) { return multiply(handle, p, alpha, beta); });
}

MUSA_EXPORT musparseStatus_t musparseXcoo2csr(musparseHandle_t handle, const int* cooRowInd, int nnz, int m,
                                              int* csrRowPtr, musparseIndexBase_t idxBase) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !csrRowPtr || (nnz > 0 && !cooRowInd) || !musparse::is_base(idxBase))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=] {
        int entry = 0;
        for (int row = 0; row <= m; ++row) {
            while (entry < nnz && cooRowInd[entry] - idxBase < row) ++entry;
            csrRowPtr[row] = entry + idxBase;
        }
    });
}

MUSA_EXPORT musparseStatus_t musparseXcsr2coo(musparseHandle_t handle, const int* csrRowPtr, int nnz, int m,
                                              int* cooRowInd, musparseIndexBase_t idxBase) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !csrRowPtr || (nnz > 0 && !cooRowInd) || !musparse::is_base(idxBase))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=] {
        for (int row = 0; row < m; ++row) {
            for (int entry = csrRowPtr[row] - idxBase; entry < csrRowPtr[row + 1] - idxBase; ++entry)
                cooRowInd[entry] = row + idxBase;
        }
    });
}
