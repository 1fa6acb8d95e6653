// Vectors and matrices that are stored in part: symmetric, Hermitian and triangular matrices, bands, and packed
// triangles.
#include <algorithm>
#include <type_traits>

#include "vectors.h"

namespace mublas {
namespace {

enum class Symmetry { symmetric, hermitian };

// The memory layout of a matrix. A triangle may be a band with k diagonals beside the main one.
struct Layout {
    enum Form { full, band, packed } form;
    mublasFillMode_t uplo;
    int n;
    int ld;  // unused if packed
    int k;  // of a band

    bool has(int i, int j) const {
        const bool in_triangle = uplo == MUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
        return in_triangle && (form != band || std::abs(i - j) <= k);
    }
    // Return the position of a stored element.
    std::size_t at(int i, int j) const {
        const std::ptrdiff_t row = i, column = j, order = n, apart = ld;
        const bool lower = uplo == MUBLAS_FILL_MODE_LOWER;
        const std::ptrdiff_t in_column = lower ? row - column : k + row - column;  // of a band
        const std::ptrdiff_t before = lower ? (2 * order - column - 1) * column / 2 : (column + 1) * column / 2;
        switch (form) {
            case full: return static_cast<std::size_t>(row + column * apart);
            case band: return static_cast<std::size_t>(in_column + column * apart);
            case packed: break;
        }
        return static_cast<std::size_t>(row + before);
    }
    bool fits() const {
        return n >= 0 && (form == packed || ld >= std::max(1, form == band ? k + 1 : n)) && (form != band || k >= 0);
    }
};

mublasStatus check_layout(mublasHandle_t handle, const Layout& layout, std::initializer_list<int> increments,
                          std::initializer_list<const void*> pointers) {
    const mublasStatus status = check_vectors(handle, layout.n, pointers);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_fill(layout.uplo)) return MUBLAS_STATUS_INVALID_VALUE;
    const bool moves = std::all_of(increments.begin(), increments.end(), [](int step) { return step != 0; });
    return moves && layout.fits() ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// Return element (i, j) of a symmetric or Hermitian matrix. The imaginary parts on a Hermitian diagonal are not read.
template <Symmetry symmetry, class T>
Number<T> mirrored(const T* a, const Layout& layout, int i, int j) {
    const bool stored = layout.has(i, j);
    if (!stored && !layout.has(j, i)) return Number<T>{};
    Number<T> value = Element<T>::number(a[stored ? layout.at(i, j) : layout.at(j, i)]);
    if constexpr (symmetry == Symmetry::hermitian) {
        if (!stored) value = conjugate(value);
        if (i == j) value.im = 0;
    }
    return value;
}

// y = alpha A x + beta y; `at(i, j)` returns an element of A. If beta is zero, y is not read.
template <class T, class At>
void multiply(int rows, int columns, Number<T> alpha, At at, const T* x, int incx, Number<T> beta, T* y, int incy) {
    using E = Element<T>;
    const std::vector<T> in = gathered(x, columns, incx);
    const Vector<T> out(y, rows, incy);
    for (int i = 0; i < rows; ++i) {
        Number<T> sum{};
        for (int j = 0; j < columns; ++j) sum += at(i, j) * E::number(in[static_cast<std::size_t>(j)]);
        const Number<T> kept = beta == Number<T>{} ? Number<T>{} : beta * E::number(out[i]);
        out[i] = E::stored(alpha * sum + kept);
    }
}

template <Symmetry symmetry, class T>
mublasStatus symv(mublasHandle_t handle, const Layout& layout, const T* alpha, const T* a, const T* x, int incx,
                  const T* beta, T* y, int incy) {
    const mublasStatus status = check_layout(handle, layout, {incx, incy}, {alpha, a, x, beta, y});
    if (status != MUBLAS_STATUS_SUCCESS || layout.n == 0) return status;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const auto at = [&](int i, int j) { return mirrored<symmetry>(a, layout, i, j); };
        multiply(layout.n, layout.n, Element<T>::number(s.get()), at, x, incx, Element<T>::number(t.get()), y, incy);
    });
}

// y = alpha op(A) x + beta y with kl diagonals below the main one and ku above.
template <class T>
mublasStatus gbmv(mublasHandle_t handle, mublasOperation_t trans, int m, int n, int kl, int ku, const T* alpha,
                  const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
    const mublasStatus status = check_vectors(handle, std::min(m, n), {alpha, a, x, beta, y});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(trans)) return MUBLAS_STATUS_INVALID_VALUE;
    if (m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1 || incx == 0 || incy == 0)
        return MUBLAS_STATUS_INVALID_SIZE;
    if (m == 0 || n == 0) return MUBLAS_STATUS_SUCCESS;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const auto at = [&](int row, int column) {
            const int i = trans == MUBLAS_OP_N ? row : column, j = trans == MUBLAS_OP_N ? column : row;
            if (i - j > kl || j - i > ku) return Number<T>{};
            const Number<T> value = Element<T>::number(a[ku + i - j + static_cast<std::ptrdiff_t>(j) * lda]);
            return trans == MUBLAS_OP_C ? conjugate(value) : value;
        };
        const int rows = trans == MUBLAS_OP_N ? m : n, columns = trans == MUBLAS_OP_N ? n : m;
        multiply(rows, columns, Element<T>::number(s.get()), at, x, incx, Element<T>::number(t.get()), y, incy);
    });
}

// op(A) of a triangular matrix.
struct TriangularOperand {
    Layout layout;
    mublasOperation_t trans;
    mublasDiagType_t diag;

    bool lower() const { return (layout.uplo == MUBLAS_FILL_MODE_LOWER) == (trans == MUBLAS_OP_N); }
    template <class T>
    Number<T> at(const T* a, int row, int column) const {
        if (row == column && diag == MUBLAS_DIAG_UNIT) return Number<T>(1);
        const int i = trans == MUBLAS_OP_N ? row : column, j = trans == MUBLAS_OP_N ? column : row;
        if (!layout.has(i, j)) return Number<T>{};
        const Number<T> value = Element<T>::number(a[layout.at(i, j)]);
        return trans == MUBLAS_OP_C ? conjugate(value) : value;
    }
};

// x = op(A) x, or x = inverse(op(A)) x by substitution.
template <bool inverse, class T>
mublasStatus trmv(mublasHandle_t handle, const TriangularOperand& t, const T* a, T* x, int incx) {
    const mublasStatus status = check_layout(handle, t.layout, {incx}, {a, x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(t.trans) || (t.diag != MUBLAS_DIAG_UNIT && t.diag != MUBLAS_DIAG_NON_UNIT))
        return MUBLAS_STATUS_INVALID_VALUE;
    if (t.layout.n == 0) return MUBLAS_STATUS_SUCCESS;
    return enqueue(handle, [=] {
        using E = Element<T>;
        const int n = t.layout.n;
        const Vector<T> values(x, n, incx);
        for (int step = 0; step < n; ++step) {
            // A solution needs the elements before it, a product those that it has not replaced yet.
            const bool upwards = t.lower() == inverse;
            const int i = upwards ? step : n - 1 - step;
            Number<T> sum{};
            for (int j = t.lower() ? 0 : i + 1; j < (t.lower() ? i : n); ++j) sum += t.at(a, i, j) * E::number(values[j]);
            const Number<T> own = E::number(values[i]), diagonal = t.at(a, i, i);
            values[i] = E::stored(inverse ? (own - sum) / diagonal : sum + diagonal * own);
        }
    });
}

// Add `term(i, j)` to each element of the stored triangle of a symmetric or Hermitian matrix.
template <Symmetry symmetry, class T, class Term>
void add_to_triangle(const Layout& layout, T* a, Term term) {
    for (int j = 0; j < layout.n; ++j) {
        for (int i = 0; i < layout.n; ++i) {
            if (!layout.has(i, j)) continue;
            Number<T> value = Element<T>::number(a[layout.at(i, j)]) + term(i, j);
            if constexpr (symmetry == Symmetry::hermitian) {
                if (i == j) value.im = 0;
            }
            a[layout.at(i, j)] = Element<T>::stored(value);
        }
    }
}

// The right factor of a product: its conjugate in a Hermitian product.
template <Symmetry symmetry, class T>
Number<T> right_factor(T value) {
    const Number<T> number = Element<T>::number(value);
    return symmetry == Symmetry::hermitian ? conjugate(number) : number;
}

// A += alpha x x^T, or x x^H.
template <Symmetry symmetry, class T, class Factor>
mublasStatus syr(mublasHandle_t handle, const Layout& layout, const Factor* alpha, const T* x, int incx, T* a) {
    const mublasStatus status = check_layout(handle, layout, {incx}, {alpha, x, a});
    if (status != MUBLAS_STATUS_SUCCESS || layout.n == 0) return status;
    return enqueue(handle, [=, s = Scalar<Factor>(handle, alpha)] {
        const Number<T> factor(Element<Factor>::number(s.get()));
        const Vector<const T> v(x, layout.n, incx);
        add_to_triangle<symmetry>(layout, a, [&](int i, int j) {
            return factor * Element<T>::number(v[i]) * right_factor<symmetry>(v[j]);
        });
    });
}

// A += alpha x y^T + alpha y x^T, or alpha x y^H + conj(alpha) y x^H.
template <Symmetry symmetry, class T>
mublasStatus syr2(mublasHandle_t handle, const Layout& layout, const T* alpha, const T* x, int incx, const T* y,
                  int incy, T* a) {
    const mublasStatus status = check_layout(handle, layout, {incx, incy}, {alpha, x, y, a});
    if (status != MUBLAS_STATUS_SUCCESS || layout.n == 0) return status;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] {
        const Number<T> first = Element<T>::number(s.get()), second = right_factor<symmetry>(s.get());
        const Vector<const T> v(x, layout.n, incx), w(y, layout.n, incy);
        add_to_triangle<symmetry>(layout, a, [&](int i, int j) {
            return first * Element<T>::number(v[i]) * right_factor<symmetry>(w[j]) +
                   second * Element<T>::number(w[i]) * right_factor<symmetry>(v[j]);
        });
    });
}

// Copies a triangle from one layout to another.
template <class T>
mublasStatus copy_triangle(mublasHandle_t handle, const Layout& from, const T* a, const Layout& to, T* b) {
    const mublasStatus status = check_layout(handle, from, {}, {a, b});
    if (status != MUBLAS_STATUS_SUCCESS || from.n == 0) return status;
    if (!to.fits()) return MUBLAS_STATUS_INVALID_SIZE;
    return enqueue(handle, [=] {
        for (int j = 0; j < from.n; ++j) {
            for (int i = 0; i < from.n; ++i) {
                if (from.has(i, j)) b[to.at(i, j)] = a[from.at(i, j)];
            }
        }
    });
}

constexpr Symmetry symmetric = Symmetry::symmetric, hermitian = Symmetry::hermitian;

}  // namespace
}  // namespace mublas

#define MUBLAS_FULL mublas::Layout{mublas::Layout::full, uplo, n, lda, 0}
#define MUBLAS_BAND mublas::Layout{mublas::Layout::band, uplo, n, lda, k}
#define MUBLAS_PACKED mublas::Layout{mublas::Layout::packed, uplo, n, 0, 0}

#define MUBLAS_SYMMETRIC_PRODUCTS(L, T, symmetry, v, band_v, packed_v)                                         \
    MUSA_EXPORT mublasStatus mublas##L##v(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* alpha, \
                                          const T* A, int lda, const T* x, int incx, const T* beta, T* y,      \
                                          int incy) {                                                          \
        return mublas::symv<mublas::symmetry>(handle, MUBLAS_FULL, alpha, A, x, incx, beta, y, incy);          \
    }                                                                                                          \
    MUBLAS_BAND_AND_PACKED(L, T, symmetry, band_v, packed_v)

#define MUBLAS_BAND_AND_PACKED(L, T, symmetry, band_v, packed_v)                                                   \
    MUSA_EXPORT mublasStatus mublas##L##band_v(mublasHandle_t handle, mublasFillMode_t uplo, int n, int k,         \
                                               const T* alpha, const T* A, int lda, const T* x, int incx,          \
                                               const T* beta, T* y, int incy) {                                    \
        return mublas::symv<mublas::symmetry>(handle, MUBLAS_BAND, alpha, A, x, incx, beta, y, incy);              \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##packed_v(mublasHandle_t handle, mublasFillMode_t uplo, int n,              \
                                                 const T* alpha, const T* AP, const T* x, int incx, const T* beta, \
                                                 T* y, int incy) {                                                 \
        return mublas::symv<mublas::symmetry>(handle, MUBLAS_PACKED, alpha, AP, x, incx, beta, y, incy);           \
    }

MUBLAS_SYMMETRIC_PRODUCTS(S, float, symmetric, symv, sbmv, spmv)
MUBLAS_SYMMETRIC_PRODUCTS(D, double, symmetric, symv, sbmv, spmv)
MUBLAS_SYMMETRIC_PRODUCTS(C, muComplex, hermitian, hemv, hbmv, hpmv)
MUBLAS_SYMMETRIC_PRODUCTS(Z, muDoubleComplex, hermitian, hemv, hbmv, hpmv)

#define MUBLAS_SYMMETRIC_UPDATES(L, T, R, symmetry, update, packed, two, packed_two)                             \
    MUSA_EXPORT mublasStatus mublas##L##update(mublasHandle_t handle, mublasFillMode_t uplo, int n,              \
                                               const R* alpha, const T* x, int incx, T* A, int lda) {            \
        return mublas::syr<mublas::symmetry>(handle, MUBLAS_FULL, alpha, x, incx, A);                            \
    }                                                                                                            \
    MUSA_EXPORT mublasStatus mublas##L##two(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* alpha, \
                                            const T* x, int incx, const T* y, int incy, T* A, int lda) {         \
        return mublas::syr2<mublas::symmetry>(handle, MUBLAS_FULL, alpha, x, incx, y, incy, A);                  \
    }                                                                                                            \
    MUSA_EXPORT mublasStatus mublas##L##packed(mublasHandle_t handle, mublasFillMode_t uplo, int n,              \
                                               const R* alpha, const T* x, int incx, T* AP) {                    \
        return mublas::syr<mublas::symmetry>(handle, MUBLAS_PACKED, alpha, x, incx, AP);                         \
    }                                                                                                            \
    MUSA_EXPORT mublasStatus mublas##L##packed_two(mublasHandle_t handle, mublasFillMode_t uplo, int n,          \
                                                   const T* alpha, const T* x, int incx, const T* y, int incy,   \
                                                   T* AP) {                                                      \
        return mublas::syr2<mublas::symmetry>(handle, MUBLAS_PACKED, alpha, x, incx, y, incy, AP);               \
    }

MUBLAS_SYMMETRIC_UPDATES(S, float, float, symmetric, syr, spr, syr2, spr2)
MUBLAS_SYMMETRIC_UPDATES(D, double, double, symmetric, syr, spr, syr2, spr2)
MUBLAS_SYMMETRIC_UPDATES(C, muComplex, float, hermitian, her, hpr, her2, hpr2)
MUBLAS_SYMMETRIC_UPDATES(Z, muDoubleComplex, double, hermitian, her, hpr, her2, hpr2)

#define MUBLAS_COMPLEX_SYMMETRIC(L, T)                                                                            \
    MUSA_EXPORT mublasStatus mublas##L##symv(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* alpha, \
                                             const T* A, int lda, const T* x, int incx, const T* beta, T* y,      \
                                             int incy) {                                                          \
        return mublas::symv<mublas::symmetric>(handle, MUBLAS_FULL, alpha, A, x, incx, beta, y, incy);            \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##syr(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* alpha,  \
                                            const T* x, int incx, T* A, int lda) {                                \
        return mublas::syr<mublas::symmetric>(handle, MUBLAS_FULL, alpha, x, incx, A);                            \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##syr2(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* alpha, \
                                             const T* x, int incx, const T* y, int incy, T* A, int lda) {         \
        return mublas::syr2<mublas::symmetric>(handle, MUBLAS_FULL, alpha, x, incx, y, incy, A);                  \
    }

MUBLAS_COMPLEX_SYMMETRIC(C, muComplex)
MUBLAS_COMPLEX_SYMMETRIC(Z, muDoubleComplex)

#define MUBLAS_TRIANGULAR(L, T, name, band_name, packed_name, inverse)                                              \
    MUSA_EXPORT mublasStatus mublas##L##name(mublasHandle_t handle, mublasFillMode_t uplo, mublasOperation_t trans, \
                                             mublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {   \
        return mublas::trmv<inverse>(handle, {MUBLAS_FULL, trans, diag}, A, x, incx);                               \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##band_name(mublasHandle_t handle, mublasFillMode_t uplo,                     \
                                                  mublasOperation_t trans, mublasDiagType_t diag, int n, int k,     \
                                                  const T* A, int lda, T* x, int incx) {                            \
        return mublas::trmv<inverse>(handle, {MUBLAS_BAND, trans, diag}, A, x, incx);                               \
    }                                                                                                               \
    MUSA_EXPORT mublasStatus mublas##L##packed_name(mublasHandle_t handle, mublasFillMode_t uplo,                   \
                                                    mublasOperation_t trans, mublasDiagType_t diag, int n,          \
                                                    const T* AP, T* x, int incx) {                                  \
        return mublas::trmv<inverse>(handle, {MUBLAS_PACKED, trans, diag}, AP, x, incx);                            \
    }

#define MUBLAS_OTHER_LAYOUTS(L, T)                                                                                 \
    MUBLAS_TRIANGULAR(L, T, trmv, tbmv, tpmv, false)                                                               \
    MUBLAS_TRIANGULAR(L, T, trsv, tbsv, tpsv, true)                                                                \
    MUSA_EXPORT mublasStatus mublas##L##gbmv(mublasHandle_t handle, mublasOperation_t trans, int m, int n, int kl, \
                                             int ku, const T* alpha, const T* A, int lda, const T* x, int incx,    \
                                             const T* beta, T* y, int incy) {                                      \
        return mublas::gbmv(handle, trans, m, n, kl, ku, alpha, A, lda, x, incx, beta, y, incy);                   \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##tpttr(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* AP,    \
                                              T* A, int lda) {                                                     \
        return mublas::copy_triangle(handle, MUBLAS_PACKED, AP, MUBLAS_FULL, A);                                   \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##trttp(mublasHandle_t handle, mublasFillMode_t uplo, int n, const T* A,     \
                                              int lda, T* AP) {                                                    \
        return mublas::copy_triangle(handle, MUBLAS_FULL, A, MUBLAS_PACKED, AP);                                   \
    }

MUBLAS_OTHER_LAYOUTS(S, float)
MUBLAS_OTHER_LAYOUTS(D, double)
MUBLAS_OTHER_LAYOUTS(C, muComplex)
MUBLAS_OTHER_LAYOUTS(Z, muDoubleComplex)
