// The older conversions and operations on sparse vectors, whose arrays are arguments.
#include <algorithm>

#include "entries.h"

using namespace musparse;

namespace {

template <class T>
bool is_zero(T value) {
    return Element<T>::number(value) == Number<T>();
}

musparseStatus_t check_matrix(musparseHandle_t handle, const musparseMatDescr* description, int m, int n, int ld,
                              bool has_arrays) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (!description || m < 0 || n < 0 || ld < std::max(1, m) || !has_arrays) return MUSPARSE_STATUS_INVALID_VALUE;
    return description->type == MUSPARSE_MATRIX_TYPE_GENERAL ? MUSPARSE_STATUS_SUCCESS
                                                            : MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

// Element i of line number `line`, a row or a column.
template <class T>
std::size_t position(bool by_rows, int line, int i, int ld) {
    const int row = by_rows ? line : i, column = by_rows ? i : line;
    return static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * static_cast<std::size_t>(ld);
}

template <class T>
musparseStatus_t count_nonzeros(musparseHandle_t handle, musparseDirection_t direction, int m, int n,
                                const musparseMatDescr* description, const T* a, int ld, int* of_lines, int* total) {
    const musparseStatus_t status = check_matrix(handle, description, m, n, ld, a && of_lines && total);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    const bool by_rows = direction == MUSPARSE_DIRECTION_ROW;
    if (!by_rows && direction != MUSPARSE_DIRECTION_COLUMN) return MUSPARSE_STATUS_INVALID_VALUE;
    const musparseStatus_t done = enqueue(handle, [=] {
        int all = 0;
        for (int line = 0; line < (by_rows ? m : n); ++line) {
            int count = 0;
            for (int i = 0; i < (by_rows ? n : m); ++i) count += !is_zero(a[position<T>(by_rows, line, i, ld)]);
            of_lines[line] = count;
            all += count;
        }
        *total = all;
    });
    if (done != MUSPARSE_STATUS_SUCCESS || handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE) return done;
    return musaStreamSynchronize(handle->stream) == musaSuccess ? done : MUSPARSE_STATUS_INTERNAL_ERROR;
}

template <class T>
musparseStatus_t compress(musparseHandle_t handle, bool by_rows, int m, int n, const musparseMatDescr* description,
                          const T* a, int ld, const int* of_lines, T* values, int* begins, int* indices) {
    const bool has_arrays = a && of_lines && values && begins && indices;
    const musparseStatus_t status = check_matrix(handle, description, m, n, ld, has_arrays);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, base = static_cast<int>(description->base)] {
        const int lines = by_rows ? m : n;
        int next = 0;
        for (int line = 0; line < lines; ++line) {
            begins[line] = next + base;
            for (int i = 0; i < (by_rows ? n : m); ++i) {
                const T value = a[position<T>(by_rows, line, i, ld)];
                if (is_zero(value)) continue;
                values[next] = value;
                indices[next++] = i + base;
            }
        }
        begins[lines] = next + base;
    });
}

template <class T>
musparseStatus_t expand(musparseHandle_t handle, bool by_rows, int m, int n, const musparseMatDescr* description,
                        const T* values, const int* begins, const int* indices, T* a, int ld) {
    const musparseStatus_t status = check_matrix(handle, description, m, n, ld, values && begins && indices && a);
    if (status != MUSPARSE_STATUS_SUCCESS) return status;
    return enqueue(handle, [=, base = static_cast<int>(description->base)] {
        for (int column = 0; column < n; ++column) std::fill_n(a + static_cast<std::size_t>(column) * ld, m, T{});
        for (int line = 0; line < (by_rows ? m : n); ++line) {
            for (int i = begins[line] - base; i < begins[line + 1] - base; ++i)
                a[position<T>(by_rows, line, indices[i] - base, ld)] = values[i];
        }
    });
}

// Call visit(entry, element) for the entries of a sparse vector and their elements of a dense one.
template <class Visit>
musparseStatus_t for_entries(musparseHandle_t handle, int count, const int* indices, musparseIndexBase_t base,
                             bool has_arrays, Visit visit) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (count < 0 || !is_base(base) || (count > 0 && !(indices && has_arrays))) return MUSPARSE_STATUS_INVALID_VALUE;
    return enqueue(handle, [=] {
        for (int i = 0; i < count; ++i) visit(i, indices[i] - base);
    });
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseCopyMatDescr(musparseMatDescr_t to, const musparseMatDescr* from) {
    if (!to || !from) return MUSPARSE_STATUS_INVALID_VALUE;
    *to = *from;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseGetProperty(libraryPropertyType type, int* value) {
    if (!value) return MUSPARSE_STATUS_INVALID_VALUE;
    switch (type) {
        case MAJOR_VERSION: *value = MUSPARSE_VER_MAJOR; return MUSPARSE_STATUS_SUCCESS;
        case MINOR_VERSION: *value = MUSPARSE_VER_MINOR; return MUSPARSE_STATUS_SUCCESS;
        case PATCH_LEVEL: *value = MUSPARSE_VER_PATCH; return MUSPARSE_STATUS_SUCCESS;
    }
    return MUSPARSE_STATUS_INVALID_VALUE;
}

#define MUSPARSE_OLDER(L, T)                                                                                          \
    MUSA_EXPORT musparseStatus_t musparse##L##nnz(musparseHandle_t handle, musparseDirection_t direction, int m, int n, \
                                                  const musparseMatDescr* description, const T* a, int ld,            \
                                                  int* of_lines, int* total) {                                        \
        return count_nonzeros(handle, direction, m, n, description, a, ld, of_lines, total);                          \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##dense2csr(musparseHandle_t handle, int m, int n,                        \
                                                        const musparseMatDescr* description, const T* a, int ld,      \
                                                        const int* of_lines, T* values, int* begins, int* indices) {  \
        return compress(handle, true, m, n, description, a, ld, of_lines, values, begins, indices);                   \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##dense2csc(musparseHandle_t handle, int m, int n,                        \
                                                        const musparseMatDescr* description, const T* a, int ld,      \
                                                        const int* of_lines, T* values, int* indices, int* begins) {  \
        return compress(handle, false, m, n, description, a, ld, of_lines, values, begins, indices);                  \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2dense(musparseHandle_t handle, int m, int n,                        \
                                                        const musparseMatDescr* description, const T* values,         \
                                                        const int* begins, const int* indices, T* a, int ld) {        \
        return expand(handle, true, m, n, description, values, begins, indices, a, ld);                               \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##csc2dense(musparseHandle_t handle, int m, int n,                        \
                                                        const musparseMatDescr* description, const T* values,         \
                                                        const int* indices, const int* begins, T* a, int ld) {        \
        return expand(handle, false, m, n, description, values, begins, indices, a, ld);                              \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##gthr(musparseHandle_t handle, int count, const T* y, T* x,              \
                                                   const int* indices, musparseIndexBase_t base) {                    \
        return for_entries(handle, count, indices, base, x && y, [=](int i, int at) { x[i] = y[at]; });               \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##gthrz(musparseHandle_t handle, int count, T* y, T* x,                   \
                                                    const int* indices, musparseIndexBase_t base) {                   \
        return for_entries(handle, count, indices, base, x && y, [=](int i, int at) {                                 \
            x[i] = y[at];                                                                                             \
            y[at] = T{};                                                                                              \
        });                                                                                                           \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##sctr(musparseHandle_t handle, int count, const T* x, const int* indices, \
                                                   T* y, musparseIndexBase_t base) {                                  \
        return for_entries(handle, count, indices, base, x && y, [=](int i, int at) { y[at] = x[i]; });               \
    }                                                                                                                 \
    MUSA_EXPORT musparseStatus_t musparse##L##axpyi(musparseHandle_t handle, int count, const T* alpha, const T* x,   \
                                                    const int* indices, T* y, musparseIndexBase_t base) {             \
        if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;                                                          \
        if (!alpha) return MUSPARSE_STATUS_INVALID_VALUE;                                                             \
        const musa_sim::Scalar<T> factor(alpha, handle->pointer_mode == MUSPARSE_POINTER_MODE_DEVICE);                \
        return for_entries(handle, count, indices, base, x && y, [=](int i, int at) {                                 \
            using E = Element<T>;                                                                                     \
            y[at] = E::stored(E::number(factor.get()) * E::number(x[i]) + E::number(y[at]));                          \
        });                                                                                                           \
    }

MUSPARSE_OLDER(S, float)
MUSPARSE_OLDER(D, double)
MUSPARSE_OLDER(C, muComplex)
MUSPARSE_OLDER(Z, muDoubleComplex)
