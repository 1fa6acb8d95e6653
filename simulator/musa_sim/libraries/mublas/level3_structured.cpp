// Sums of matrices, and products and solves with matrices that are symmetric, Hermitian, triangular or diagonal.
#include "gemm.h"

namespace mublas {
namespace {

std::size_t offset(int row, int column, int ld) {
    return static_cast<std::size_t>(row) + static_cast<std::size_t>(column) * static_cast<std::size_t>(ld);
}

// C = alpha op(A) + beta op(B). C may be A or B unless that one is transposed.
template <class T>
mublasStatus geam(mublasHandle_t handle, mublasOperation_t trans_a, mublasOperation_t trans_b, int m, int n,
                  const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(trans_a) || !is_operation(trans_b)) return MUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0 || lda < std::max(1, trans_a == MUBLAS_OP_N ? m : n) ||
        ldb < std::max(1, trans_b == MUBLAS_OP_N ? m : n) || ldc < std::max(1, m)) {
        return MUBLAS_STATUS_INVALID_SIZE;
    }
    if (!alpha || !beta || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const Number<T> none{}, factor_a = Element<T>::number(s.get()), factor_b = Element<T>::number(t.get());
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                Number<T> sum{};
                if (!(factor_a == none)) sum += factor_a * element(a, lda, trans_a, i, j);
                if (!(factor_b == none)) sum += factor_b * element(b, ldb, trans_b, i, j);
                c[offset(i, j, ldc)] = Element<T>::stored(sum);
            }
        }
    });
}

// A triangular matrix, on the left or on the right of an m x n matrix.
struct Triangle {
    mublasSideMode_t side;
    mublasFillMode_t uplo;
    mublasOperation_t trans;
    mublasDiagType_t diag;
    int m, n;
    int lda;

    bool left() const { return side == MUBLAS_SIDE_LEFT; }
    int order() const { return left() ? m : n; }
    // Whether op(A) has its elements below the diagonal.
    bool lower() const { return (uplo == MUBLAS_FILL_MODE_LOWER) == (trans == MUBLAS_OP_N); }

    template <class T>
    Number<T> at(const T* a, int row, int column) const {
        return row == column && diag == MUBLAS_DIAG_UNIT ? Number<T>(1) : element(a, lda, trans, row, column);
    }
};

mublasStatus check(mublasHandle_t handle, const Triangle& t, int ldb) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(t.trans) || !is_side(t.side) || !is_fill(t.uplo)) return MUBLAS_STATUS_INVALID_VALUE;
    const bool fits = t.m >= 0 && t.n >= 0 && t.lda >= std::max(1, t.order()) && ldb >= std::max(1, t.m);
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// op(A) X = alpha B (left) or X op(A) = alpha B (right), X in place of B: by substitution along each column or row of B.
template <class T>
void solve(const Triangle& t, Number<T> alpha, const T* a, T* b, int ldb) {
    // Begin with the row of op(A) that has one element; on the right, with such a column.
    const bool forward = t.lower() == t.left();
    for (int line = 0; line < (t.left() ? t.n : t.m); ++line) {
        const auto x = [&](int i) -> T& { return b[t.left() ? offset(i, line, ldb) : offset(line, i, ldb)]; };
        for (int step = 0; step < t.order(); ++step) {
            const int i = forward ? step : t.order() - 1 - step;
            Number<T> value = alpha * Element<T>::number(x(i));
            for (int done = 0; done < step; ++done) {
                const int j = forward ? done : t.order() - 1 - done;
                value = value - (t.left() ? t.at(a, i, j) : t.at(a, j, i)) * Element<T>::number(x(j));
            }
            x(i) = Element<T>::stored(t.diag == MUBLAS_DIAG_UNIT ? value : value / t.at(a, i, i));
        }
    }
}

template <class T>
mublasStatus trsm(mublasHandle_t handle, const Triangle& t, const T* alpha, const T* a, T* b, int ldb) {
    const mublasStatus status = check(handle, t, ldb);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!alpha || !a || !b) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] { solve(t, Element<T>::number(s.get()), a, b, ldb); });
}

template <class T>
mublasStatus trsm_batched(mublasHandle_t handle, const Triangle& t, const T* alpha, const T* const* a, T* const* b,
                          int ldb, int batch_count) {
    const mublasStatus status = check(handle, t, ldb);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (batch_count < 0) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha || (batch_count > 0 && (!a || !b))) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] {
        for (int i = 0; i < batch_count; ++i) solve(t, Element<T>::number(s.get()), a[i], b[i], ldb);
    });
}

// C = alpha op(A) B (left) or alpha B op(A) (right); C may be B.
template <class T>
mublasStatus trmm(mublasHandle_t handle, const Triangle& t, const T* alpha, const T* a, const T* b, int ldb, T* c,
                  int ldc) {
    const mublasStatus status = check(handle, t, std::min(ldb, ldc));
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!alpha || !a || !b || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] {
        const Number<T> factor = Element<T>::number(s.get());
        std::vector<Number<T>> line(static_cast<std::size_t>(t.order()));
        for (int other = 0; other < (t.left() ? t.n : t.m); ++other) {
            const auto at = [&](int i, int ld) { return t.left() ? offset(i, other, ld) : offset(other, i, ld); };
            for (int i = 0; i < t.order(); ++i) line[static_cast<std::size_t>(i)] = Element<T>::number(b[at(i, ldb)]);
            for (int i = 0; i < t.order(); ++i) {
                const bool before = t.lower() == t.left();  // the elements of op(A) in this row or column
                Number<T> sum{};
                for (int j = before ? 0 : i; j < (before ? i + 1 : t.order()); ++j)
                    sum += (t.left() ? t.at(a, i, j) : t.at(a, j, i)) * line[static_cast<std::size_t>(j)];
                c[at(i, ldc)] = Element<T>::stored(factor * sum);
            }
        }
    });
}

// Fill in a matrix from one of its triangles.
template <bool hermitian, class T>
std::vector<T> completed(const T* a, int lda, mublasFillMode_t uplo, int order) {
    std::vector<T> whole(static_cast<std::size_t>(order) * static_cast<std::size_t>(order));
    for (int j = 0; j < order; ++j) {
        for (int i = 0; i < order; ++i) {
            const bool given = uplo == MUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            Number<T> value = Element<T>::number(given ? a[offset(i, j, lda)] : a[offset(j, i, lda)]);
            if constexpr (hermitian) {
                if (!given) value = conjugate(value);
                if (i == j) value.im = 0;
            }
            whole[offset(i, j, order)] = Element<T>::stored(value);
        }
    }
    return whole;
}

// C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric or Hermitian.
template <bool hermitian, class T>
mublasStatus symm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, int m, int n, const T* alpha,
                  const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
    const bool left = side == MUBLAS_SIDE_LEFT;
    const int order = left ? m : n;
    const int line = std::max(1, order);
    const Shape shape{MUBLAS_OP_N, MUBLAS_OP_N, m, n, order, left ? line : ldb, left ? ldb : line, ldc};
    const mublasStatus status = check_shape(handle, shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_side(side) || !is_fill(uplo)) return MUBLAS_STATUS_INVALID_VALUE;
    if (lda < line) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha || !beta || !a || !b || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const std::vector<T> whole = completed<hermitian>(a, lda, uplo, order);
        gemm(shape, Element<T>::number(s.get()), left ? whole.data() : b, left ? b : whole.data(),
             Element<T>::number(t.get()), c);
    });
}

// The number of products that are added: one, or also the one with A and B exchanged.
enum class Terms { one, two };

// C = alpha op(A) op(B)^T + beta C, plus alpha op(B) op(A)^T for two terms, in one triangle; the other is not written.
// For Hermitian matrices, ^T is the conjugate transpose, and the second term has the conjugate of alpha.
template <bool hermitian, class T, class Factor, class Keep>
mublasStatus rank_k(mublasHandle_t handle, Terms terms, mublasFillMode_t uplo, mublasOperation_t trans, int n, int k,
                    const Factor* alpha, const T* a, int lda, const T* b, int ldb, const Keep* beta, T* c, int ldc) {
    const mublasOperation_t flip = hermitian ? MUBLAS_OP_C : MUBLAS_OP_T;
    const bool plain = trans == MUBLAS_OP_N;
    const Shape shape{plain ? MUBLAS_OP_N : flip, plain ? flip : MUBLAS_OP_N, n, n, k, lda, ldb, ldc};
    const mublasStatus status = check_shape(handle, shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    const bool real = !hermitian && std::is_floating_point<T>::value;  // where C means T
    if (!is_fill(uplo) || (!plain && trans != flip && !(real && trans == MUBLAS_OP_C)))
        return MUBLAS_STATUS_INVALID_VALUE;
    if (!alpha || !beta || !a || !b || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<Factor>(handle, alpha), t = Scalar<Keep>(handle, beta)] {
        const Number<T> factor(Element<Factor>::number(s.get())), keep(Element<Keep>::number(t.get()));
        Shape dense = shape;
        dense.ldc = std::max(1, n);
        std::vector<T> product(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
        gemm(dense, factor, a, b, Number<T>{}, product.data());
        if (terms == Terms::two) {
            std::swap(dense.lda, dense.ldb);
            gemm(dense, hermitian ? conjugate(factor) : factor, b, a, Number<T>(1), product.data());
        }
        for (int j = 0; j < n; ++j) {
            const bool lower = uplo == MUBLAS_FILL_MODE_LOWER;
            for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) {
                Number<T> value = Element<T>::number(product[offset(i, j, n)]);
                if (!(keep == Number<T>{})) value += keep * Element<T>::number(c[offset(i, j, ldc)]);
                if constexpr (hermitian) {
                    if (i == j) value.im = 0;
                }
                c[offset(i, j, ldc)] = Element<T>::stored(value);
            }
        }
    });
}

// C = diag(x) A (left) or A diag(x) (right); C may be A.
template <class T>
mublasStatus dgmm(mublasHandle_t handle, mublasSideMode_t side, int m, int n, const T* a, int lda, const T* x,
                  int incx, T* c, int ldc) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_side(side)) return MUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0 || std::min(lda, ldc) < std::max(1, m)) return MUBLAS_STATUS_INVALID_SIZE;
    if (!a || !x || !c) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=] {
        const int order = side == MUBLAS_SIDE_LEFT ? m : n;
        const T* first = x + (incx < 0 ? static_cast<std::ptrdiff_t>(1 - order) * incx : 0);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < m; ++i) {
                const T factor = first[static_cast<std::ptrdiff_t>(side == MUBLAS_SIDE_LEFT ? i : j) * incx];
                c[offset(i, j, ldc)] = Element<T>::stored(Element<T>::number(factor) *
                                                         Element<T>::number(a[offset(i, j, lda)]));
            }
        }
    });
}

}  // namespace
}  // namespace mublas

#define MUBLAS_STRUCTURED(L, T)                                                                                     \
    MUSA_EXPORT mublasStatus mublas##L##geam(mublasHandle_t handle, mublasOperation_t transa,                       \
                                             mublasOperation_t transb, int m, int n, const T* alpha, const T* A,    \
                                             int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {          \
        return mublas::geam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);                     \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##trsm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,   \
                                             mublasOperation_t trans, mublasDiagType_t diag, int m, int n,          \
                                             const T* alpha, const T* A, int lda, T* B, int ldb) {                  \
        return mublas::trsm(handle, {side, uplo, trans, diag, m, n, lda}, alpha, A, B, ldb);                        \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##trsmBatched(                                                                \
        mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo, mublasOperation_t trans,               \
        mublasDiagType_t diag, int m, int n, const T* alpha, const T* const A[], int lda, T* const B[], int ldb,    \
        int batch_count) {                                                                                          \
        return mublas::trsm_batched(handle, {side, uplo, trans, diag, m, n, lda}, alpha, A, B, ldb, batch_count);   \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##trmm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,   \
                                             mublasOperation_t trans, mublasDiagType_t diag, int m, int n,          \
                                             const T* alpha, const T* A, int lda, const T* B, int ldb, T* C,        \
                                             int ldc) {                                                             \
        return mublas::trmm(handle, {side, uplo, trans, diag, m, n, lda}, alpha, A, B, ldb, C, ldc);                \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##symm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,   \
                                             int m, int n, const T* alpha, const T* A, int lda, const T* B,         \
                                             int ldb, const T* beta, T* C, int ldc) {                               \
        return mublas::symm<false>(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);                  \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##syrk(mublasHandle_t handle, mublasFillMode_t uplo,                          \
                                             mublasOperation_t trans, int n, int k, const T* alpha, const T* A,     \
                                             int lda, const T* beta, T* C, int ldc) {                               \
        return mublas::rank_k<false>(handle, mublas::Terms::one, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, \
                                     ldc);                                                                          \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##syrkx(mublasHandle_t handle, mublasFillMode_t uplo,                         \
                                              mublasOperation_t trans, int n, int k, const T* alpha, const T* A,    \
                                              int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {         \
        return mublas::rank_k<false>(handle, mublas::Terms::one, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, \
                                     ldc);                                                                          \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##syr2k(mublasHandle_t handle, mublasFillMode_t uplo,                         \
                                              mublasOperation_t trans, int n, int k, const T* alpha, const T* A,    \
                                              int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {         \
        return mublas::rank_k<false>(handle, mublas::Terms::two, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, \
                                     ldc);                                                                          \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##dgmm(mublasHandle_t handle, mublasSideMode_t mode, int m, int n,            \
                                             const T* A, int lda, const T* x, int incx, T* C, int ldc) {            \
        return mublas::dgmm(handle, mode, m, n, A, lda, x, incx, C, ldc);                                           \
    }

MUBLAS_STRUCTURED(S, float)
MUBLAS_STRUCTURED(D, double)
MUBLAS_STRUCTURED(C, muComplex)
MUBLAS_STRUCTURED(Z, muDoubleComplex)

#define MUBLAS_HERMITIAN(L, T, R)                                                                                  \
    MUSA_EXPORT mublasStatus mublas##L##hemm(mublasHandle_t handle, mublasSideMode_t side, mublasFillMode_t uplo,  \
                                             int m, int n, const T* alpha, const T* A, int lda, const T* B,        \
                                             int ldb, const T* beta, T* C, int ldc) {                              \
        return mublas::symm<true>(handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);                  \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##herk(mublasHandle_t handle, mublasFillMode_t uplo,                         \
                                             mublasOperation_t trans, int n, int k, const R* alpha, const T* A,    \
                                             int lda, const R* beta, T* C, int ldc) {                              \
        return mublas::rank_k<true>(handle, mublas::Terms::one, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, \
                                    ldc);                                                                          \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##herkx(mublasHandle_t handle, mublasFillMode_t uplo,                        \
                                              mublasOperation_t trans, int n, int k, const T* alpha, const T* A,   \
                                              int lda, const T* B, int ldb, const R* beta, T* C, int ldc) {        \
        return mublas::rank_k<true>(handle, mublas::Terms::one, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, \
                                    ldc);                                                                          \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##her2k(mublasHandle_t handle, mublasFillMode_t uplo,                        \
                                              mublasOperation_t trans, int n, int k, const T* alpha, const T* A,   \
                                              int lda, const T* B, int ldb, const R* beta, T* C, int ldc) {        \
        return mublas::rank_k<true>(handle, mublas::Terms::two, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, \
                                    ldc);                                                                          \
    }

MUBLAS_HERMITIAN(C, muComplex, float)
MUBLAS_HERMITIAN(Z, muDoubleComplex, double)
