// Plane rotations: plain and modified ones, and those that make an element zero.
#include "level1.h"

namespace mublas {
namespace {

// Run `work` on single numbers. If they are in host memory, it is done on return.
template <class Work>
mublasStatus with_numbers(mublasHandle_t handle, std::initializer_list<const void*> pointers, Work work) {
    const mublasStatus status = check_vectors(handle, 1, pointers);
    return status == MUBLAS_STATUS_SUCCESS ? enqueue_result(handle, work) : status;
}

// Compute c and s of the rotation that makes b zero. Replace a by its rotated value, and a real b by a number that
// encodes c and s.
template <class R>
void make_rotation(R* a, R* b, R* c, R* s) {
    const R norm = std::hypot(*a, *b);
    if (norm == 0) {
        *c = 1;
        *s = *a = *b = 0;
        return;
    }
    const bool first = std::fabs(*a) > std::fabs(*b);
    const R r = std::copysign(norm, first ? *a : *b);
    *c = *a / r;
    *s = *b / r;
    *b = first ? *s : (*c != 0 ? 1 / *c : R(1));
    *a = r;
}

template <class T, class R>
void make_rotation(T* a, T* b, R* c, T* s) {
    using E = Element<T>;
    const R size = std::hypot(a->x, a->y), norm = std::hypot(size, std::hypot(b->x, b->y));
    if (size == 0) {
        *c = 0;
        *s = T{1, 0};
        *a = *b;
        return;
    }
    const Number<T> direction{a->x / size, a->y / size};
    *c = size / norm;
    *s = E::stored(direction * conjugate(E::number(*b)) * Number<T>(1 / norm));
    *a = E::stored(direction * Number<T>(norm));
}

// A modified rotation: its form (-2 for none, -1, 0, 1) and the matrix H, of which some forms fix two elements.
template <class R>
struct Modified {
    R form, h11, h21, h12, h22;

    static Modified read(const R* parameters) {
        Modified m{parameters[0], parameters[1], parameters[2], parameters[3], parameters[4]};
        if (m.form == -2) m = {m.form, 1, 0, 0, 1};
        if (m.form == 0) m.h11 = m.h22 = 1;
        if (m.form == 1) m.h12 = 1, m.h21 = -1;
        return m;
    }
    // Write the elements that the form leaves open, as the reference BLAS does.
    void write(R* parameters) const {
        parameters[0] = form;
        if (form == -1 || form == 1) parameters[1] = h11, parameters[4] = h22;
        if (form == -1 || form == 0) parameters[2] = h21, parameters[3] = h12;
    }
    // Change to the form with four free elements, which can be scaled.
    void make_full() {
        if (form == 0) h11 = h22 = 1;
        if (form == 1) h12 = 1, h21 = -1;
        form = -1;
    }
};

template <class R>
mublasStatus rotm(mublasHandle_t handle, int n, R* x, int incx, R* y, int incy, const R* parameters) {
    const mublasStatus status = check_vectors(handle, n, {x, y, parameters});
    if (status != MUBLAS_STATUS_SUCCESS || n <= 0) return status;
    struct Five {
        R values[5];
    };
    return enqueue(handle, [=, five = Scalar<Five>(handle, reinterpret_cast<const Five*>(parameters))] {
        const Five given = five.get();
        const Modified<R> h = Modified<R>::read(given.values);
        const Vector<R> first(x, n, incx), second(y, n, incy);
        for (int i = 0; i < n; ++i) {
            const R a = first[i], b = second[i];
            first[i] = h.h11 * a + h.h12 * b;
            second[i] = h.h21 * a + h.h22 * b;
        }
    });
}

// The modified rotation that makes the second of (sqrt(d1) x1, sqrt(d2) y1) zero; d1 and d2 stay within 2^-24 and 2^24.
template <class R>
void make_modified_rotation(R* d1, R* d2, R* x1, R y1, R* parameters) {
    constexpr R scale = 4096, most = scale * scale, least = 1 / most;
    Modified<R> h{-2, 0, 0, 0, 0};
    const R p1 = *d1 * *x1, p2 = *d2 * y1, q1 = p1 * *x1, q2 = p2 * y1;
    const auto give_up = [&] {
        h = {-1, 0, 0, 0, 0};
        *d1 = *d2 = *x1 = 0;
    };
    if (*d1 < 0) {
        give_up();
    } else if (p2 == 0) {
        return h.write(parameters);
    } else if (std::fabs(q1) > std::fabs(q2)) {
        h.h21 = -y1 / *x1;
        h.h12 = p2 / p1;
        const R u = 1 - h.h12 * h.h21;
        if (u > 0) {
            h.form = 0;
            *d1 /= u;
            *d2 /= u;
            *x1 *= u;
        } else {
            give_up();
        }
    } else if (q2 < 0) {
        give_up();
    } else {
        h.form = 1;
        h.h11 = p1 / p2;
        h.h22 = *x1 / y1;
        const R u = 1 + h.h11 * h.h22, other = *d2 / u;
        *d2 = *d1 / u;
        *d1 = other;
        *x1 = y1 * u;
    }
    while (*d1 != 0 && (*d1 <= least || *d1 >= most)) {
        h.make_full();
        const bool small = *d1 <= least;
        *d1 *= small ? most : least;
        *x1 *= small ? 1 / scale : scale;
        h.h11 *= small ? 1 / scale : scale;
        h.h12 *= small ? 1 / scale : scale;
    }
    while (*d2 != 0 && (std::fabs(*d2) <= least || std::fabs(*d2) >= most)) {
        h.make_full();
        const bool small = std::fabs(*d2) <= least;
        *d2 *= small ? most : least;
        h.h21 *= small ? 1 / scale : scale;
        h.h22 *= small ? 1 / scale : scale;
    }
    h.write(parameters);
}

}  // namespace
}  // namespace mublas

#define MUBLAS_ROTATIONS(L, T, R)                                                                         \
    MUSA_EXPORT mublasStatus mublas##L##rot(mublasHandle_t handle, int n, T* x, int incx, T* y, int incy, \
                                            const R* c, const T* s) {                                     \
        return mublas::rot(handle, n, x, incx, y, incy, c, s);                                            \
    }                                                                                                     \
    MUSA_EXPORT mublasStatus mublas##L##rotg(mublasHandle_t handle, T* a, T* b, R* c, T* s) {             \
        return mublas::with_numbers(handle, {a, b, c, s}, [=] { mublas::make_rotation(a, b, c, s); });    \
    }

MUBLAS_ROTATIONS(S, float, float)
MUBLAS_ROTATIONS(D, double, double)
MUBLAS_ROTATIONS(C, muComplex, float)
MUBLAS_ROTATIONS(Z, muDoubleComplex, double)

#define MUBLAS_MODIFIED_ROTATIONS(L, R)                                                                    \
    MUSA_EXPORT mublasStatus mublas##L##rotm(mublasHandle_t handle, int n, R* x, int incx, R* y, int incy, \
                                             const R* parameters) {                                        \
        return mublas::rotm(handle, n, x, incx, y, incy, parameters);                                      \
    }                                                                                                      \
    MUSA_EXPORT mublasStatus mublas##L##rotmg(mublasHandle_t handle, R* d1, R* d2, R* x1, const R* y1,     \
                                              R* parameters) {                                             \
        return mublas::with_numbers(handle, {d1, d2, x1, y1, parameters},                                  \
                                    [=] { mublas::make_modified_rotation(d1, d2, x1, *y1, parameters); }); \
    }

MUBLAS_MODIFIED_ROTATIONS(S, float)
MUBLAS_MODIFIED_ROTATIONS(D, double)

MUSA_EXPORT mublasStatus mublasCsrot(mublasHandle_t handle, int n, muComplex* x, int incx, muComplex* y, int incy,
                                     const float* c, const float* s) {
    return mublas::rot(handle, n, x, incx, y, incy, c, s);
}
MUSA_EXPORT mublasStatus mublasZdrot(mublasHandle_t handle, int n, muDoubleComplex* x, int incx,
                                     muDoubleComplex* y, int incy, const double* c, const double* s) {
    return mublas::rot(handle, n, x, incx, y, incy, c, s);
}
