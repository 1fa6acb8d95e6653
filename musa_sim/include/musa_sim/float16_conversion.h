/* Conversion between float, double and the two 16-bit formats, on bit patterns, rounded to nearest
 * even.
 *
 * Any C++ compiler, host and device. Written out because the compiler's own conversions call helper
 * functions that neither an old libgcc nor a device image has.
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

MUSA_SIM_FUNCTION unsigned short half_of(float value) {
    return narrow<5, 10>(static_cast<double>(value));
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

MUSA_SIM_FUNCTION float float_of_half(unsigned short bits) {
    const unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16;
    const unsigned magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    /* With its fraction in place a half is a float whose exponent is too small by 112. Multiplying
     * by 2^112 is exact and turns subnormal halves into normal floats. */
    const float scaled = float_of(magnitude << 13) * 0x1p112f;
    return float_of(sign | bits_of(scaled));
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

/* a + b as a double that rounds to a 16-bit format as the exact sum would, by the same trick: if
 * the sum was rounded (by `error`, which TwoSum finds exactly), its last bit is made odd. */
MUSA_SIM_FUNCTION double odd_sum(double a, double b) {
    const double sum = a + b;
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    unsigned long long bits = bits_of(sum);
    if ((error > 0 || error < 0) && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
    double result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

}  // namespace musa_sim_detail

#undef MUSA_SIM_FUNCTION

#endif
