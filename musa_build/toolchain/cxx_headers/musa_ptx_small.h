/* Floating-point numbers of 8, 6 and 4 bits, for `musa-build port`; see musa_ptx.h. */
#ifndef MUSA_BUILD_MUSA_PTX_SMALL_H
#define MUSA_BUILD_MUSA_PTX_SMALL_H

#include "musa_ptx.h"

#if defined(__MUSACC__)

#include <musa_fp16.h>

#define MUSA_PTX_FUNCTION static __device__ __forceinline__

namespace musa_ptx {
namespace small {

MUSA_PTX_FUNCTION float of_half(unsigned bits) { return __half2float(bits_as<__half>(static_cast<unsigned short>(bits))); }
MUSA_PTX_FUNCTION unsigned half_of(float value) {
    return value == value ? bits_as<unsigned short>(__float2half_rn(value)) : 0x7fffu;
}

/* Codes up to `highest` are finite. Above it, `infinity` (0: none) and then NaNs (`nan`; without any, highest itself). */
template <int exponent_bits, int fraction_bits, unsigned highest, unsigned infinity, unsigned nan>
struct number_of_bits {
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned sign = 1u << (exponent_bits + fraction_bits);

    MUSA_PTX_FUNCTION float power(int exponent) { return __uint_as_float(static_cast<unsigned>(127 + exponent) << 23); }
    MUSA_PTX_FUNCTION float number(unsigned code) {
        const unsigned size = code & (sign - 1);
        const int exponent = static_cast<int>(size >> fraction_bits);
        const unsigned fraction = (size & ((1u << fraction_bits) - 1)) + (exponent ? 1u << fraction_bits : 0);
        float value = static_cast<float>(fraction) * power((exponent ? exponent : 1) - bias - fraction_bits);
        if (size > highest) value = __uint_as_float(size == infinity ? 0x7f800000u : 0x7fffffffu);
        return code & sign ? -value : value;
    }
    /* To the nearest, ties to even; at most the highest. */
    MUSA_PTX_FUNCTION unsigned code(float value) {
        if (value != value) return nan;
        const unsigned bits = __float_as_uint(value), minus = bits >> 31 ? sign : 0;
        const float size = fabsf(value);
        if (size >= number(highest)) return minus | highest;
        const int given = static_cast<int>(bits >> 23 & 0xff) - 127;
        const int exponent = given < 1 - bias ? 1 - bias : given;
        const int steps = __float2int_rn(size * power(fraction_bits - exponent));
        return minus | static_cast<unsigned>(steps + ((exponent + bias - 1) << fraction_bits));
    }
    MUSA_PTX_FUNCTION unsigned code_relu(float value) { return code(value <= 0 ? 0.0f : value); }
};
using e5m2 = number_of_bits<5, 2, 0x7b, 0x7c, 0x7f>;
using e4m3 = number_of_bits<4, 3, 0x7e, 0, 0x7f>;
using e3m2 = number_of_bits<3, 2, 0x1f, 0, 0x1f>;
using e2m3 = number_of_bits<2, 3, 0x1f, 0, 0x1f>;
using e2m1 = number_of_bits<2, 1, 0x7, 0, 0x7>;

/* Two numbers: each in a byte, those of four bits in one. */
template <class One, int bits>
struct two_of {
    MUSA_PTX_FUNCTION unsigned to_halves(unsigned codes) {
        return half_of(One::number(codes)) | half_of(One::number(codes >> bits)) << 16;
    }
    MUSA_PTX_FUNCTION unsigned to_halves_relu(unsigned codes) { return relu(codes) | relu(codes >> bits) << 16; }
    MUSA_PTX_FUNCTION unsigned from_floats(float low, float high) { return One::code(low) | One::code(high) << bits; }
    MUSA_PTX_FUNCTION unsigned from_floats_relu(float low, float high) {
        return One::code_relu(low) | One::code_relu(high) << bits;
    }
    MUSA_PTX_FUNCTION unsigned from_halves(unsigned halves) { return from_floats(of_half(halves), of_half(halves >> 16)); }
    MUSA_PTX_FUNCTION unsigned from_halves_relu(unsigned halves) {
        return from_floats_relu(of_half(halves), of_half(halves >> 16));
    }

private:
    MUSA_PTX_FUNCTION unsigned relu(unsigned code) {
        const float value = One::number(code);
        return half_of(value <= 0 ? 0.0f : value);
    }
};
struct e5m2x2 : two_of<e5m2, 8> {};
struct e4m3x2 : two_of<e4m3, 8> {};
struct e3m2x2 : two_of<e3m2, 8> {};
struct e2m3x2 : two_of<e2m3, 8> {};
struct e2m1x2 : two_of<e2m1, 4> {};

/* Two powers of two, of 2^-127 to 2^127; 0xff is a NaN. The sign of what is converted is lost. */
struct ue8m0x2 {
    template <bool up, bool is_limited>
    MUSA_PTX_FUNCTION unsigned code(float value) {
        constexpr unsigned least = 0x00400000u, infinity = 0x7f800000u;
        const unsigned size = __float_as_uint(value) & 0x7fffffffu;
        if (size > infinity) return 0xff;
        const bool rises = up && size > least && size < infinity && (size & 0x7fffff) != 0;
        const unsigned exponent = (size >> 23) + rises;
        return is_limited && exponent == 0xff ? 0xfe : exponent;
    }
    template <bool up, bool is_limited>
    MUSA_PTX_FUNCTION unsigned from_floats(float low, float high) {
        return code<up, is_limited>(low) | code<up, is_limited>(high) << 8;
    }
    template <bool up, bool is_limited>
    MUSA_PTX_FUNCTION unsigned from_bfloats(unsigned both) {
        return from_floats<up, is_limited>(__uint_as_float(both << 16), __uint_as_float(both & 0xffff0000u));
    }
    MUSA_PTX_FUNCTION unsigned bfloat_of(unsigned code) { return code == 0xff ? 0x7fff : code == 0 ? 0x40 : code << 7; }
    MUSA_PTX_FUNCTION unsigned to_bfloats(unsigned codes) {
        return bfloat_of(codes & 0xff) | bfloat_of(codes >> 8 & 0xff) << 16;
    }
};

}  // namespace small
}  // namespace musa_ptx

#undef MUSA_PTX_FUNCTION

#endif

#endif
