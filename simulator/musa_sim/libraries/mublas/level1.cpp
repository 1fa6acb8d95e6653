// Vectors. A negative increment goes through a vector from its end, as in the reference BLAS.
#include <type_traits>

#include "context.h"
#include "numbers.h"

namespace mublas {
namespace {

template <class T>
class Vector {
public:
    Vector(T* data, int n, int increment)
        : first_(data + (increment < 0 ? static_cast<std::ptrdiff_t>(1 - n) * increment : 0)), increment_(increment) {}
    T& operator[](int i) const { return first_[static_cast<std::ptrdiff_t>(i) * increment_]; }

private:
    T* first_;
    std::ptrdiff_t increment_;
};

mublasStatus check(mublasHandle_t handle, int n, std::initializer_list<const void*> pointers) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    for (const void* pointer : pointers) {
        if (!pointer && n > 0) return MUBLAS_STATUS_INVALID_POINTER;
    }
    return MUBLAS_STATUS_SUCCESS;
}

template <class T>
mublasStatus axpy(mublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
    const mublasStatus status = check(handle, n, {alpha, x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=, scale = Scalar<T>(handle, alpha)] {
        using E = Element<T>;
        const auto factor = E::number(scale.get());
        const Vector<const T> from(x, n, incx);
        const Vector<T> to(y, n, incy);
        for (int i = 0; i < n; ++i) to[i] = E::stored(factor * E::number(from[i]) + E::number(to[i]));
    });
}

template <class Factor, class T>
mublasStatus scal(mublasHandle_t handle, int n, const Factor* alpha, T* x, int incx) {
    const mublasStatus status = check(handle, n, {alpha, x});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0 || incx <= 0) return status;
    return enqueue(handle, [=, scale = Scalar<Factor>(handle, alpha)] {
        using E = Element<T>;
        const Number<T> factor(Element<Factor>::number(scale.get()));
        const Vector<T> values(x, n, incx);
        for (int i = 0; i < n; ++i) values[i] = E::stored(factor * E::number(values[i]));
    });
}

template <class T>
mublasStatus copy(mublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
    const mublasStatus status = check(handle, n, {x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=] {
        const Vector<const T> from(x, n, incx);
        const Vector<T> to(y, n, incy);
        for (int i = 0; i < n; ++i) to[i] = from[i];
    });
}

template <class T>
mublasStatus swap(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
    const mublasStatus status = check(handle, n, {x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=] {
        const Vector<T> a(x, n, incx), b(y, n, incy);
        for (int i = 0; i < n; ++i) std::swap(a[i], b[i]);
    });
}

template <bool Conjugate, class T>
mublasStatus dot(mublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {
    const mublasStatus status = check(handle, n, {x, y});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        using E = Element<T>;
        Number<T> sum{};
        const Vector<const T> a(x, n, incx), b(y, n, incy);
        for (int i = 0; i < n; ++i) {
            const auto factor = E::number(a[i]);
            sum += (Conjugate ? conjugate(factor) : factor) * E::number(b[i]);
        }
        *result = E::stored(sum);
    });
}

// Scaled, so that no square overflows or vanishes.
template <class T, class R>
mublasStatus nrm2(mublasHandle_t handle, int n, const T* x, int incx, R* result) {
    const mublasStatus status = check(handle, n, {x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        R scale = 0, sum = 1;
        auto add = [&](R part) {
            part = std::fabs(part);
            if (part == 0) return;
            if (part > scale) {
                sum = 1 + sum * (scale / part) * (scale / part);
                scale = part;
            } else {
                sum += (part / scale) * (part / scale);
            }
        };
        for (int i = 0; i < n && incx > 0; ++i) {
            const auto value = Element<T>::number(x[static_cast<std::ptrdiff_t>(i) * incx]);
            if constexpr (std::is_floating_point<Number<T>>::value) {
                add(value);
            } else {
                add(value.re);
                add(value.im);
            }
        }
        *result = scale * std::sqrt(sum);
    });
}

template <class T, class R>
mublasStatus asum(mublasHandle_t handle, int n, const T* x, int incx, R* result) {
    const mublasStatus status = check(handle, n, {x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        R sum = 0;
        for (int i = 0; i < n && incx > 0; ++i) {
            sum += magnitude(Element<T>::number(x[static_cast<std::ptrdiff_t>(i) * incx]));
        }
        *result = sum;
    });
}

// The index of the first largest or smallest magnitude, counted from 1; of nothing, 0.
template <bool Largest, class T>
mublasStatus extreme(mublasHandle_t handle, int n, const T* x, int incx, int* result) {
    const mublasStatus status = check(handle, n, {x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        int best = 0;
        decltype(magnitude(Number<T>())) best_magnitude = 0;
        for (int i = 0; i < n && incx > 0; ++i) {
            const auto size = magnitude(Element<T>::number(x[static_cast<std::ptrdiff_t>(i) * incx]));
            if (best == 0 || (Largest ? size > best_magnitude : size < best_magnitude)) {
                best = i + 1;
                best_magnitude = size;
            }
        }
        *result = best;
    });
}

}  // namespace
}  // namespace mublas

#define MUBLAS_VECTOR_FUNCTIONS(L, l, T)                                                                             \
    MUBLAS_EXPORT mublasStatus mublas##L##axpy(mublasHandle_t handle, int n, const T* alpha, const T* x, int incx,    \
                                               T* y, int incy) {                                                     \
        return mublas::axpy(handle, n, alpha, x, incx, y, incy);                                                     \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##scal(mublasHandle_t handle, int n, const T* alpha, T* x, int incx) {       \
        return mublas::scal(handle, n, alpha, x, incx);                                                              \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##copy(mublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) { \
        return mublas::copy(handle, n, x, incx, y, incy);                                                            \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublas##L##swap(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {       \
        return mublas::swap(handle, n, x, incx, y, incy);                                                            \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublasI##l##amax(mublasHandle_t handle, int n, const T* x, int incx, int* result) {   \
        return mublas::extreme<true>(handle, n, x, incx, result);                                                    \
    }                                                                                                                \
    MUBLAS_EXPORT mublasStatus mublasI##l##amin(mublasHandle_t handle, int n, const T* x, int incx, int* result) {   \
        return mublas::extreme<false>(handle, n, x, incx, result);                                                   \
    }

MUBLAS_VECTOR_FUNCTIONS(S, s, float)
MUBLAS_VECTOR_FUNCTIONS(D, d, double)
MUBLAS_VECTOR_FUNCTIONS(C, c, muComplex)
MUBLAS_VECTOR_FUNCTIONS(Z, z, muDoubleComplex)

#define MUBLAS_NORMS(L, T, R)                                                                                      \
    MUBLAS_EXPORT mublasStatus mublas##L##nrm2(mublasHandle_t handle, int n, const T* x, int incx, R* result) {    \
        return mublas::nrm2(handle, n, x, incx, result);                                                           \
    }                                                                                                              \
    MUBLAS_EXPORT mublasStatus mublas##L##asum(mublasHandle_t handle, int n, const T* x, int incx, R* result) {    \
        return mublas::asum(handle, n, x, incx, result);                                                           \
    }

MUBLAS_NORMS(S, float, float)
MUBLAS_NORMS(D, double, double)
MUBLAS_NORMS(Sc, muComplex, float)
MUBLAS_NORMS(Dz, muDoubleComplex, double)

#define MUBLAS_DOT(name, T, conjugate)                                                                        \
    MUBLAS_EXPORT mublasStatus mublas##name(mublasHandle_t handle, int n, const T* x, int incx, const T* y,   \
                                            int incy, T* result) {                                           \
        return mublas::dot<conjugate>(handle, n, x, incx, y, incy, result);                                   \
    }

MUBLAS_DOT(Sdot, float, false)
MUBLAS_DOT(Ddot, double, false)
MUBLAS_DOT(Cdotu, muComplex, false)
MUBLAS_DOT(Cdotc, muComplex, true)
MUBLAS_DOT(Zdotu, muDoubleComplex, false)
MUBLAS_DOT(Zdotc, muDoubleComplex, true)

MUBLAS_EXPORT mublasStatus mublasCsscal(mublasHandle_t handle, int n, const float* alpha, muComplex* x, int incx) {
    return mublas::scal(handle, n, alpha, x, incx);
}
MUBLAS_EXPORT mublasStatus mublasZdscal(mublasHandle_t handle, int n, const double* alpha, muDoubleComplex* x,
                                        int incx) {
    return mublas::scal(handle, n, alpha, x, incx);
}
