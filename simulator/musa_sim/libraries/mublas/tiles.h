// Products of packed panels, tile by tile: the sums of a tile stay in registers.
#pragma once

#include <cstddef>

#include "element_arithmetic.h"

namespace mublas {

// The rows and columns of a tile: 16 registers of 32 bytes hold its sums, a column of the left panel and an element of
// the right one.
template <class Sum>
struct Tile {
    static constexpr int rows = sizeof(Sum) <= 4 ? 16 : 64 / int(sizeof(Sum));
    static constexpr int columns = 6;
};
// Add the products with the real and with the imaginary parts separately.
template <class Real>
struct Tile<Complex<Real>> {
    static constexpr int rows = 16 / int(sizeof(Real));
    static constexpr int columns = 6;
};

// Adds the product of a panel of `count` columns of Tile::rows and one of `count` rows of Tile::columns to the sums.
template <class Sum>
[[gnu::always_inline]] inline void add_product(int count, const Sum* left, const Sum* right, Sum* sums) {
    constexpr int rows = Tile<Sum>::rows, columns = Tile<Sum>::columns;
    for (int p = 0; p < count; ++p, left += rows, right += columns) {
        for (int j = 0; j < columns; ++j) {
            for (int i = 0; i < rows; ++i) sums[j * rows + i] += left[i] * right[j];
        }
    }
}

// The same for numbers that vector registers hold.
template <class Number>
[[gnu::always_inline]] inline void add_vectors(int count, const Number* left, const Number* right, Number* sums) {
    typedef Number Vector __attribute__((vector_size(32), aligned(alignof(Number)), may_alias));
    constexpr int rows = Tile<Number>::rows, columns = Tile<Number>::columns, length = 32 / sizeof(Number);
    static_assert(rows == 2 * length && columns == 6, "the variables below");
    auto* const at = reinterpret_cast<Vector*>(sums);
    Vector a0 = at[0], a1 = at[1], b0 = at[2], b1 = at[3], c0 = at[4], c1 = at[5];
    Vector d0 = at[6], d1 = at[7], e0 = at[8], e1 = at[9], f0 = at[10], f1 = at[11];
    for (int p = 0; p < count; ++p, left += rows, right += columns) {
        const Vector x0 = reinterpret_cast<const Vector*>(left)[0], x1 = reinterpret_cast<const Vector*>(left)[1];
        a0 += x0 * right[0], a1 += x1 * right[0];
        b0 += x0 * right[1], b1 += x1 * right[1];
        c0 += x0 * right[2], c1 += x1 * right[2];
        d0 += x0 * right[3], d1 += x1 * right[3];
        e0 += x0 * right[4], e1 += x1 * right[4];
        f0 += x0 * right[5], f1 += x1 * right[5];
    }
    at[0] = a0, at[1] = a1, at[2] = b0, at[3] = b1, at[4] = c0, at[5] = c1;
    at[6] = d0, at[7] = d1, at[8] = e0, at[9] = e1, at[10] = f0, at[11] = f1;
}

// The same for complex numbers; a vector holds the real and imaginary parts of a column in turns.
template <class Real>
[[gnu::always_inline]] inline void add_complex(int count, const Complex<Real>* left, const Complex<Real>* right,
                                               Complex<Real>* sums) {
    typedef Real Vector __attribute__((vector_size(32), aligned(alignof(Real)), may_alias));
    constexpr int rows = Tile<Complex<Real>>::rows, columns = Tile<Complex<Real>>::columns;
    static_assert(rows * sizeof(Complex<Real>) == 32 && columns == 6, "the variables below");
    Vector a{}, b{}, c{}, d{}, e{}, f{}, ai{}, bi{}, ci{}, di{}, ei{}, fi{};
    for (int p = 0; p < count; ++p, left += rows, right += columns) {
        const Vector x = *reinterpret_cast<const Vector*>(left);
        a += x * right[0].re, ai += x * right[0].im;
        b += x * right[1].re, bi += x * right[1].im;
        c += x * right[2].re, ci += x * right[2].im;
        d += x * right[3].re, di += x * right[3].im;
        e += x * right[4].re, ei += x * right[4].im;
        f += x * right[5].re, fi += x * right[5].im;
    }
    const Vector real[columns] = {a, b, c, d, e, f}, imaginary[columns] = {ai, bi, ci, di, ei, fi};
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
            sums[j * rows + i] += Complex<Real>(real[j][2 * i] - imaginary[j][2 * i + 1],
                                                real[j][2 * i + 1] + imaginary[j][2 * i]);
        }
    }
}

template <class Sum>
void multiply_panels(int count, const Sum* left, const Sum* right, Sum* sums) {
    add_product(count, left, right, sums);
}

// One version for processors with AVX2 and fused multiply-add, one for all others: the libraries run on any x86-64.
template <class Number>
__attribute__((target("avx2,fma"))) void multiply_wide(int count, const Number* left, const Number* right, Number* sums) {
    add_vectors(count, left, right, sums);
}
template <class Number>
void multiply_numbers(int count, const Number* left, const Number* right, Number* sums) {
    static const bool is_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    is_wide ? multiply_wide(count, left, right, sums) : add_product(count, left, right, sums);
}
template <class Real>
__attribute__((target("avx2,fma"))) void multiply_wide(int count, const Complex<Real>* left, const Complex<Real>* right,
                                                       Complex<Real>* sums) {
    add_complex(count, left, right, sums);
}
template <class Real>
void multiply_panels(int count, const Complex<Real>* left, const Complex<Real>* right, Complex<Real>* sums) {
    multiply_numbers(count, left, right, sums);
}
template <>
inline void multiply_panels(int count, const float* left, const float* right, float* sums) {
    multiply_numbers(count, left, right, sums);
}
template <>
inline void multiply_panels(int count, const double* left, const double* right, double* sums) {
    multiply_numbers(count, left, right, sums);
}

}  // namespace mublas
