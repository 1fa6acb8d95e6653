// C = alpha op(A) op(B) + beta C, for any element types.
#pragma once

#include <algorithm>
#include <vector>

#include "context.h"
#include "numbers.h"

namespace mublas {

struct Shape {
    mublasOperation_t trans_a, trans_b;
    int m, n, k;
    int lda, ldb, ldc;
};

inline mublasStatus check_shape(mublasHandle_t handle, const Shape& s) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(s.trans_a) || !is_operation(s.trans_b)) return MUBLAS_STATUS_INVALID_VALUE;
    if (s.m < 0 || s.n < 0 || s.k < 0) return MUBLAS_STATUS_INVALID_SIZE;
    const int rows_a = s.trans_a == MUBLAS_OP_N ? s.m : s.k;
    const int rows_b = s.trans_b == MUBLAS_OP_N ? s.k : s.n;
    const bool fits = s.lda >= std::max(1, rows_a) && s.ldb >= std::max(1, rows_b) && s.ldc >= std::max(1, s.m);
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// Element (row, column) of op(X).
template <class T>
Number<T> element(const T* x, int ld, mublasOperation_t operation, int row, int column) {
    const std::size_t at = operation == MUBLAS_OP_N ? row + static_cast<std::size_t>(column) * ld
                                                    : column + static_cast<std::size_t>(row) * ld;
    const Number<T> value = Element<T>::number(x[at]);
    return operation == MUBLAS_OP_C ? conjugate(value) : value;
}

// Panels of op(A), converted and with their columns in a row, are multiplied with one column of op(B) after another,
// so that the inner loop runs over rows and the compiler can vectorise it.
template <class In, class Out, class Sum>
void gemm(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    constexpr int panel = 128;
    std::vector<Sum> sums(static_cast<std::size_t>(s.m) * s.n);
    std::vector<Sum> block(static_cast<std::size_t>(panel) * s.m);
    for (int first = 0; first < s.k; first += panel) {
        const int count = std::min(panel, s.k - first);
        for (int p = 0; p < count; ++p) {
            for (int i = 0; i < s.m; ++i) {
                block[static_cast<std::size_t>(p) * s.m + i] = element(a, s.lda, s.trans_a, i, first + p);
            }
        }
        for (int j = 0; j < s.n; ++j) {
            Sum* const column = &sums[static_cast<std::size_t>(j) * s.m];
            for (int p = 0; p < count; ++p) {
                const Sum factor = element(b, s.ldb, s.trans_b, first + p, j);
                const Sum* const from = &block[static_cast<std::size_t>(p) * s.m];
                for (int i = 0; i < s.m; ++i) column[i] += from[i] * factor;
            }
        }
    }
    for (int j = 0; j < s.n; ++j) {
        for (int i = 0; i < s.m; ++i) {
            Out& target = c[i + static_cast<std::size_t>(j) * s.ldc];
            Sum value = alpha * sums[static_cast<std::size_t>(j) * s.m + i];
            // With beta zero C is not read: it may hold anything, NaN included.
            if (!(beta == Sum())) value = value + beta * static_cast<Sum>(Element<Out>::number(target));
            target = Element<Out>::stored(value);
        }
    }
}

}  // namespace mublas
