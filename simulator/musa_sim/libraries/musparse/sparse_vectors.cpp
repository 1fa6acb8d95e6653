// Sparse vectors, and operations with a sparse and a dense vector.
#include <cstring>

#include "entries.h"

using namespace musparse;

namespace {

std::int64_t bytes_of(musaDataType type) {
    switch (type) {
        case MUSA_R_8I:
        case MUSA_R_8U: return 1;
        case MUSA_R_16F:
        case MUSA_R_16BF: return 2;
        case MUSA_R_32F:
        case MUSA_R_32I:
        case MUSA_R_32U:
        case MUSA_C_16F: return 4;
        case MUSA_R_64F:
        case MUSA_C_32F: return 8;
        case MUSA_C_64F: return 16;
        default: return 0;
    }
}

// Call visit(entry, index) for each entry of a sparse vector.
template <class Visit>
void for_each(const musparseSpVecDescr& x, Visit&& visit) {
    for (std::int64_t i = 0; i < x.count; ++i) visit(i, index_at(x.indices, x.index_type, i) - x.base);
}

// Move elements of any type between a sparse vector's entries and a dense vector.
template <class Move>
musparseStatus_t move_elements(musparseHandle_t handle, const musparseSpVecDescr* x, const musparseDnVecDescr* y,
                               Move move) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!x || !y || x->size != y->size || x->type != y->type) return MUSPARSE_STATUS_INVALID_VALUE;
    const std::int64_t size = bytes_of(x->type);
    if (size == 0) return MUSPARSE_STATUS_NOT_SUPPORTED;
    return enqueue(handle, [=, sparse = *x, dense = *y] {
        for_each(sparse, [&](std::int64_t entry, std::int64_t index) {
            move(static_cast<char*>(sparse.values) + entry * size, static_cast<char*>(dense.values) + index * size,
                 static_cast<std::size_t>(size));
        });
    });
}

// Call `work` with the element type of both vectors, if it is the same and supported.
template <class Work>
musparseStatus_t compute(musparseHandle_t handle, const musparseSpVecDescr* x, const musparseDnVecDescr* y, bool valid,
                         Work work) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!x || !y || !valid || x->size != y->size) return MUSPARSE_STATUS_INVALID_VALUE;
    return x->type == y->type ? with_element(x->type, work) : MUSPARSE_STATUS_NOT_SUPPORTED;
}

template <class T, class U>
musparseStatus_t give(const T* descriptor, U T::*field, U* result) {
    if (!descriptor || !result) return MUSPARSE_STATUS_INVALID_VALUE;
    *result = descriptor->*field;
    return MUSPARSE_STATUS_SUCCESS;
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseCreateSpVec(musparseSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz,
                                                 void* indices, void* values, musparseIndexType_t idxType,
                                                 musparseIndexBase_t idxBase, musaDataType valueType) {
    const bool is_index = idxType == MUSPARSE_INDEX_32I || idxType == MUSPARSE_INDEX_64I;
    if (!spVecDescr || size < 0 || nnz < 0 || nnz > size || (nnz > 0 && (!indices || !values)) || !is_base(idxBase))
        return MUSPARSE_STATUS_INVALID_VALUE;
    if (!is_index) return MUSPARSE_STATUS_NOT_SUPPORTED;
    *spVecDescr = new musparseSpVecDescr{size, nnz, indices, values, idxType, idxBase, valueType};
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseDestroySpVec(const musparseSpVecDescr* spVecDescr) {
    if (!spVecDescr) return MUSPARSE_STATUS_INVALID_VALUE;
    delete spVecDescr;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpVecGet(musparseSpVecDescr_t x, int64_t* size, int64_t* nnz, void** indices,
                                              void** values, musparseIndexType_t* idxType,
                                              musparseIndexBase_t* idxBase, musaDataType* valueType) {
    if (!x || !size || !nnz || !indices || !values || !idxType || !idxBase || !valueType)
        return MUSPARSE_STATUS_INVALID_VALUE;
    *size = x->size;
    *nnz = x->count;
    *indices = x->indices;
    *values = x->values;
    *idxType = x->index_type;
    *idxBase = x->base;
    *valueType = x->type;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseSpVecGetIndexBase(const musparseSpVecDescr* x, musparseIndexBase_t* idxBase) {
    return give(x, &musparseSpVecDescr::base, idxBase);
}
MUSA_EXPORT musparseStatus_t musparseSpVecGetValues(musparseSpVecDescr_t x, void** values) {
    return give(x, &musparseSpVecDescr::values, values);
}
MUSA_EXPORT musparseStatus_t musparseSpVecSetValues(musparseSpVecDescr_t x, void* values) {
    if (!x || !values) return MUSPARSE_STATUS_INVALID_VALUE;
    x->values = values;
    return MUSPARSE_STATUS_SUCCESS;
}

// y = alpha x + beta y
MUSA_EXPORT musparseStatus_t musparseAxpby(musparseHandle_t handle, const void* alpha,
                                           const musparseSpVecDescr* vecX, const void* beta,
                                           musparseDnVecDescr_t vecY) {
    return compute(handle, vecX, vecY, alpha && beta, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [=, x = *vecX, y = *vecY, a = Scalar<T>(handle, alpha), b = Scalar<T>(handle, beta)] {
            auto* const dense = static_cast<T*>(y.values);
            const Number<T> factor = a.get(), keep = b.get();
            for (std::int64_t i = 0; i < y.size; ++i) {
                const Number<T> kept = keep == Number<T>() ? Number<T>() : keep * Element<T>::number(dense[i]);
                dense[i] = Element<T>::stored(kept);
            }
            for_each(x, [&](std::int64_t entry, std::int64_t index) {
                const Number<T> value = Element<T>::number(static_cast<const T*>(x.values)[entry]);
                dense[index] = Element<T>::stored(Element<T>::number(dense[index]) + factor * value);
            });
        });
    });
}

// x = y at x's indices
MUSA_EXPORT musparseStatus_t musparseGather(musparseHandle_t handle, const musparseDnVecDescr* vecY,
                                            musparseSpVecDescr_t vecX) {
    return move_elements(handle, vecX, vecY, [](char* sparse, const char* dense, std::size_t size) { std::memcpy(sparse, dense, size); });
}

// y at x's indices = x
MUSA_EXPORT musparseStatus_t musparseScatter(musparseHandle_t handle, const musparseSpVecDescr* vecX,
                                             musparseDnVecDescr_t vecY) {
    return move_elements(handle, vecX, vecY, [](const char* sparse, char* dense, std::size_t size) { std::memcpy(dense, sparse, size); });
}

// The plane rotation x, y = c x + s y, c y - s x, at x's indices
MUSA_EXPORT musparseStatus_t musparseRot(musparseHandle_t handle, const void* c_coeff, const void* s_coeff,
                                         musparseSpVecDescr_t vecX, musparseDnVecDescr_t vecY) {
    return compute(handle, vecX, vecY, c_coeff && s_coeff, [&](auto element) {
        using T = typename decltype(element)::type;
        return enqueue(handle, [=, x = *vecX, y = *vecY, c = Scalar<T>(handle, c_coeff), s = Scalar<T>(handle, s_coeff)] {
            const Number<T> cosine = c.get(), sine = s.get();
            for_each(x, [&](std::int64_t entry, std::int64_t index) {
                T &one = static_cast<T*>(x.values)[entry], &other = static_cast<T*>(y.values)[index];
                const Number<T> a = Element<T>::number(one), b = Element<T>::number(other);
                one = Element<T>::stored(cosine * a + sine * b);
                other = Element<T>::stored(cosine * b - sine * a);
            });
        });
    });
}

MUSA_EXPORT musparseStatus_t musparseSpVV_bufferSize(musparseHandle_t handle, musparseOperation_t opX,
                                                     const musparseSpVecDescr* vecX,
                                                     const musparseDnVecDescr* vecY, const void* result,
                                                     musaDataType, size_t* bufferSize) {
    return give_some(handle, is_operation(opX) && vecX && vecY && result, bufferSize);
}

// The sum of op(x) y; if it goes to host memory, it is complete on return.
MUSA_EXPORT musparseStatus_t musparseSpVV(musparseHandle_t handle, musparseOperation_t opX,
                                          const musparseSpVecDescr* vecX, const musparseDnVecDescr* vecY,
                                          void* result, musaDataType computeType, void*) {
    return compute(handle, vecX, vecY, is_operation(opX) && result, [&](auto element) {
        using T = typename decltype(element)::type;
        if (computeType != vecX->type) return MUSPARSE_STATUS_NOT_SUPPORTED;
        const musparseStatus_t status = enqueue(handle, [=, x = *vecX, y = *vecY] {
            Number<T> sum{};
            for_each(x, [&](std::int64_t entry, std::int64_t index) {
                const Number<T> value = under<T>(opX, Element<T>::number(static_cast<const T*>(x.values)[entry]));
                sum += value * Element<T>::number(static_cast<const T*>(y.values)[index]);
            });
            *static_cast<T*>(result) = Element<T>::stored(sum);
        });
        if (status != MUSPARSE_STATUS_SUCCESS || handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) return status;
        return musaStreamSynchronize(handle->stream) == musaSuccess ? status : MUSPARSE_STATUS_INTERNAL_ERROR;
    });
}
