/* Conversion between float, double and the two 16-bit formats, on bit patterns, rounded to nearest
 * even.
 *
 * Any C++ compiler, host and device. Written out because, without F16C, the compiler's own conversions
 * call helper functions that neither an old libgcc nor a device image has.
 */
#ifndef MUSA_SIM_FLOAT16_CONVERSION_H
#define MUSA_SIM_FLOAT16_CONVERSION_H

#include <host_defines.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

namespace musa_sim_detail {

MUSA_SIM_FUNCTION unsigned bits_of(float value) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

MUSA_SIM_FUNCTION float float_of(unsigned bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

MUSA_SIM_FUNCTION unsigned long long bits_of(double value) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

enum class Rounding { nearest_even, toward_zero, up, down };

/* Whether a number of this sign, whose bits below the last kept one are `rest` in units where half
 * of the last bit is `half`, is to be increased in magnitude. */
MUSA_SIM_FUNCTION bool rounds_away(Rounding rounding, bool negative, bool odd,
                                   unsigned long long rest, unsigned long long half) {
    switch (rounding) {
        case Rounding::nearest_even: return rest > half || (rest == half && odd);
        case Rounding::toward_zero: return false;
        case Rounding::up: return rest != 0 && !negative;
        case Rounding::down: return rest != 0 && negative;
    }
    return false;
}

/* A double as sign, exponent and fraction in a 16-bit format with the given widths (5, 10: half; 8,
 * 7: bfloat16). Every float is a double, so this one function converts both. */
template <int ExponentBits, int FractionBits>
MUSA_SIM_FUNCTION unsigned short narrow(double value, Rounding rounding = Rounding::nearest_even) {
    constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    constexpr unsigned infinity = ((1u << ExponentBits) - 1) << FractionBits;
    const unsigned long long bits = bits_of(value);
    const unsigned sign = static_cast<unsigned>(bits >> 63) << 15;
    const bool negative = sign != 0;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    const unsigned long long fraction = bits & 0xfffffffffffffull;
    if (exponent == 1024) {
        /* infinity, or a NaN, which becomes the format's canonical one as on a GPU */
        return static_cast<unsigned short>(fraction ? 0x7fffu : sign | infinity);
    }
    if (exponent > bias) {
        const bool to_infinity = rounding == Rounding::nearest_even ||
                                 (rounding == Rounding::up && !negative) ||
                                 (rounding == Rounding::down && negative);
        return static_cast<unsigned short>(sign | (to_infinity ? infinity : infinity - 1));
    }
    /* Below the smallest normal exponent the result is subnormal: more bits of the significand are
     * cut off. */
    const bool subnormal = exponent < 1 - bias;
    int shift = 52 - FractionBits + (subnormal ? 1 - bias - exponent : 0);
    if (shift > 62) shift = 62;
    const unsigned long long significand =
        exponent == -1023 ? fraction
                          : fraction | 0x10000000000000ull; /* subnormal doubles vanish anyway */
    const unsigned long long kept = significand >> shift;
    const unsigned long long rest = significand & ((1ull << shift) - 1);
    unsigned magnitude = static_cast<unsigned>(kept);
    if (!subnormal) {
        /* `kept` holds the implicit bit, which carries the exponent up by one: so it is one less
         * here */
        magnitude += static_cast<unsigned>(exponent + bias - 1) << FractionBits;
    }
    /* A carry out of the fraction moves into the exponent, and from the largest number to infinity,
     * as it should. */
    magnitude += rounds_away(rounding, negative, kept & 1, rest, 1ull << (shift - 1));
    return static_cast<unsigned short>(sign | magnitude);
}

/* Device code of mcc for a CPU that converts halves has the compiler's own conversions, which become
 * its instructions. The results are the same, NaNs included. */
#if defined(__MUSA_ARCH__) && (defined(__MUSA_SIM_F16C__) || defined(__F16C__))
#define MUSA_SIM_HAS_F16C 1
#endif

MUSA_SIM_FUNCTION unsigned short half_of(float value) {
#if defined(MUSA_SIM_HAS_F16C)
    const _Float16 converted = static_cast<_Float16>(value);
    unsigned short bits;
    __builtin_memcpy(&bits, &converted, sizeof bits);
    return value != value ? 0x7fff : bits;
#else
    /* Without branches, so that it becomes vector instructions. */
    const unsigned sign = bits_of(value) >> 16 & 0x8000u;
    const unsigned magnitude = bits_of(value) & 0x7fffffffu;
    /* Subnormal halves, and zero: adding 0.5, whose last bit is 2^-24, rounds to a multiple of that. */
    const unsigned small = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    /* Normal ones: the exponent's bias changed by 112, and 13 bits rounded away; a carry may reach infinity. */
    const unsigned normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    const unsigned finite = magnitude < 0x38800000u ? small : normal;
    /* From 65520 on it is infinity, and a NaN becomes the canonical one, as on a GPU. */
    const unsigned rounded = magnitude >= 0x477ff000u ? 0x7c00u : finite;
    return static_cast<unsigned short>(magnitude > 0x7f800000u ? 0x7fffu : sign | rounded);
#endif
}

/* The common case in a few instructions: the upper half of a float, rounded. */
MUSA_SIM_FUNCTION unsigned short bfloat16_of(float value) {
    const unsigned bits = bits_of(value);
    if (value != value) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

MUSA_SIM_FUNCTION float float_of_bfloat16(unsigned short bits) {
    return float_of(static_cast<unsigned>(bits) << 16);
}

/* The next function without the CPU's instructions: these wait for a register's old value, which
 * costs more where a function of the C library has left it. */
MUSA_SIM_FUNCTION float float_of_half_bits(unsigned short bits) {
    const unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16;
    const unsigned magnitude = bits & 0x7fffu;
    /* With its fraction in place a half is a float whose exponent is too small by 112. Multiplying
     * by 2^112 is exact and turns subnormal halves into normal floats. */
    const float scaled = float_of(magnitude << 13) * 0x1p112f;
    /* A NaN becomes a quiet one. */
    const unsigned special = 0x7f800000u | (magnitude & 0x3ffu) << 13 | (magnitude > 0x7c00u ? 0x400000u : 0u);
    return float_of(sign | (magnitude >= 0x7c00u ? special : bits_of(scaled)));
}

MUSA_SIM_FUNCTION float float_of_half(unsigned short bits) {
#if defined(MUSA_SIM_HAS_F16C)
    _Float16 value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value);
#else
    return float_of_half_bits(bits);
#endif
}

/* A 64-bit integer as a double that rounds to a 16-bit format as the integer itself would: what
 * does not fit into the double's 53 bits survives in its last bit. */
MUSA_SIM_FUNCTION double odd_rounded(unsigned long value) {
    constexpr unsigned long lost_bits = 0x7ff;
    if (value >> 53 == 0) return static_cast<double>(value);
    return static_cast<double>((value & ~lost_bits) | (value & lost_bits ? lost_bits + 1 : 0));
}
MUSA_SIM_FUNCTION double odd_rounded(long value) {
    const double magnitude = odd_rounded(value < 0 ? 0 - static_cast<unsigned long>(value)
                                                   : static_cast<unsigned long>(value));
    return value < 0 ? -magnitude : magnitude;
}

MUSA_SIM_FUNCTION double odd_rounded(unsigned long long value) {
    return odd_rounded(static_cast<unsigned long>(value));
}
MUSA_SIM_FUNCTION double odd_rounded(long long value) {
    return odd_rounded(static_cast<long>(value));
}

/* A number as an integer: rounded, then limited to the type's range. A NaN becomes 0, or the lowest
 * signed number where the integer has 64 bits, as with __float2int_rn and the other conversions. */
template <class T>
MUSA_SIM_FUNCTION T integer_of(float value, Rounding rounding) {
    constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
    constexpr unsigned long long range = 1ull << (8 * sizeof(T) - 1);
    constexpr float limit = static_cast<float>(range) * (is_signed ? 1.0f : 2.0f);
    const float whole = rounding == Rounding::nearest_even  ? __builtin_rintf(value)
                        : rounding == Rounding::toward_zero ? __builtin_truncf(value)
                        : rounding == Rounding::up          ? __builtin_ceilf(value)
                                                            : __builtin_floorf(value);
    if (whole != whole) return static_cast<T>(sizeof(T) == 8 ? range : 0);
    if (whole >= limit) return static_cast<T>(is_signed ? range - 1 : ~0ull);
    if (whole < (is_signed ? -limit : 0.0f)) return static_cast<T>(is_signed ? 0 - range : 0);
    return static_cast<T>(whole);
}

/* a + b as a float that rounds to half as the exact sum would, by the same trick: if the sum was
 * rounded (by `error`, which TwoSum finds exactly), its last bit is made odd. */
MUSA_SIM_FUNCTION float odd_sum(float a, float b) {
    const float sum = a + b;
    const float b_part = sum - a;
    const float error = (a - (sum - b_part)) + (b - b_part);
    const unsigned bits = bits_of(sum);
    const unsigned inexact = (error > 0) | (error < 0);
    const unsigned outward = (error > 0) == (sum > 0);
    const unsigned odd = outward ? bits + 1 : bits - 1;
    return float_of(inexact & ~bits & 1u ? odd : bits);
}

/* a * b + c, rounded once. The product of two halves is exact in float. */
MUSA_SIM_FUNCTION unsigned short half_fma(float a, float b, float c) {
    return half_of(odd_sum(a * b, c));
}

/* A double as a float that rounds to a 16-bit format as the double would. */
MUSA_SIM_FUNCTION float odd_narrowed(double value) {
    const float nearest = static_cast<float>(value);
    const double back = static_cast<double>(nearest);
    const unsigned bits = bits_of(nearest);
    const unsigned inexact = (back < value) | (back > value);
    const unsigned outward = (back < value) == (value > 0);
    return float_of(inexact & ~bits & 1u ? (outward ? bits + 1 : bits - 1) : bits);
}

MUSA_SIM_FUNCTION unsigned short half_of(double value) { return half_of(odd_narrowed(value)); }
MUSA_SIM_FUNCTION unsigned short bfloat16_of(double value) {
    return bfloat16_of(odd_narrowed(value));
}

/* a * b + c, rounded once. The product is exact in double. What the sum lost decides where nothing was lost after it. */
MUSA_SIM_FUNCTION unsigned short bfloat16_fma(float a, float b, float c) {
    const double product = static_cast<double>(a) * b, addend = c;
    const double sum = product + addend;
    const double addend_part = sum - product;
    const double error = (product - (sum - addend_part)) + (addend - addend_part);
    const float nearest = static_cast<float>(sum);
    const double cut_off = sum - nearest;
    const double rest = cut_off != 0 ? cut_off : error;
    const unsigned bits = bits_of(nearest);
    const unsigned inexact = (rest > 0) | (rest < 0);
    const unsigned outward = (rest > 0) == (sum > 0);
    return bfloat16_of(float_of(inexact & ~bits & 1u ? (outward ? bits + 1 : bits - 1) : bits));
}

}  // namespace musa_sim_detail

#undef MUSA_SIM_FUNCTION

#endif
