// Functions of vectors whose types are arguments.
#include <initializer_list>

#include "../data_types.h"
#include "level1.h"

namespace mublas {
namespace {

using musa_sim::TypeTag;

// Call `visit` with the tag of an element type: those that cuBLAS's functions of this kind take.
template <class Visit>
mublasStatus with_element(musaDataType_t type, Visit visit) {
    switch (type) {
        case MUSA_R_16F: return visit(TypeTag<__half>());
        case MUSA_R_16BF: return visit(TypeTag<__mt_bfloat16>());
        default: return musa_sim::with_data_type(type, MUBLAS_STATUS_NOT_IMPLEMENTED, visit);
    }
}

bool has_16_bits(musaDataType_t type) { return type == MUSA_R_16F || type == MUSA_R_16BF; }

// Return the type in which vectors of a type are computed.
musaDataType_t computed(musaDataType_t type) { return has_16_bits(type) ? MUSA_R_32F : type; }

// Call `visit` with the types of the elements and of a factor: the same, or float for elements of 16 bits.
template <class Visit>
mublasStatus with_factor(musaDataType_t type, musaDataType_t factor, Visit visit) {
    if (factor != type && factor != computed(type)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        using Wide = std::conditional_t<std::is_same<T, __half>::value || std::is_same<T, __mt_bfloat16>::value, float, T>;
        return factor == type ? visit(element, element) : visit(element, TypeTag<Wide>());
    });
}

template <bool Conjugate>
mublasStatus dot_ex(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx, const void* y,
                    musaDataType_t type_y, int incy, void* result, musaDataType_t type_of_result,
                    musaDataType_t execution) {
    if (type_x != type_y || type_x != type_of_result || execution != computed(type_x))
        return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return with_element(type_x, [&](auto element) {
        using T = typename decltype(element)::type;
        return dot<Conjugate>(handle, n, static_cast<const T*>(x), incx, static_cast<const T*>(y), incy,
                              static_cast<T*>(result));
    });
}

// Call `compute(x, result)` of nrm2 or asum with the types of the vector and of the result.
template <class Compute>
mublasStatus norm_ex(const void* x, musaDataType_t type, void* result, musaDataType_t type_of_result,
                     musaDataType_t execution, Compute compute) {
    if (type_of_result != musa_sim::real_type(type) || execution != computed(type_of_result)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return with_element(type, [&](auto element) {
        using T = typename decltype(element)::type;
        const T* values = static_cast<const T*>(x);
        if constexpr (std::is_same<T, muComplex>::value) return compute(values, static_cast<float*>(result));
        else if constexpr (std::is_same<T, muDoubleComplex>::value) return compute(values, static_cast<double*>(result));
        else return compute(values, static_cast<T*>(result));
    });
}

}  // namespace
}  // namespace mublas

MUSA_EXPORT mublasStatus mublasAxpyEx(mublasHandle_t handle, int n, const void* alpha, musaDataType_t type_alpha,
                                      const void* x, musaDataType_t type_x, int incx, void* y, musaDataType_t type_y,
                                      int incy, musaDataType_t execution) {
    if (type_x != type_y || execution != mublas::computed(type_x)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return mublas::with_factor(type_x, type_alpha, [&](auto element, auto factor) {
        using T = typename decltype(element)::type;
        using Factor = typename decltype(factor)::type;
        return mublas::axpy(handle, n, static_cast<const Factor*>(alpha), static_cast<const T*>(x), incx,
                            static_cast<T*>(y), incy);
    });
}

MUSA_EXPORT mublasStatus mublasScalEx(mublasHandle_t handle, int n, const void* alpha, musaDataType_t type_alpha,
                                      void* x, musaDataType_t type_x, int incx, musaDataType_t execution) {
    if (execution != mublas::computed(type_x)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return mublas::with_factor(type_x, type_alpha, [&](auto element, auto factor) {
        using Factor = typename decltype(factor)::type;
        return mublas::scal(handle, n, static_cast<const Factor*>(alpha),
                            static_cast<typename decltype(element)::type*>(x), incx);
    });
}

MUSA_EXPORT mublasStatus mublasDotEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                     const void* y, musaDataType_t type_y, int incy, void* result,
                                     musaDataType_t type_of_result, musaDataType_t execution) {
    return mublas::dot_ex<false>(handle, n, x, type_x, incx, y, type_y, incy, result, type_of_result, execution);
}

MUSA_EXPORT mublasStatus mublasDotcEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                      const void* y, musaDataType_t type_y, int incy, void* result,
                                      musaDataType_t type_of_result, musaDataType_t execution) {
    return mublas::dot_ex<true>(handle, n, x, type_x, incx, y, type_y, incy, result, type_of_result, execution);
}

MUSA_EXPORT mublasStatus mublasNrm2Ex(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                      void* result, musaDataType_t type_of_result, musaDataType_t execution) {
    return mublas::norm_ex(x, type_x, result, type_of_result, execution,
                           [&](auto values, auto to) { return mublas::nrm2(handle, n, values, incx, to); });
}

MUSA_EXPORT mublasStatus mublasAsumEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                      void* result, musaDataType_t type_of_result, musaDataType_t execution) {
    return mublas::norm_ex(x, type_x, result, type_of_result, execution,
                           [&](auto values, auto to) { return mublas::asum(handle, n, values, incx, to); });
}

MUSA_EXPORT mublasStatus mublasCopyEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                      void* y, musaDataType_t type_y, int incy) {
    if (type_x != type_y) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return mublas::with_element(type_x, [&](auto element) {
        using T = typename decltype(element)::type;
        return mublas::copy(handle, n, static_cast<const T*>(x), incx, static_cast<T*>(y), incy);
    });
}

MUSA_EXPORT mublasStatus mublasSwapEx(mublasHandle_t handle, int n, void* x, musaDataType_t type_x, int incx, void* y,
                                      musaDataType_t type_y, int incy) {
    if (type_x != type_y) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return mublas::with_element(type_x, [&](auto element) {
        using T = typename decltype(element)::type;
        return mublas::swap(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy);
    });
}

MUSA_EXPORT mublasStatus mublasIamaxEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                       int* result) {
    return mublas::with_element(type_x, [&](auto element) {
        using T = typename decltype(element)::type;
        return mublas::extreme<true>(handle, n, static_cast<const T*>(x), incx, result);
    });
}

MUSA_EXPORT mublasStatus mublasIaminEx(mublasHandle_t handle, int n, const void* x, musaDataType_t type_x, int incx,
                                       int* result) {
    return mublas::with_element(type_x, [&](auto element) {
        using T = typename decltype(element)::type;
        return mublas::extreme<false>(handle, n, static_cast<const T*>(x), incx, result);
    });
}

// c and s have one type: the vectors', or float for vectors of 16 bits, or the real type for complex ones.
MUSA_EXPORT mublasStatus mublasRotEx(mublasHandle_t handle, int n, void* x, musaDataType_t type_x, int incx, void* y,
                                     musaDataType_t type_y, int incy, const void* c, const void* s,
                                     musaDataType_t type_cs, musaDataType_t execution) {
    if (type_x != type_y || execution != mublas::computed(type_x)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    const auto rotate = [&](auto element, auto factor) {
        using T = typename decltype(element)::type;
        using Factor = typename decltype(factor)::type;
        return mublas::rot(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy, static_cast<const Factor*>(c),
                           static_cast<const Factor*>(s));
    };
    if (type_x == MUSA_C_32F && type_cs == MUSA_R_32F)
        return rotate(musa_sim::TypeTag<muComplex>(), musa_sim::TypeTag<float>());
    if (type_x == MUSA_C_64F && type_cs == MUSA_R_64F)
        return rotate(musa_sim::TypeTag<muDoubleComplex>(), musa_sim::TypeTag<double>());
    return mublas::with_factor(type_x, type_cs, rotate);
}

namespace {

// Call float's or double's function if all types are one of these.
template <class Float, class Double>
mublasStatus of_one_type(std::initializer_list<musaDataType_t> types, Float of_float, Double of_double) {
    const musaDataType_t type = *types.begin();
    for (musaDataType_t other : types)
        if (other != type) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return type == MUSA_R_32F ? of_float() : type == MUSA_R_64F ? of_double() : MUBLAS_STATUS_NOT_IMPLEMENTED;
}

}  // namespace

MUSA_EXPORT mublasStatus mublasRotgEx(mublasHandle_t handle, void* a, void* b, musaDataType_t type_ab, void* c, void* s,
                                      musaDataType_t type_cs, musaDataType_t execution) {
    const auto call = [=](auto function, auto number) {
        using T = decltype(number);
        return function(handle, static_cast<T*>(a), static_cast<T*>(b), static_cast<T*>(c), static_cast<T*>(s));
    };
    return of_one_type({type_ab, type_cs, execution}, [=] { return call(mublasSrotg, float()); },
                       [=] { return call(mublasDrotg, double()); });
}

MUSA_EXPORT mublasStatus mublasRotmEx(mublasHandle_t handle, int n, void* x, musaDataType_t type_x, int incx, void* y,
                                      musaDataType_t type_y, int incy, const void* parameters,
                                      musaDataType_t type_parameters, musaDataType_t execution) {
    const auto call = [=](auto function, auto number) {
        using T = decltype(number);
        return function(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy, static_cast<const T*>(parameters));
    };
    return of_one_type({type_x, type_y, type_parameters, execution}, [=] { return call(mublasSrotm, float()); },
                       [=] { return call(mublasDrotm, double()); });
}

MUSA_EXPORT mublasStatus mublasRotmgEx(mublasHandle_t handle, void* d1, musaDataType_t type_d1, void* d2,
                                       musaDataType_t type_d2, void* x1, musaDataType_t type_x1, const void* y1,
                                       musaDataType_t type_y1, void* parameters, musaDataType_t type_parameters,
                                       musaDataType_t execution) {
    const auto call = [=](auto function, auto number) {
        using T = decltype(number);
        return function(handle, static_cast<T*>(d1), static_cast<T*>(d2), static_cast<T*>(x1), static_cast<const T*>(y1),
                        static_cast<T*>(parameters));
    };
    return of_one_type({type_d1, type_d2, type_x1, type_y1, type_parameters, execution},
                       [=] { return call(mublasSrotmg, float()); }, [=] { return call(mublasDrotmg, double()); });
}
