/* thrust::complex<float> and thrust::complex<double>, as torch's c10::complex uses them in device
 * code.
 *
 * Our own, and only this header of Thrust. The transcendental functions are the C library's complex
 * functions, which treat overflow, branch cuts and infinities as C99's Annex G says.
 */
#ifndef MUSA_SIM_THRUST_COMPLEX_H
#define MUSA_SIM_THRUST_COMPLEX_H

#include <host_defines.h>

#include <cmath>
#include <complex>
#include <sstream>

#define MUSA_SIM_FUNCTION __host__ __device__ inline

namespace thrust {

template <typename T>
struct complex {
    using value_type = T;

    complex() = default;
    MUSA_SIM_FUNCTION complex(const T& re) : re_(re), im_(T()) {}
    MUSA_SIM_FUNCTION complex(const T& re, const T& im) : re_(re), im_(im) {}
    complex(const complex&) = default;
    template <typename U>
    MUSA_SIM_FUNCTION complex(const complex<U>& other)
        : re_(static_cast<T>(other.real())), im_(static_cast<T>(other.imag())) {}
    template <typename U>
    MUSA_SIM_FUNCTION complex(const std::complex<U>& other)
        : re_(static_cast<T>(reinterpret_cast<const U (&)[2]>(other)[0])),
          im_(static_cast<T>(reinterpret_cast<const U (&)[2]>(other)[1])) {}

    complex& operator=(const complex&) = default;
    MUSA_SIM_FUNCTION complex& operator=(const T& re) { return *this = complex(re); }
    template <typename U>
    MUSA_SIM_FUNCTION complex& operator=(const complex<U>& other) {
        return *this = complex(other);
    }

    MUSA_SIM_FUNCTION T real() const { return re_; }
    MUSA_SIM_FUNCTION T imag() const { return im_; }
    MUSA_SIM_FUNCTION void real(T re) { re_ = re; }
    MUSA_SIM_FUNCTION void imag(T im) { im_ = im; }

    operator std::complex<T>() const { return std::complex<T>(re_, im_); }

    template <typename U>
    MUSA_SIM_FUNCTION complex& operator+=(const U& other) {
        return *this = *this + complex(other);
    }
    template <typename U>
    MUSA_SIM_FUNCTION complex& operator-=(const U& other) {
        return *this = *this - complex(other);
    }
    template <typename U>
    MUSA_SIM_FUNCTION complex& operator*=(const U& other) {
        return *this = *this * complex(other);
    }
    template <typename U>
    MUSA_SIM_FUNCTION complex& operator/=(const U& other) {
        return *this = *this / complex(other);
    }

private:
    T re_;
    T im_;
};

namespace complex_detail {

/* The compiler's complex numbers, which the C library's functions take. */
MUSA_SIM_FUNCTION __complex__ float to_c(const complex<float>& z) {
    __complex__ float c;
    __real__ c = z.real();
    __imag__ c = z.imag();
    return c;
}
MUSA_SIM_FUNCTION __complex__ double to_c(const complex<double>& z) {
    __complex__ double c;
    __real__ c = z.real();
    __imag__ c = z.imag();
    return c;
}
MUSA_SIM_FUNCTION complex<float> from_c(__complex__ float c) { return {__real__ c, __imag__ c}; }
MUSA_SIM_FUNCTION complex<double> from_c(__complex__ double c) { return {__real__ c, __imag__ c}; }

/* T, but not to be deduced: lets `z + 1.0f` mean complex<float> + complex<float> for any float type
 * of the number. */
template <typename T>
struct same {
    using type = T;
};
template <typename T>
using same_t = typename same<T>::type;

}  // namespace complex_detail

template <typename T>
MUSA_SIM_FUNCTION complex<T> operator+(const complex<T>& a) {
    return a;
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> operator-(const complex<T>& a) {
    return complex<T>(-a.real(), -a.imag());
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> operator+(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.real() + b.real(), a.imag() + b.imag());
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> operator-(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.real() - b.real(), a.imag() - b.imag());
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> operator*(const complex<T>& a, const complex<T>& b) {
    return complex<T>(a.real() * b.real() - a.imag() * b.imag(),
                      a.real() * b.imag() + a.imag() * b.real());
}
/* Scaled by the greater part of the divisor, so that its square cannot overflow (Smith's method).
 */
template <typename T>
MUSA_SIM_FUNCTION complex<T> operator/(const complex<T>& a, const complex<T>& b) {
    if (std::abs(b.real()) >= std::abs(b.imag())) {
        const T ratio = b.imag() / b.real();
        const T divisor = b.real() + b.imag() * ratio;
        return complex<T>((a.real() + a.imag() * ratio) / divisor,
                          (a.imag() - a.real() * ratio) / divisor);
    }
    const T ratio = b.real() / b.imag();
    const T divisor = b.real() * ratio + b.imag();
    return complex<T>((a.real() * ratio + a.imag()) / divisor,
                      (a.imag() * ratio - a.real()) / divisor);
}

#define MUSA_SIM_MIXED_OPERATOR(op)                                                 \
    template <typename T>                                                           \
    MUSA_SIM_FUNCTION complex<T> operator op(const complex<T>& a,                   \
                                             const complex_detail::same_t<T>& b) { \
        return a op complex<T>(b);                                                  \
    }                                                                               \
    template <typename T>                                                           \
    MUSA_SIM_FUNCTION complex<T> operator op(const complex_detail::same_t<T>& a,   \
                                             const complex<T>& b) {                 \
        return complex<T>(a) op b;                                                  \
    }
MUSA_SIM_MIXED_OPERATOR(+)
MUSA_SIM_MIXED_OPERATOR(-)
MUSA_SIM_MIXED_OPERATOR(*)
MUSA_SIM_MIXED_OPERATOR(/)
#undef MUSA_SIM_MIXED_OPERATOR

template <typename T>
MUSA_SIM_FUNCTION bool operator==(const complex<T>& a, const complex<T>& b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <typename T>
MUSA_SIM_FUNCTION bool operator!=(const complex<T>& a, const complex<T>& b) {
    return !(a == b);
}
template <typename T>
MUSA_SIM_FUNCTION bool operator==(const complex<T>& a, const complex_detail::same_t<T>& b) {
    return a == complex<T>(b);
}
template <typename T>
MUSA_SIM_FUNCTION bool operator!=(const complex<T>& a, const complex_detail::same_t<T>& b) {
    return !(a == b);
}

template <typename T>
MUSA_SIM_FUNCTION T abs(const complex<T>& z) {
    return std::hypot(z.real(), z.imag());
}
template <typename T>
MUSA_SIM_FUNCTION T arg(const complex<T>& z) {
    return std::atan2(z.imag(), z.real());
}
template <typename T>
MUSA_SIM_FUNCTION T norm(const complex<T>& z) {
    return z.real() * z.real() + z.imag() * z.imag();
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> conj(const complex<T>& z) {
    return complex<T>(z.real(), -z.imag());
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> polar(const T& magnitude, const T& angle = T()) {
    return complex<T>(magnitude * std::cos(angle), magnitude * std::sin(angle));
}

#define MUSA_SIM_COMPLEX_FUNCTION(name)                                                 \
    MUSA_SIM_FUNCTION complex<float> name(const complex<float>& z) {                    \
        return complex_detail::from_c(__builtin_c##name##f(complex_detail::to_c(z))); \
    }                                                                                   \
    MUSA_SIM_FUNCTION complex<double> name(const complex<double>& z) {                  \
        return complex_detail::from_c(__builtin_c##name(complex_detail::to_c(z)));    \
    }
MUSA_SIM_COMPLEX_FUNCTION(exp)
MUSA_SIM_COMPLEX_FUNCTION(log)
MUSA_SIM_COMPLEX_FUNCTION(sqrt)
MUSA_SIM_COMPLEX_FUNCTION(sin)
MUSA_SIM_COMPLEX_FUNCTION(cos)
MUSA_SIM_COMPLEX_FUNCTION(tan)
MUSA_SIM_COMPLEX_FUNCTION(asin)
MUSA_SIM_COMPLEX_FUNCTION(acos)
MUSA_SIM_COMPLEX_FUNCTION(atan)
MUSA_SIM_COMPLEX_FUNCTION(sinh)
MUSA_SIM_COMPLEX_FUNCTION(cosh)
MUSA_SIM_COMPLEX_FUNCTION(tanh)
MUSA_SIM_COMPLEX_FUNCTION(asinh)
MUSA_SIM_COMPLEX_FUNCTION(acosh)
MUSA_SIM_COMPLEX_FUNCTION(atanh)
MUSA_SIM_COMPLEX_FUNCTION(proj)
#undef MUSA_SIM_COMPLEX_FUNCTION

template <typename T>
MUSA_SIM_FUNCTION complex<T> log10(const complex<T>& z) {
    return log(z) / static_cast<T>(M_LN10);
}

MUSA_SIM_FUNCTION complex<float> pow(const complex<float>& base, const complex<float>& exponent) {
    return complex_detail::from_c(
        __builtin_cpowf(complex_detail::to_c(base), complex_detail::to_c(exponent)));
}
MUSA_SIM_FUNCTION complex<double> pow(const complex<double>& base,
                                      const complex<double>& exponent) {
    return complex_detail::from_c(
        __builtin_cpow(complex_detail::to_c(base), complex_detail::to_c(exponent)));
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> pow(const complex<T>& base,
                                 const complex_detail::same_t<T>& exponent) {
    return pow(base, complex<T>(exponent));
}
template <typename T>
MUSA_SIM_FUNCTION complex<T> pow(const complex_detail::same_t<T>& base,
                                 const complex<T>& exponent) {
    return pow(complex<T>(base), exponent);
}
/* The number and the complex number of different types meet in the wider one. */
template <typename T, typename U>
MUSA_SIM_FUNCTION auto pow(const complex<T>& base, const complex<U>& exponent)
    -> complex<decltype(T() + U())> {
    using Wider = complex<decltype(T() + U())>;
    return pow(Wider(base), Wider(exponent));
}

template <typename T>
std::ostream& operator<<(std::ostream& stream, const complex<T>& z) {
    return stream << static_cast<std::complex<T>>(z);
}

}  // namespace thrust

#undef MUSA_SIM_FUNCTION

#endif
