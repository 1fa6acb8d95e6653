// Functions of vectors, for any types of elements.
#pragma once

#include <type_traits>
#include <utility>

#include "vectors.h"

namespace mublas {

template <class Factor, class T>
mublasStatus axpy(mublasHandle_t handle, int n, const Factor* alpha, const T* x, int incx, T* y, int incy) {
    const mublasStatus status = check_vectors(handle, n, {alpha, x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=, scale = Scalar<Factor>(handle, alpha)] {
        using E = Element<T>;
        const Number<T> factor(Element<Factor>::number(scale.get()));
        const Vector<const T> from(x, n, incx);
        const Vector<T> to(y, n, incy);
        for (int i = 0; i < n; ++i) to[i] = E::stored(factor * E::number(from[i]) + E::number(to[i]));
    });
}

template <class Factor, class T>
mublasStatus scal(mublasHandle_t handle, int n, const Factor* alpha, T* x, int incx) {
    const mublasStatus status = check_vectors(handle, n, {alpha, x});
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
    const mublasStatus status = check_vectors(handle, n, {x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=] {
        const Vector<const T> from(x, n, incx);
        const Vector<T> to(y, n, incy);
        for (int i = 0; i < n; ++i) to[i] = from[i];
    });
}

template <class T>
mublasStatus swap(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
    const mublasStatus status = check_vectors(handle, n, {x, y});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=] {
        const Vector<T> a(x, n, incx), b(y, n, incy);
        for (int i = 0; i < n; ++i) std::swap(a[i], b[i]);
    });
}

template <bool Conjugate, class T>
mublasStatus dot(mublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {
    const mublasStatus status = check_vectors(handle, n, {x, y});
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

// Scale the elements, so that no square overflows or underflows.
template <class T, class R>
mublasStatus nrm2(mublasHandle_t handle, int n, const T* x, int incx, R* result) {
    const mublasStatus status = check_vectors(handle, n, {x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        using Real = decltype(magnitude(Number<T>()));
        Real scale = 0, sum = 1;
        auto add = [&](Real part) {
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
        *result = Element<R>::stored(scale * std::sqrt(sum));
    });
}

template <class T, class R>
mublasStatus asum(mublasHandle_t handle, int n, const T* x, int incx, R* result) {
    const mublasStatus status = check_vectors(handle, n, {x});
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!result) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue_result(handle, [=] {
        decltype(magnitude(Number<T>())) sum = 0;
        for (int i = 0; i < n && incx > 0; ++i) {
            sum += magnitude(Element<T>::number(x[static_cast<std::ptrdiff_t>(i) * incx]));
        }
        *result = Element<R>::stored(sum);
    });
}

// Find the first element of the largest or smallest magnitude; return its index counted from 1, or 0 for no elements.
template <bool Largest, class T>
mublasStatus extreme(mublasHandle_t handle, int n, const T* x, int incx, int* result) {
    const mublasStatus status = check_vectors(handle, n, {x});
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

// The plane rotation x, y = c x + s y, c y - conj(s) x.
template <class T, class Cosine, class Sine>
mublasStatus rot(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const Cosine* c, const Sine* s) {
    const mublasStatus status = check_vectors(handle, n, {x, y, c, s});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    return enqueue(handle, [=, cosine = Scalar<Cosine>(handle, c), sine = Scalar<Sine>(handle, s)] {
        using E = Element<T>;
        const Number<T> by_c(Element<Cosine>::number(cosine.get())), by_s(Element<Sine>::number(sine.get()));
        const Vector<T> first(x, n, incx), second(y, n, incy);
        for (int i = 0; i < n; ++i) {
            const Number<T> a = E::number(first[i]), b = E::number(second[i]);
            first[i] = E::stored(by_c * a + by_s * b);
            second[i] = E::stored(by_c * b - conjugate(by_s) * a);
        }
    });
}

}  // namespace mublas
