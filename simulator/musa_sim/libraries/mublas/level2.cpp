// A matrix and vectors: gemv is a product with a matrix of one column, ger one of a column and a row.
#include "gemm.h"
#include "vectors.h"

namespace mublas {
namespace {

template <class T>
mublasStatus gemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n, const T* alpha, const T* a, int lda,
                  const T* x, int incx, const T* beta, T* y, int incy) {
    const int rows = trans == MUBLAS_OP_N ? m : n;
    const int columns = trans == MUBLAS_OP_N ? n : m;
    const Shape shape{trans, MUBLAS_OP_N, rows, 1, columns, lda, std::max(1, columns), std::max(1, rows)};
    const mublasStatus status = check_shape(handle, shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (incx == 0 || incy == 0) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha || !beta) return MUBLAS_STATUS_INVALID_POINTER;
    if (m == 0 || n == 0) return MUBLAS_STATUS_SUCCESS;
    if (!a || !x || !y) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha), t = Scalar<T>(handle, beta)] {
        const std::vector<T> in = gathered(x, columns, incx);
        std::vector<T> out = gathered(y, rows, incy);
        gemm(shape, Element<T>::number(s.get()), a, in.data(), Element<T>::number(t.get()), out.data());
        scatter(out, y, incy);
    });
}

template <class T>
mublasStatus ger(mublasHandle_t handle, mublasOperation_t trans_y, int m, int n, const T* alpha, const T* x, int incx,
                 const T* y, int incy, T* a, int lda) {
    const Shape shape{MUBLAS_OP_N, trans_y, m, n, 1, std::max(1, m), std::max(1, n), lda};
    const mublasStatus status = check_shape(handle, shape);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (incx == 0 || incy == 0) return MUBLAS_STATUS_INVALID_SIZE;
    if (!alpha) return MUBLAS_STATUS_INVALID_POINTER;
    if (m == 0 || n == 0) return MUBLAS_STATUS_SUCCESS;
    if (!a || !x || !y) return MUBLAS_STATUS_INVALID_POINTER;
    return enqueue(handle, [=, s = Scalar<T>(handle, alpha)] {
        const std::vector<T> column = gathered(x, m, incx), row = gathered(y, n, incy);
        gemm(shape, Element<T>::number(s.get()), column.data(), row.data(), Number<T>(1), a);
    });
}

}  // namespace
}  // namespace mublas

#define MUBLAS_GEMV(L, T)                                                                                  \
    MUSA_EXPORT mublasStatus mublas##L##gemv(mublasHandle_t handle, mublasOperation_t trans, int m, int n, \
                                             const T* alpha, const T* A, int lda, const T* x, int incx,    \
                                             const T* beta, T* y, int incy) {                              \
        return mublas::gemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);                   \
    }

MUBLAS_GEMV(S, float)
MUBLAS_GEMV(D, double)
MUBLAS_GEMV(C, muComplex)
MUBLAS_GEMV(Z, muDoubleComplex)

#define MUBLAS_GER(name, T, trans)                                                                         \
    MUSA_EXPORT mublasStatus mublas##name(mublasHandle_t handle, int m, int n, const T* alpha, const T* x, \
                                          int incx, const T* y, int incy, T* A, int lda) {                 \
        return mublas::ger(handle, trans, m, n, alpha, x, incx, y, incy, A, lda);                          \
    }

MUBLAS_GER(Sger, float, MUBLAS_OP_T)
MUBLAS_GER(Dger, double, MUBLAS_OP_T)
MUBLAS_GER(Cgeru, muComplex, MUBLAS_OP_T)
MUBLAS_GER(Cgerc, muComplex, MUBLAS_OP_C)
MUBLAS_GER(Zgeru, muDoubleComplex, MUBLAS_OP_T)
MUBLAS_GER(Zgerc, muDoubleComplex, MUBLAS_OP_C)
