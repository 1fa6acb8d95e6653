// The arithmetic of all element types: the type that each is computed in, and complex numbers without the checks for
// infinities that make std::complex slow.
#pragma once

#include <mublas.h>

#include <cmath>
#include <cstdint>

#include "../stored_numbers.h"

namespace mublas {

template <class T>
struct Complex {
    T re{}, im{};

    Complex() = default;
    Complex(T r, T i = T()) : re(r), im(i) {}
    template <class Pair>
    static Complex of(const Pair& pair) {
        return {pair.x, pair.y};
    }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator/(Complex a, Complex b) {
        const T square = b.re * b.re + b.im * b.im;
        return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
    }
    friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    Complex& operator+=(Complex other) { return *this = *this + other; }
    friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <class T>
struct Element : musa_sim::Element<T> {};
template <class Pair, class T>
struct ComplexElement {
    using Number = Complex<T>;
    static Number number(Pair x) { return {x.x, x.y}; }
    static Pair stored(Number x) { return Pair{x.re, x.im}; }
};
template <>
struct Element<muComplex> : ComplexElement<muComplex, float> {};
template <>
struct Element<muDoubleComplex> : ComplexElement<muDoubleComplex, double> {};
template <>
struct Element<std::int8_t> {
    using Number = std::int32_t;
    static std::int32_t number(std::int8_t x) { return x; }
};

template <class T>
using Number = typename Element<T>::Number;

template <class T>
T conjugate(T x) {
    return x;
}
template <class T>
Complex<T> conjugate(Complex<T> x) {
    return {x.re, -x.im};
}

inline float magnitude(float x) { return std::fabs(x); }
inline double magnitude(double x) { return std::fabs(x); }
// The sum of the magnitudes of both parts: asum, amax and amin use it for complex numbers.
template <class T>
T magnitude(Complex<T> x) {
    return std::fabs(x.re) + std::fabs(x.im);
}

}  // namespace mublas
