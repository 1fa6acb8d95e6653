// Many small matrices at once: LU, its inverse and solutions, QR, least squares.
#include <algorithm>

#include "level1.h"

namespace mublas {
namespace {

// A matrix in column-major order.
template <class T>
struct Matrix {
    T* data;
    int ld;
    using Value = std::remove_const_t<T>;
    Number<Value> get(int i, int j) const { return Element<Value>::number(data[at(i, j)]); }
    void set(int i, int j, Number<Value> value) const { data[at(i, j)] = Element<Value>::stored(value); }
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * ld; }
};

mublasStatus check_batch(mublasHandle_t handle, int batch_count, std::initializer_list<int> sizes,
                         std::initializer_list<const void*> pointers) {
    const mublasStatus status = check_vectors(handle, batch_count, pointers);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    const bool fits = batch_count >= 0 && std::all_of(sizes.begin(), sizes.end(), [](int size) { return size >= 0; });
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// LU in place; pivots count from 1. Returns 0, or the number of the first column whose pivot is zero.
template <class T>
int factorise(Matrix<T> a, int n, int* pivots) {
    int singular = 0;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n && pivots; ++i) {
            if (magnitude(a.get(i, k)) > magnitude(a.get(best, k))) best = i;
        }
        if (pivots) pivots[k] = best + 1;
        for (int j = 0; j < n && best != k; ++j) std::swap(a.data[a.at(k, j)], a.data[a.at(best, j)]);
        const Number<T> pivot = a.get(k, k);
        if (pivot == Number<T>{}) {
            if (singular == 0) singular = k + 1;
            continue;
        }
        for (int i = k + 1; i < n; ++i) {
            const Number<T> factor = a.get(i, k) / pivot;
            a.set(i, k, factor);
            for (int j = k + 1; j < n; ++j) a.set(i, j, a.get(i, j) - factor * a.get(k, j));
        }
    }
    return singular;
}

// Solve op(A) X = B in place of B, with A's factors.
template <class T>
void solve_factorised(Matrix<const T> a, int n, const int* pivots, mublasOperation_t trans, Matrix<T> b, int columns) {
    const auto at = [&](int i, int j) {
        const Number<T> value = trans == MUBLAS_OP_N ? a.get(i, j) : a.get(j, i);
        return trans == MUBLAS_OP_C ? conjugate(value) : value;
    };
    const bool plain = trans == MUBLAS_OP_N;
    for (int column = 0; column < columns; ++column) {
        const auto exchange = [&](int k) {
            if (pivots) std::swap(b.data[b.at(k, column)], b.data[b.at(pivots[k] - 1, column)]);
        };
        for (int k = 0; k < n && plain; ++k) exchange(k);
        // L, then U; of the transposed factors, U is the lower one.
        for (int i = 0; i < n; ++i) {
            Number<T> value = b.get(i, column);
            for (int j = 0; j < i; ++j) value = value - at(i, j) * b.get(j, column);
            b.set(i, column, plain ? value : value / at(i, i));
        }
        for (int i = n - 1; i >= 0; --i) {
            Number<T> value = b.get(i, column);
            for (int j = i + 1; j < n; ++j) value = value - at(i, j) * b.get(j, column);
            b.set(i, column, plain ? value / at(i, i) : value);
        }
        for (int k = n - 1; k >= 0 && !plain; --k) exchange(k);
    }
}

// Invert a matrix from its factors. Return 0, or the number of the first zero on U's diagonal.
template <class T>
int invert(Matrix<const T> factors, int n, const int* pivots, Matrix<T> to) {
    for (int k = 0; k < n; ++k) {
        if (factors.get(k, k) == Number<T>{}) return k + 1;
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) to.set(i, j, Number<T>(i == j ? 1 : 0));
    }
    solve_factorised<T>(factors, n, pivots, MUBLAS_OP_N, to, n);
    return 0;
}

inline float square(float x) { return x * x; }
inline double square(double x) { return x * x; }
template <class T>
T square(Complex<T> x) {
    return x.re * x.re + x.im * x.im;
}
inline float real(float x) { return x; }
inline double real(double x) { return x; }
template <class T>
T real(Complex<T> x) {
    return x.re;
}

// Apply I - scale v v^H to column `column` of b, where v is the vector in column k of a.
template <class T>
void apply_reflection(Matrix<T> a, int m, int k, Number<T> scale, Matrix<T> b, int column) {
    Number<T> sum = b.get(k, column);
    for (int i = k + 1; i < m; ++i) sum += conjugate(a.get(i, k)) * b.get(i, column);
    sum = sum * scale;
    b.set(k, column, b.get(k, column) - sum);
    for (int i = k + 1; i < m; ++i) b.set(i, column, b.get(i, column) - a.get(i, k) * sum);
}

// QR by Householder's reflections, as LAPACK's geqrf: R above, the vectors below, whose first element is 1.
template <class T>
void reflect(Matrix<T> a, int m, int n, T* tau) {
    for (int k = 0; k < std::min(m, n); ++k) {
        using Real = decltype(magnitude(Number<T>()));
        Real below = 0;
        for (int i = k + 1; i < m; ++i) below += square(a.get(i, k));
        const Number<T> alpha = a.get(k, k);
        if (below == 0 && alpha == Number<T>(real(alpha))) {
            tau[k] = Element<T>::stored(Number<T>{});
            continue;
        }
        const Real size = std::sqrt(square(alpha) + below);
        const Number<T> beta(real(alpha) >= 0 ? -size : size);
        const Number<T> scale = (beta - alpha) / beta, divisor = alpha - beta;
        tau[k] = Element<T>::stored(scale);
        for (int i = k + 1; i < m; ++i) a.set(i, k, a.get(i, k) / divisor);
        a.set(k, k, beta);
        for (int j = k + 1; j < n; ++j) apply_reflection(a, m, k, conjugate(scale), a, j);
    }
}

// Replace C's first rows by the X with the smallest |A X - C|. Return 0, or the number of the first zero on R's
// diagonal.
template <class T>
int least_squares(Matrix<T> a, int m, int n, Matrix<T> c, int columns) {
    std::vector<T> tau(static_cast<std::size_t>(n));
    reflect(a, m, n, tau.data());
    for (int k = 0; k < n; ++k) {
        if (a.get(k, k) == Number<T>{}) return k + 1;
    }
    for (int column = 0; column < columns; ++column) {
        for (int k = 0; k < n; ++k) {
            const Number<T> scale = Element<T>::number(tau[static_cast<std::size_t>(k)]);
            apply_reflection(a, m, k, conjugate(scale), c, column);
        }
        for (int i = n - 1; i >= 0; --i) {
            Number<T> value = c.get(i, column);
            for (int j = i + 1; j < n; ++j) value = value - a.get(i, j) * c.get(j, column);
            c.set(i, column, value / a.get(i, i));
        }
    }
    return 0;
}

template <class T>
mublasStatus getrf(mublasHandle_t handle, int n, T* const* a, int lda, int* pivots, int* info, int batch_count) {
    const mublasStatus status = check_batch(handle, batch_count, {n, lda - std::max(1, n)}, {a, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    return enqueue(handle, [=] {
        for (int i = 0; i < batch_count; ++i) {
            info[i] = factorise<T>({a[i], lda}, n, pivots ? pivots + static_cast<std::ptrdiff_t>(i) * n : nullptr);
        }
    });
}

template <class T>
mublasStatus getri(mublasHandle_t handle, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                   int* info, int batch_count) {
    const mublasStatus status = check_batch(handle, batch_count, {n, std::min(lda, ldc) - std::max(1, n)}, {a, c, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    return enqueue(handle, [=] {
        for (int i = 0; i < batch_count; ++i) {
            const int* own = pivots ? pivots + static_cast<std::ptrdiff_t>(i) * n : nullptr;
            info[i] = invert<T>({a[i], lda}, n, own, {c[i], ldc});
        }
    });
}

// Here `info` is in host memory: 0, or minus the number of an invalid argument.
template <class T>
mublasStatus getrs(mublasHandle_t handle, mublasOperation_t trans, int n, int columns, const T* const* a, int lda,
                   const int* pivots, T* const* b, int ldb, int* info, int batch_count) {
    const mublasStatus status =
        check_batch(handle, batch_count, {n, columns, std::min(lda, ldb) - std::max(1, n)}, {a, b, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(trans)) return MUBLAS_STATUS_INVALID_VALUE;
    if (info) *info = 0;
    return enqueue(handle, [=] {
        for (int i = 0; i < batch_count; ++i) {
            const int* own = pivots ? pivots + static_cast<std::ptrdiff_t>(i) * n : nullptr;
            solve_factorised<T>({a[i], lda}, n, own, trans, {b[i], ldb}, columns);
        }
    });
}

// getrf and getri in one, for matrices of at most 32 rows.
template <class T>
mublasStatus matinv(mublasHandle_t handle, int n, const T* const* a, int lda, T* const* c, int ldc, int* info,
                    int batch_count) {
    const mublasStatus status = check_batch(handle, batch_count, {n, std::min(lda, ldc) - std::max(1, n)}, {a, c, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (n > 32) return MUBLAS_STATUS_INVALID_VALUE;
    return enqueue(handle, [=] {
        const int rows = std::max(1, n);
        std::vector<T> factors(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows));
        std::vector<int> pivots(static_cast<std::size_t>(rows));
        for (int i = 0; i < batch_count; ++i) {
            for (int j = 0; j < n; ++j)
                std::copy_n(a[i] + static_cast<std::ptrdiff_t>(j) * lda, n, factors.data() + static_cast<std::ptrdiff_t>(j) * rows);
            info[i] = factorise<T>({factors.data(), rows}, n, pivots.data());
            if (info[i] == 0) invert<T>({factors.data(), rows}, n, pivots.data(), {c[i], ldc});
        }
    });
}

template <class T>
mublasStatus geqrf(mublasHandle_t handle, int m, int n, T* const* a, int lda, T* const* tau, int* info,
                   int batch_count) {
    const mublasStatus status = check_batch(handle, batch_count, {m, n, lda - std::max(1, m)}, {a, tau, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (info) *info = 0;
    return enqueue(handle, [=] {
        for (int i = 0; i < batch_count; ++i) reflect<T>({a[i], lda}, m, n, tau[i]);
    });
}

// Only m >= n without transposition, as in cuBLAS. `info` is in host memory; `ranks` may be null.
template <class T>
mublasStatus gels(mublasHandle_t handle, mublasOperation_t trans, int m, int n, int columns, T* const* a, int lda,
                  T* const* c, int ldc, int* info, int* ranks, int batch_count) {
    const mublasStatus status =
        check_batch(handle, batch_count, {m, n, columns, std::min(lda, ldc) - std::max(1, m)}, {a, c, info});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (trans != MUBLAS_OP_N || m < n) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (info) *info = 0;
    return enqueue(handle, [=] {
        for (int i = 0; i < batch_count; ++i) {
            const int rank = least_squares<T>({a[i], lda}, m, n, {c[i], ldc}, columns);
            if (ranks) ranks[i] = rank;
        }
    });
}

}  // namespace
}  // namespace mublas

#define MUBLAS_BATCHED(L, T)                                                                                      \
    MUSA_EXPORT mublasStatus mublas##L##getrfBatched(mublasHandle_t handle, int n, T* const A[], int lda,         \
                                                     int* pivots, int* info, int batch_count) {                   \
        return mublas::getrf(handle, n, A, lda, pivots, info, batch_count);                                       \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##getriBatched(mublasHandle_t handle, int n, const T* const A[], int lda,   \
                                                     const int* pivots, T* const C[], int ldc, int* info,         \
                                                     int batch_count) {                                           \
        return mublas::getri(handle, n, A, lda, pivots, C, ldc, info, batch_count);                               \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##getrsBatched(mublasHandle_t handle, mublasOperation_t trans, int n,       \
                                                     int nrhs, const T* const A[], int lda, const int* pivots,    \
                                                     T* const B[], int ldb, int* info, int batch_count) {         \
        return mublas::getrs(handle, trans, n, nrhs, A, lda, pivots, B, ldb, info, batch_count);                  \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##matinvBatched(mublasHandle_t handle, int n, const T* const A[], int lda,  \
                                                      T* const inverses[], int ldinv, int* info,                  \
                                                      int batch_count) {                                          \
        return mublas::matinv(handle, n, A, lda, inverses, ldinv, info, batch_count);                             \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##geqrfBatched(mublasHandle_t handle, int m, int n, T* const A[], int lda,  \
                                                     T* const tau[], int* info, int batch_count) {                \
        return mublas::geqrf(handle, m, n, A, lda, tau, info, batch_count);                                       \
    }                                                                                                             \
    MUSA_EXPORT mublasStatus mublas##L##gelsBatched(mublasHandle_t handle, mublasOperation_t trans, int m, int n, \
                                                    int nrhs, T* const A[], int lda, T* const C[], int ldc,       \
                                                    int* info, int* device_info, int batch_count) {               \
        return mublas::gels(handle, trans, m, n, nrhs, A, lda, C, ldc, info, device_info, batch_count);           \
    }

MUBLAS_BATCHED(S, float)
MUBLAS_BATCHED(D, double)
MUBLAS_BATCHED(C, muComplex)
MUBLAS_BATCHED(Z, muDoubleComplex)
