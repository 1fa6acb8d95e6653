// Vectors: the functions for each type of their elements.
#include "level1.h"

#define MUBLAS_VECTOR_FUNCTIONS(L, l, T)                                                                           \
    MUSA_EXPORT mublasStatus mublas##L##axpy(mublasHandle_t handle, int n, const T* alpha, const T* x, int incx,   \
                                             T* y, int incy) {                                                     \
        return mublas::axpy(handle, n, alpha, x, incx, y, incy);                                                   \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##scal(mublasHandle_t handle, int n, const T* alpha, T* x, int incx) {       \
        return mublas::scal(handle, n, alpha, x, incx);                                                            \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##copy(mublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) { \
        return mublas::copy(handle, n, x, incx, y, incy);                                                          \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublas##L##swap(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {       \
        return mublas::swap(handle, n, x, incx, y, incy);                                                          \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublasI##l##amax(mublasHandle_t handle, int n, const T* x, int incx, int* result) {   \
        return mublas::extreme<true>(handle, n, x, incx, result);                                                  \
    }                                                                                                              \
    MUSA_EXPORT mublasStatus mublasI##l##amin(mublasHandle_t handle, int n, const T* x, int incx, int* result) {   \
        return mublas::extreme<false>(handle, n, x, incx, result);                                                 \
    }

MUBLAS_VECTOR_FUNCTIONS(S, s, float)
MUBLAS_VECTOR_FUNCTIONS(D, d, double)
MUBLAS_VECTOR_FUNCTIONS(C, c, muComplex)
MUBLAS_VECTOR_FUNCTIONS(Z, z, muDoubleComplex)

#define MUBLAS_NORMS(L, T, R)                                                                                 \
    MUSA_EXPORT mublasStatus mublas##L##nrm2(mublasHandle_t handle, int n, const T* x, int incx, R* result) { \
        return mublas::nrm2(handle, n, x, incx, result);                                                      \
    }                                                                                                         \
    MUSA_EXPORT mublasStatus mublas##L##asum(mublasHandle_t handle, int n, const T* x, int incx, R* result) { \
        return mublas::asum(handle, n, x, incx, result);                                                      \
    }

MUBLAS_NORMS(S, float, float)
MUBLAS_NORMS(D, double, double)
MUBLAS_NORMS(Sc, muComplex, float)
MUBLAS_NORMS(Dz, muDoubleComplex, double)

#define MUBLAS_DOT(name, T, conjugate)                                                                    \
    MUSA_EXPORT mublasStatus mublas##name(mublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                                          int incy, T* result) {                                          \
        return mublas::dot<conjugate>(handle, n, x, incx, y, incy, result);                               \
    }

MUBLAS_DOT(Sdot, float, false)
MUBLAS_DOT(Ddot, double, false)
MUBLAS_DOT(Cdotu, muComplex, false)
MUBLAS_DOT(Cdotc, muComplex, true)
MUBLAS_DOT(Zdotu, muDoubleComplex, false)
MUBLAS_DOT(Zdotc, muDoubleComplex, true)

MUSA_EXPORT mublasStatus mublasCsscal(mublasHandle_t handle, int n, const float* alpha, muComplex* x, int incx) {
    return mublas::scal(handle, n, alpha, x, incx);
}
MUSA_EXPORT mublasStatus mublasZdscal(mublasHandle_t handle, int n, const double* alpha, muDoubleComplex* x,
                                      int incx) {
    return mublas::scal(handle, n, alpha, x, incx);
}
