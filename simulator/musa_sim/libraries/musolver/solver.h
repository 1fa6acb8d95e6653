// LAPACK's routines by element type, checks of arguments, and operations in the order of a handle's stream.
#pragma once

#include <musolverDn.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "../enqueue.h"
#include "../mublas/enumerators.h"
#include "lapack.h"

namespace musolver {

using mublas::is_fill;
using mublas::is_operation;
using mublas::is_side;

constexpr int column_major = 102;
// The rows per column of the workspace that programs allocate: more than LAPACK needs. But LAPACK allocates its own memory; the caller's is not used.
constexpr int block_rows = 64;

template <class T>
struct Type;
template <>
struct Type<float> {
    using Real = float;
    using Number = float;
    static constexpr char letter = 's';
    static constexpr bool is_complex = false;
};
template <>
struct Type<double> {
    using Real = double;
    using Number = double;
    static constexpr char letter = 'd';
    static constexpr bool is_complex = false;
};
template <>
struct Type<muComplex> {
    using Real = float;
    using Number = std::complex<float>;
    static constexpr char letter = 'c';
    static constexpr bool is_complex = true;
};
template <>
struct Type<muDoubleComplex> {
    using Real = double;
    using Number = std::complex<double>;
    static constexpr char letter = 'z';
    static constexpr bool is_complex = true;
};

template <class T>
using Real = typename Type<T>::Real;

// Call a LAPACK routine by its name without the letter of the type.
template <class T, class... Parameters>
int run_lapack(const char* routine, Parameters... parameters) {
    auto* const function = lapack::function<int(int, Parameters...)>(Type<T>::letter, routine);
    return function(column_major, parameters...);
}

inline musolverStatus_t status_of(mublasStatus status) {
    switch (status) {
        case MUBLAS_STATUS_SUCCESS: return MUSOLVER_STATUS_SUCCESS;
        case MUBLAS_STATUS_INVALID_HANDLE: return MUSOLVER_STATUS_NOT_INITIALIZED;
        case MUBLAS_STATUS_INVALID_POINTER: return MUSOLVER_STATUS_INVALID_VALUE;
        default: return MUSOLVER_STATUS_INTERNAL_ERROR;
    }
}

// Check a call; `valid`: whether its arguments are valid.
inline musolverStatus_t check(musolverDnHandle_t handle, bool valid) {
    musaStream_t stream = nullptr;
    if (mublasGetStream(handle, &stream) != MUBLAS_STATUS_SUCCESS) return MUSOLVER_STATUS_NOT_INITIALIZED;
    if (!valid) return MUSOLVER_STATUS_INVALID_VALUE;
    return lapack::is_there() ? MUSOLVER_STATUS_SUCCESS : MUSOLVER_STATUS_NOT_SUPPORTED;
}

template <class Work>
musolverStatus_t enqueue(musolverDnHandle_t handle, bool valid, Work work) {
    const musolverStatus_t status = check(handle, valid);
    if (status != MUSOLVER_STATUS_SUCCESS) return status;
    musaStream_t stream = nullptr;
    mublasGetStream(handle, &stream);
    return musa_sim::enqueue_work(stream, std::move(work)) == musaSuccess ? MUSOLVER_STATUS_SUCCESS
                                                                         : MUSOLVER_STATUS_INTERNAL_ERROR;
}

inline musolverStatus_t give_size(musolverDnHandle_t handle, bool valid, long long elements, int* size) {
    const musolverStatus_t status = check(handle, valid && size);
    if (status == MUSOLVER_STATUS_SUCCESS) *size = static_cast<int>(std::clamp(elements, 1LL, 2147483647LL));
    return status;
}

inline bool is_matrix(int rows, int columns, int ld) { return rows >= 0 && columns >= 0 && ld >= std::max(1, rows); }

inline char letter_of(mublasFillMode_t uplo) { return uplo == MUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }

// Real matrices have no other conjugate.
template <class T>
char letter_of(mublasOperation_t operation) {
    if (operation == MUBLAS_OP_N) return 'N';
    return operation == MUBLAS_OP_C && Type<T>::is_complex ? 'C' : 'T';
}

// The workspace of LU and QR per column.
inline long long panel_size(int m, int n) { return static_cast<long long>(std::max(m, n)) * block_rows; }

inline bool is_mode(musolverEigMode_t mode) {
    return mode == MUSOLVER_EIG_MODE_NOVECTOR || mode == MUSOLVER_EIG_MODE_VECTOR;
}

inline char letter_of(musolverEigMode_t mode) { return mode == MUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N'; }

inline char letter_of(mublasSideMode_t side) { return side == MUBLAS_SIDE_LEFT ? 'L' : 'R'; }

inline char letter_of(musolverEigRange_t range) {
    return range == MUSOLVER_EIG_RANGE_ALL ? 'A' : range == MUSOLVER_EIG_RANGE_V ? 'V' : 'I';
}

template <class Object>
musolverStatus_t create_object(Object** created) {
    if (!created) return MUSOLVER_STATUS_INVALID_VALUE;
    *created = new Object;
    return MUSOLVER_STATUS_SUCCESS;
}

template <class Object>
musolverStatus_t destroy_object(Object* object) {
    delete object;
    return MUSOLVER_STATUS_SUCCESS;
}

// Wait for the results of a call that writes to the host.
inline musolverStatus_t finish(musolverDnHandle_t handle, musolverStatus_t status) {
    musaStream_t stream = nullptr;
    if (status != MUSOLVER_STATUS_SUCCESS) return status;
    mublasGetStream(handle, &stream);
    return musaStreamSynchronize(stream) == musaSuccess ? status : MUSOLVER_STATUS_INTERNAL_ERROR;
}

}  // namespace musolver
