// Triangular systems with sparse matrices, sampled products of dense matrices, and products of sparse matrices.
#include <algorithm>
#include <map>
#include <vector>

#include "entries.h"

using namespace musparse;

// The functions need no state between analysis and solution.
struct musparseSpSVDescr {};
struct musparseSpSMDescr {};

// A product of two sparse matrices, until it is copied to the program's arrays.
struct musparseSpGEMMDescr {
    std::vector<std::int64_t> offsets, columns;
    std::vector<unsigned char> values;
};

namespace {

template <class T>
using Row = std::vector<std::pair<std::int64_t, Number<T>>>;

// Return the rows of op(A) in the triangle that the matrix's attributes select.
template <class T>
std::vector<Row<T>> triangle_of(const musparseSpMatDescr& a, musparseOperation_t op) {
    std::vector<Row<T>> rows(static_cast<std::size_t>(a.rows));
    const auto* const values = static_cast<const T*>(a.values);
    const bool plain = op == MUSPARSE_OPERATION_NON_TRANSPOSE;
    for_each_entry(a, 0, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
        const bool is_there = a.fill == MUSPARSE_FILL_MODE_LOWER ? row >= column : row <= column;
        if (!is_there || (row == column && a.diagonal == MUSPARSE_DIAG_TYPE_UNIT)) return;
        const Number<T> value = under<T>(op, Element<T>::number(values[entry]));
        rows[static_cast<std::size_t>(plain ? row : column)].emplace_back(plain ? column : row, value);
    });
    return rows;
}

// Solve op(A) C = alpha op(B) by substitution, column by column. A missing diagonal element is zero.
template <class T>
void substitute(const musparseSpMatDescr& a, musparseOperation_t op_a, musparseOperation_t op_b, Number<T> alpha,
                const musparseDnMatDescr& b, const musparseDnMatDescr& c) {
    const std::vector<Row<T>> rows = triangle_of<T>(a, op_a);
    const bool lower = (a.fill == MUSPARSE_FILL_MODE_LOWER) == (op_a == MUSPARSE_OPERATION_NON_TRANSPOSE);
    const bool plain = op_b == MUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto* const from = static_cast<const T*>(b.values);
    auto* const to = static_cast<T*>(c.values);
    std::vector<Number<T>> x(static_cast<std::size_t>(a.rows));
    for (std::int64_t column = 0; column < c.columns; ++column) {
        for (std::int64_t step = 0; step < a.rows; ++step) {
            const std::int64_t row = lower ? step : a.rows - 1 - step;
            const T given = from[plain ? offset(b, row, column) : offset(b, column, row)];
            Number<T> value = alpha * under<T>(op_b, Element<T>::number(given));
            Number<T> diagonal(a.diagonal == MUSPARSE_DIAG_TYPE_UNIT ? 1 : 0);
            for (const auto& [other, factor] : rows[static_cast<std::size_t>(row)]) {
                if (other == row) diagonal += factor;
                else value = value - factor * x[static_cast<std::size_t>(other)];
            }
            x[static_cast<std::size_t>(row)] = value / diagonal;
        }
        for (std::int64_t row = 0; row < a.rows; ++row)
            to[offset(c, row, column)] = Element<T>::stored(x[static_cast<std::size_t>(row)]);
    }
}

struct System {
    musparseOperation_t op_a, op_b;
    const musparseSpMatDescr* a;
    musparseDnMatDescr b, c;
    musaDataType compute;

    bool valid() const {
        const bool plain = op_b == MUSPARSE_OPERATION_NON_TRANSPOSE;
        return a && is_operation(op_a) && is_operation(op_b) && a->rows == a->columns && c.rows == a->rows &&
               (plain ? b.rows : b.columns) == c.rows && (plain ? b.columns : b.rows) == c.columns &&
               a->batches == 1 && b.batches == 1 && c.batches == 1;
    }
    bool same_types() const { return a->type == compute && b.type == compute && c.type == compute; }
};

musparseStatus_t check_system(musparseHandle_t handle, const System& s, const void* alpha, const void* descriptor) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !descriptor || !s.valid()) return MUSPARSE_STATUS_INVALID_VALUE;
    return s.same_types() ? check_element(s.compute)
                          : MUSPARSE_STATUS_NOT_SUPPORTED;
}

musparseStatus_t solve(musparseHandle_t handle, const System& s, const void* alpha, const void* descriptor) {
    const musparseStatus_t status = check_system(handle, s, alpha, descriptor);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return with_element(s.compute, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [=, a = *s.a, factor = Scalar<T>(handle, alpha)] {
            substitute<T>(a, s.op_a, s.op_b, factor.get(), s.b, s.c);
        });
    });
}

template <class Then>
musparseStatus_t with_vector_system(musparseOperation_t op, const musparseSpMatDescr* a, const musparseDnVecDescr* x,
                              const musparseDnVecDescr* y, musaDataType compute, Then&& then) {
    if (!x || !y) return MUSPARSE_STATUS_INVALID_VALUE;
    return then(System{op, MUSPARSE_OPERATION_NON_TRANSPOSE, a, as_matrix(*x), as_matrix(*y), compute});
}

template <class Then>
musparseStatus_t with_matrix_system(musparseOperation_t op_a, musparseOperation_t op_b, const musparseSpMatDescr* a,
                               const musparseDnMatDescr* b, const musparseDnMatDescr* c, musaDataType compute,
                               Then&& then) {
    if (!b || !c) return MUSPARSE_STATUS_INVALID_VALUE;
    return then(System{op_a, op_b, a, *b, *c, compute});
}

musparseStatus_t size_if(musparseStatus_t status, musparseHandle_t handle, std::size_t* size) {
    return status == MUSPARSE_STATUS_SUCCESS ? give_some(handle, true, size) : status;
}

// C = alpha op(A) op(B) + beta C, only at the entries of C.
struct Sampled {
    musparseOperation_t op_a, op_b;
    musparseDnMatDescr a, b;
    musparseSpMatDescr c;
    musaDataType compute;

    bool plain_a() const { return op_a == MUSPARSE_OPERATION_NON_TRANSPOSE; }
    bool plain_b() const { return op_b == MUSPARSE_OPERATION_NON_TRANSPOSE; }
    std::int64_t inner() const { return plain_a() ? a.columns : a.rows; }
    bool valid() const {
        return is_operation(op_a) && is_operation(op_b) && (plain_a() ? a.rows : a.columns) == c.rows &&
               (plain_b() ? b.rows : b.columns) == inner() && (plain_b() ? b.columns : b.rows) == c.columns &&
               a.batches == c.batches && b.batches == c.batches;
    }

    template <class T>
    void run(Number<T> alpha, Number<T> beta) const {
        auto* const values = static_cast<T*>(c.values);
        for (int batch = 0; batch < c.batches; ++batch) {
            const auto* const left = static_cast<const T*>(a.values) + a.stride * batch;
            const auto* const right = static_cast<const T*>(b.values) + b.stride * batch;
            for_each_entry(c, batch, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
                Number<T> sum{};
                for (std::int64_t k = 0; k < inner(); ++k) {
                    const T one = left[plain_a() ? offset(a, row, k) : offset(a, k, row)];
                    const T other = right[plain_b() ? offset(b, k, column) : offset(b, column, k)];
                    sum += under<T>(op_a, Element<T>::number(one)) * under<T>(op_b, Element<T>::number(other));
                }
                Number<T> value = alpha * sum;
                if (!(beta == Number<T>())) value += beta * Element<T>::number(values[entry]);
                values[entry] = Element<T>::stored(value);
            });
        }
    }
};

musparseStatus_t check_sampled(musparseHandle_t handle, const Sampled& s, const void* alpha, const void* beta) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta || !s.valid()) return MUSPARSE_STATUS_INVALID_VALUE;
    const bool same = s.a.type == s.compute && s.b.type == s.compute && s.c.type == s.compute;
    return same ? check_element(s.compute) : MUSPARSE_STATUS_NOT_SUPPORTED;
}

// Multiply two sparse matrices by rows; columns are sorted.
template <class T>
void multiply_sparse(const musparseSpMatDescr& a, const musparseSpMatDescr& b, Number<T> alpha,
                     musparseSpGEMMDescr& result) {
    std::vector<Row<T>> rows_of_b(static_cast<std::size_t>(b.rows));
    std::vector<std::map<std::int64_t, Number<T>>> rows(static_cast<std::size_t>(a.rows));
    for_each_entry(b, 0, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
        rows_of_b[static_cast<std::size_t>(row)].emplace_back(column, Element<T>::number(static_cast<const T*>(b.values)[entry]));
    });
    for_each_entry(a, 0, [&](std::int64_t row, std::int64_t column, std::int64_t entry) {
        const Number<T> factor = Element<T>::number(static_cast<const T*>(a.values)[entry]);
        for (const auto& [to, value] : rows_of_b[static_cast<std::size_t>(column)])
            rows[static_cast<std::size_t>(row)][to] += factor * value;
    });
    result = {};
    std::vector<T> values;
    for (const auto& row : rows) {
        result.offsets.push_back(static_cast<std::int64_t>(values.size()));
        for (const auto& [column, value] : row) {
            result.columns.push_back(column);
            values.push_back(Element<T>::stored(alpha * value));
        }
    }
    result.offsets.push_back(static_cast<std::int64_t>(values.size()));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(values.data());
    result.values.assign(bytes, bytes + values.size() * sizeof(T));
}

void write_structure(const musparseSpMatDescr& c, const musparseSpGEMMDescr& product) {
    const std::int64_t base = c.base;
    for (std::size_t i = 0; i < product.offsets.size(); ++i)
        put_index(const_cast<void*>(c.row_indices), c.row_type, static_cast<std::int64_t>(i), product.offsets[i] + base);
    for (std::size_t i = 0; i < product.columns.size(); ++i)
        put_index(const_cast<void*>(c.column_indices), c.column_type, static_cast<std::int64_t>(i), product.columns[i] + base);
}

musparseStatus_t check_spgemm(musparseHandle_t handle, musparseOperation_t op_a, musparseOperation_t op_b,
                              const void* alpha, const musparseSpMatDescr* a, const musparseSpMatDescr* b,
                              const void* beta, const musparseSpMatDescr* c, musaDataType compute,
                              const musparseSpGEMMDescr* descriptor) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta || !a || !b || !c || !descriptor || a->columns != b->rows || a->rows != c->rows ||
        b->columns != c->columns)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const bool by_rows = a->format == MUSPARSE_FORMAT_CSR && b->format == MUSPARSE_FORMAT_CSR && c->format == MUSPARSE_FORMAT_CSR;
    const bool plain = op_a == MUSPARSE_OPERATION_NON_TRANSPOSE && op_b == MUSPARSE_OPERATION_NON_TRANSPOSE;
    if (!by_rows || !plain || a->type != compute || b->type != compute || c->type != compute)
        return MUSPARSE_STATUS_NOT_SUPPORTED;
    return check_element(compute);
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseSpSV_createDescr(musparseSpSVDescr_t* descr) {
    return create_descriptor(descr);
}
MUSA_EXPORT musparseStatus_t musparseSpSV_destroyDescr(musparseSpSVDescr_t descr) {
    return destroy_descriptor(descr);
}
MUSA_EXPORT musparseStatus_t musparseSpSM_createDescr(musparseSpSMDescr_t* descr) {
    return create_descriptor(descr);
}
MUSA_EXPORT musparseStatus_t musparseSpSM_destroyDescr(musparseSpSMDescr_t descr) {
    return destroy_descriptor(descr);
}
MUSA_EXPORT musparseStatus_t musparseSpGEMM_createDescr(musparseSpGEMMDescr_t* descr) {
    return create_descriptor(descr);
}
MUSA_EXPORT musparseStatus_t musparseSpGEMM_destroyDescr(musparseSpGEMMDescr_t descr) {
    return destroy_descriptor(descr);
}

MUSA_EXPORT musparseStatus_t musparseSpSV_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                     const void* alpha, const musparseSpMatDescr* matA,
                                                     const musparseDnVecDescr* vecX, musparseDnVecDescr_t vecY,
                                                     musaDataType computeType, musparseSpSVAlg_t,
                                                     musparseSpSVDescr_t spsvDescr, size_t* bufferSize) {
    return with_vector_system(opA, matA, vecX, vecY, computeType, [&](const System& s) {
        return size_if(check_system(handle, s, alpha, spsvDescr), handle, bufferSize);
    });
}

MUSA_EXPORT musparseStatus_t musparseSpSV_analysis(musparseHandle_t handle, musparseOperation_t opA,
                                                   const void* alpha, const musparseSpMatDescr* matA,
                                                   const musparseDnVecDescr* vecX, musparseDnVecDescr_t vecY,
                                                   musaDataType computeType, musparseSpSVAlg_t,
                                                   musparseSpSVDescr_t spsvDescr, void*) {
    return with_vector_system(opA, matA, vecX, vecY, computeType,
                        [&](const System& s) { return check_system(handle, s, alpha, spsvDescr); });
}

MUSA_EXPORT musparseStatus_t musparseSpSV_solve(musparseHandle_t handle, musparseOperation_t opA,
                                                const void* alpha, const musparseSpMatDescr* matA,
                                                const musparseDnVecDescr* vecX, musparseDnVecDescr_t vecY,
                                                musaDataType computeType, musparseSpSVAlg_t,
                                                musparseSpSVDescr_t spsvDescr) {
    return with_vector_system(opA, matA, vecX, vecY, computeType,
                        [&](const System& s) { return solve(handle, s, alpha, spsvDescr); });
}

MUSA_EXPORT musparseStatus_t musparseSpSM_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                     musparseOperation_t opB, const void* alpha,
                                                     const musparseSpMatDescr* matA,
                                                     const musparseDnMatDescr* matB, musparseDnMatDescr_t matC,
                                                     musaDataType computeType, musparseSpSMAlg_t,
                                                     musparseSpSMDescr_t spsmDescr, size_t* bufferSize) {
    return with_matrix_system(opA, opB, matA, matB, matC, computeType, [&](const System& s) {
        return size_if(check_system(handle, s, alpha, spsmDescr), handle, bufferSize);
    });
}

MUSA_EXPORT musparseStatus_t musparseSpSM_analysis(musparseHandle_t handle, musparseOperation_t opA,
                                                   musparseOperation_t opB, const void* alpha,
                                                   const musparseSpMatDescr* matA, const musparseDnMatDescr* matB,
                                                   musparseDnMatDescr_t matC, musaDataType computeType,
                                                   musparseSpSMAlg_t, musparseSpSMDescr_t spsmDescr, void*) {
    return with_matrix_system(opA, opB, matA, matB, matC, computeType,
                         [&](const System& s) { return check_system(handle, s, alpha, spsmDescr); });
}

MUSA_EXPORT musparseStatus_t musparseSpSM_solve(musparseHandle_t handle, musparseOperation_t opA,
                                                musparseOperation_t opB, const void* alpha,
                                                const musparseSpMatDescr* matA, const musparseDnMatDescr* matB,
                                                musparseDnMatDescr_t matC, musaDataType computeType,
                                                musparseSpSMAlg_t, musparseSpSMDescr_t spsmDescr) {
    return with_matrix_system(opA, opB, matA, matB, matC, computeType,
                         [&](const System& s) { return solve(handle, s, alpha, spsmDescr); });
}

MUSA_EXPORT musparseStatus_t musparseSDDMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                      musparseOperation_t opB, const void* alpha,
                                                      const musparseDnMatDescr* matA,
                                                      const musparseDnMatDescr* matB, const void* beta,
                                                      musparseSpMatDescr_t matC, musaDataType computeType,
                                                      musparseSDDMMAlg_t, size_t* bufferSize) {
    if (!matA || !matB || !matC) return MUSPARSE_STATUS_INVALID_VALUE;
    const Sampled product{opA, opB, *matA, *matB, *matC, computeType};
    return size_if(check_sampled(handle, product, alpha, beta), handle, bufferSize);
}

MUSA_EXPORT musparseStatus_t musparseSDDMM_preprocess(musparseHandle_t handle, musparseOperation_t opA,
                                                      musparseOperation_t opB, const void* alpha,
                                                      const musparseDnMatDescr* matA,
                                                      const musparseDnMatDescr* matB, const void* beta,
                                                      musparseSpMatDescr_t matC, musaDataType computeType,
                                                      musparseSDDMMAlg_t, void*) {
    if (!matA || !matB || !matC) return MUSPARSE_STATUS_INVALID_VALUE;
    return check_sampled(handle, {opA, opB, *matA, *matB, *matC, computeType}, alpha, beta);
}

MUSA_EXPORT musparseStatus_t musparseSDDMM(musparseHandle_t handle, musparseOperation_t opA,
                                           musparseOperation_t opB, const void* alpha,
                                           const musparseDnMatDescr* matA, const musparseDnMatDescr* matB,
                                           const void* beta, musparseSpMatDescr_t matC, musaDataType computeType,
                                           musparseSDDMMAlg_t, void*) {
    if (!matA || !matB || !matC) return MUSPARSE_STATUS_INVALID_VALUE;
    const Sampled product{opA, opB, *matA, *matB, *matC, computeType};
    const musparseStatus_t status = check_sampled(handle, product, alpha, beta);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return with_element(computeType, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [=, factor = Scalar<T>(handle, alpha), keep = Scalar<T>(handle, beta)] {
            product.run<T>(factor.get(), keep.get());
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseSpGEMM_workEstimation(
    musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB, const void* alpha,
    const musparseSpMatDescr* matA, const musparseSpMatDescr* matB, const void* beta, musparseSpMatDescr_t matC,
    musaDataType computeType, musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr, size_t* bufferSize1,
    void* externalBuffer1) {
    const musparseStatus_t status =
        check_spgemm(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
    return externalBuffer1 ? status : size_if(status, handle, bufferSize1);
}

// The host knows the number of entries on return.
MUSA_EXPORT musparseStatus_t musparseSpGEMM_compute(musparseHandle_t handle, musparseOperation_t opA,
                                                    musparseOperation_t opB, const void* alpha,
                                                    const musparseSpMatDescr* matA,
                                                    const musparseSpMatDescr* matB, const void* beta,
                                                    musparseSpMatDescr_t matC, musaDataType computeType,
                                                    musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr,
                                                    size_t* bufferSize2, void* externalBuffer2) {
    const musparseStatus_t status =
        check_spgemm(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
    if (status != MUSPARSE_STATUS_SUCCESS || !externalBuffer2) return size_if(status, handle, bufferSize2);
    return with_element(computeType, [&](auto element) {
        using T = typename decltype(element)::type;
        const Scalar<T> factor(handle, alpha), keep(handle, beta);
        if (musaStreamSynchronize(handle->stream) != musaSuccess) return MUSPARSE_STATUS_INTERNAL_ERROR;
        // Adding the entries of C is not supported: its arrays belong to another product.
        if (!(keep.get() == Number<T>()) && matC->count > 0) return MUSPARSE_STATUS_NOT_SUPPORTED;
        multiply_sparse<T>(*matA, *matB, factor.get(), *spgemmDescr);
        matC->count = static_cast<std::int64_t>(spgemmDescr->columns.size());
        return MUSPARSE_STATUS_SUCCESS;
    });
}

MUSA_EXPORT musparseStatus_t musparseSpGEMM_copy(musparseHandle_t handle, musparseOperation_t opA,
                                                 musparseOperation_t opB, const void* alpha,
                                                 const musparseSpMatDescr* matA, const musparseSpMatDescr* matB,
                                                 const void* beta, musparseSpMatDescr_t matC,
                                                 musaDataType computeType, musparseSpGEMMAlg_t,
                                                 musparseSpGEMMDescr_t spgemmDescr) {
    const musparseStatus_t status =
        check_spgemm(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    const bool is_computed = spgemmDescr->offsets.size() == static_cast<std::size_t>(matC->rows) + 1;
    const bool has_room = matC->row_indices && (matC->count == 0 || (matC->column_indices && matC->values));
    if (!is_computed || !has_room) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [c = *matC, product = *spgemmDescr] {
        write_structure(c, product);
        std::copy(product.values.begin(), product.values.end(), static_cast<unsigned char*>(c.values));
    });
}

// --- products whose structure is kept ---

namespace {

musparseStatus_t check_reuse(musparseHandle_t handle, musparseOperation_t op_a, musparseOperation_t op_b, const musparseSpMatDescr* a,
                             const musparseSpMatDescr* b, const musparseSpMatDescr* c, const musparseSpGEMMDescr* descriptor) {
    return check_spgemm(handle, op_a, op_b, descriptor, a, b, descriptor, c, c ? c->type : MUSA_R_32F, descriptor);
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseSpGEMMreuse_workEstimation(
    musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB, const musparseSpMatDescr* matA,
    const musparseSpMatDescr* matB, musparseSpMatDescr_t matC, musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr,
    size_t* bufferSize1, void* externalBuffer1) {
    const musparseStatus_t status = check_reuse(handle, opA, opB, matA, matB, matC, spgemmDescr);
    return externalBuffer1 ? status : size_if(status, handle, bufferSize1);
}

// The host knows the number of entries on return.
MUSA_EXPORT musparseStatus_t musparseSpGEMMreuse_nnz(
    musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB, const musparseSpMatDescr* matA,
    const musparseSpMatDescr* matB, musparseSpMatDescr_t matC, musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr,
    size_t* bufferSize2, void* externalBuffer2, size_t* bufferSize3, void*, size_t* bufferSize4, void*) {
    const musparseStatus_t status = check_reuse(handle, opA, opB, matA, matB, matC, spgemmDescr);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    if (!externalBuffer2) {
        for (std::size_t* size : {bufferSize2, bufferSize3, bufferSize4}) {
            const musparseStatus_t given = give_some(handle, true, size);
            if (given != MUSPARSE_STATUS_SUCCESS) return given;
        }
        return status;
    }
    if (musaStreamSynchronize(handle->stream) != musaSuccess) return MUSPARSE_STATUS_INTERNAL_ERROR;
    return with_element(matC->type, [&](auto element) {
        using T = typename decltype(element)::type;
        multiply_sparse<T>(*matA, *matB, Number<T>(1), *spgemmDescr);
        matC->count = static_cast<std::int64_t>(spgemmDescr->columns.size());
        return MUSPARSE_STATUS_SUCCESS;
    });
}

MUSA_EXPORT musparseStatus_t musparseSpGEMMreuse_copy(
    musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB, const musparseSpMatDescr* matA,
    const musparseSpMatDescr* matB, musparseSpMatDescr_t matC, musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr,
    size_t* bufferSize5, void* externalBuffer5) {
    const musparseStatus_t status = check_reuse(handle, opA, opB, matA, matB, matC, spgemmDescr);
    if (status != MUSPARSE_STATUS_SUCCESS || !externalBuffer5) return size_if(status, handle, bufferSize5);
    const bool is_counted = spgemmDescr->offsets.size() == static_cast<std::size_t>(matC->rows) + 1;
    if (!is_counted || !matC->row_indices || (matC->count > 0 && !matC->column_indices)) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [c = *matC, product = *spgemmDescr] { write_structure(c, product); });
}

MUSA_EXPORT musparseStatus_t musparseSpGEMMreuse_compute(
    musparseHandle_t handle, musparseOperation_t opA, musparseOperation_t opB, const void* alpha,
    const musparseSpMatDescr* matA, const musparseSpMatDescr* matB, const void* beta, musparseSpMatDescr_t matC,
    musaDataType computeType, musparseSpGEMMAlg_t, musparseSpGEMMDescr_t spgemmDescr) {
    const musparseStatus_t status =
        check_spgemm(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    if (spgemmDescr->columns.size() != static_cast<std::size_t>(matC->count) || (matC->count > 0 && !matC->values))
        return MUSPARSE_STATUS_INVALID_VALUE;
    return with_element(computeType, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [a = *matA, b = *matB, c = *matC, factor = Scalar<T>(handle, alpha), keep = Scalar<T>(handle, beta)] {
            musparseSpGEMMDescr product;
            multiply_sparse<T>(a, b, factor.get(), product);
            const auto* const computed = reinterpret_cast<const T*>(product.values.data());
            auto* const values = static_cast<T*>(c.values);
            for (std::int64_t i = 0; i < c.count; ++i) {
                Number<T> value = Element<T>::number(computed[i]);
                if (!(keep.get() == Number<T>())) value = value + keep.get() * Element<T>::number(values[i]);
                values[i] = Element<T>::stored(value);
            }
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseConstrainedGeMM_bufferSize(musparseHandle_t handle, musparseOperation_t opA,
                                                                musparseOperation_t opB, const void* alpha,
                                                                const musparseDnMatDescr* matA,
                                                                const musparseDnMatDescr* matB, const void* beta,
                                                                musparseSpMatDescr_t matC, musaDataType computeType,
                                                                size_t* bufferSize) {
    return musparseSDDMM_bufferSize(handle, opA, opB, alpha, matA, matB, beta, matC, computeType,
                                    MUSPARSE_SDDMM_ALG_DEFAULT, bufferSize);
}

MUSA_EXPORT musparseStatus_t musparseConstrainedGeMM(musparseHandle_t handle, musparseOperation_t opA,
                                                     musparseOperation_t opB, const void* alpha,
                                                     const musparseDnMatDescr* matA, const musparseDnMatDescr* matB,
                                                     const void* beta, musparseSpMatDescr_t matC,
                                                     musaDataType computeType, void* externalBuffer) {
    return musparseSDDMM(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, MUSPARSE_SDDMM_ALG_DEFAULT,
                         externalBuffer);
}
