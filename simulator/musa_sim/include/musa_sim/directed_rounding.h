/* Arithmetic and conversions rounded towards zero (_rz), down (_rd) and up (_ru).
 *
 * mcc only. Computed exactly in integers and rounded once: for finite numbers, neither the processor's rounding mode nor
 * the flags for floating-point code (-ffast-math, -ffp-contract) change a result. Nothing is flushed to zero.
 */
#ifndef MUSA_SIM_DIRECTED_ROUNDING_H
#define MUSA_SIM_DIRECTED_ROUNDING_H

#include <musa_sim/c_library.h>
#include <vector_functions.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__
/* Rarely called, and too long to be copied to each call */
#define MUSA_SIM_LONG_FUNCTION __host__ __device__ __attribute__((noinline)) inline

namespace musa_sim_detail {

enum class Towards { zero, below, above };

/* (-1)^negative * (mantissa + f) * 2^exponent, where 0 < f < 1 if `more`, else f = 0 */
struct Exact {
    bool negative;
    bool more;
    int exponent;
    unsigned __int128 mantissa;
};

template <class T>
struct Format;
template <>
struct Format<float> {
    using Bits = unsigned;
    static constexpr int digits = 24, lowest = -149, highest = 104;  // exponents of the mantissa's last bit
};
template <>
struct Format<double> {
    using Bits = unsigned long long;
    static constexpr int digits = 53, lowest = -1074, highest = 971;
};

MUSA_SIM_FUNCTION int width_of(unsigned __int128 x) {
    const unsigned long long high = static_cast<unsigned long long>(x >> 64);
    const unsigned long long low = static_cast<unsigned long long>(x);
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

template <class T>
MUSA_SIM_FUNCTION typename Format<T>::Bits bits_of(T x) {
    typename Format<T>::Bits bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

template <class T>
MUSA_SIM_FUNCTION bool is_finite(T x) {
    constexpr int digits = Format<T>::digits - 1;
    const typename Format<T>::Bits magnitude = bits_of(x) << 1 >> 1;
    return magnitude >> digits < static_cast<unsigned>(Format<T>::highest - Format<T>::lowest + 2);
}

/* Of a finite number */
template <class T>
MUSA_SIM_FUNCTION Exact exact(T x) {
    constexpr int digits = Format<T>::digits - 1;
    using Bits = typename Format<T>::Bits;
    const Bits bits = bits_of(x), magnitude = bits << 1 >> 1;
    const int field = static_cast<int>(magnitude >> digits);
    const Bits fraction = magnitude & ((Bits(1) << digits) - 1);
    return {bits != magnitude, false, Format<T>::lowest + (field ? field - 1 : 0),
            field ? fraction | Bits(1) << digits : fraction};
}

MUSA_SIM_FUNCTION bool away_from_zero(bool negative, Towards towards) {
    return towards == (negative ? Towards::below : Towards::above);
}

/* If x.more, the mantissa has more digits than T. */
template <class T>
MUSA_SIM_LONG_FUNCTION T rounded(Exact x, Towards towards) {
    using Bits = typename Format<T>::Bits;
    constexpr int digits = Format<T>::digits, lowest = Format<T>::lowest, highest = Format<T>::highest;
    const bool away = away_from_zero(x.negative, towards);
    const int surplus = width_of(x.mantissa) - digits, below = lowest - x.exponent;
    const int drop = surplus > below ? surplus : below;  // the result's last bit is x.exponent + drop
    bool more = x.more;
    Bits kept = 0;
    if (drop > 127) {
        more = more || x.mantissa != 0;
    } else if (drop > 0) {
        more = more || (x.mantissa & ((static_cast<unsigned __int128>(1) << drop) - 1)) != 0;
        kept = static_cast<Bits>(x.mantissa >> drop);
    } else {
        kept = static_cast<Bits>(x.mantissa << -drop);
    }
    /* The fields of a floating-point number count on: one more than the greatest mantissa is the next power of two, and
     * one more than the greatest number is infinity. */
    constexpr Bits infinity = static_cast<Bits>(highest - lowest + 2) << (digits - 1);
    const int exponent = x.exponent + drop;
    Bits bits = exponent > highest ? infinity - !away
                                   : (static_cast<Bits>(exponent - lowest) << (digits - 1)) + kept + (more && away);
    if (x.mantissa == 0 && !more) bits = 0;
    bits |= static_cast<Bits>(x.negative) << (8 * sizeof(Bits) - 1);
    T result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

/* x * 2^shift, without what falls off */
MUSA_SIM_FUNCTION void align(Exact& x, int exponent) {
    const int shift = x.exponent - exponent;
    if (shift >= 0) {
        x.mantissa <<= shift;
    } else if (shift > -128) {
        x.more = (x.mantissa & ((static_cast<unsigned __int128>(1) << -shift) - 1)) != 0;
        x.mantissa >>= -shift;
    } else {
        x.more = x.mantissa != 0;
        x.mantissa = 0;
    }
    x.exponent = exponent;
}

/* Of two exact numbers, neither of which is 0; mantissas have at most 106 bits */
MUSA_SIM_LONG_FUNCTION Exact sum(Exact x, Exact y, Towards towards) {
    if (x.exponent + width_of(x.mantissa) < y.exponent + width_of(y.mantissa)) {
        const Exact lesser = x;
        x = y;
        y = lesser;
    }
    align(x, x.exponent + width_of(x.mantissa) - 126);
    align(y, x.exponent);
    if (x.negative == y.negative) {
        x.mantissa += y.mantissa;
        x.more = y.more;
    } else if (x.mantissa > y.mantissa || (x.mantissa == y.mantissa && !y.more)) {
        x.mantissa -= y.mantissa + y.more;
        x.more = y.more;
    } else {
        x.negative = y.negative;
        x.mantissa = y.mantissa - x.mantissa;
        x.more = y.more;
    }
    if (x.mantissa == 0 && !x.more) x.negative = towards == Towards::below;
    return x;
}

template <class T>
MUSA_SIM_LONG_FUNCTION T fused(T x, T y, T z, Towards towards) {
    if (!is_finite(x) || !is_finite(y)) return x * y + z;
    if (!is_finite(z)) return z;  // not x * y + z: the product of finite numbers may overflow
    Exact product = exact(x), added = exact(z);
    const Exact factor = exact(y);
    product.negative = product.negative != factor.negative;
    product.exponent += factor.exponent;
    product.mantissa *= factor.mantissa;
    if (product.mantissa == 0) {
        if (added.mantissa == 0 && added.negative != product.negative) added.negative = towards == Towards::below;
        return rounded<T>(added, towards);
    }
    return rounded<T>(added.mantissa == 0 ? product : sum(product, added, towards), towards);
}

template <class T>
MUSA_SIM_LONG_FUNCTION T product(T x, T y, Towards towards) {
    if (!is_finite(x) || !is_finite(y)) return x * y;
    Exact result = exact(x);
    const Exact factor = exact(y);
    result.negative = result.negative != factor.negative;
    result.exponent += factor.exponent;
    result.mantissa *= factor.mantissa;
    return rounded<T>(result, towards);
}

/* Digit by digit: libgcc's division of 128 bits is no function of device images. */
template <class T>
MUSA_SIM_LONG_FUNCTION T quotient(T x, T y, Towards towards) {
    Exact dividend = exact(x), divisor = exact(y);
    if (!is_finite(x) || !is_finite(y) || dividend.mantissa == 0 || divisor.mantissa == 0) return x / y;
    align(dividend, dividend.exponent + width_of(dividend.mantissa) - 53);
    align(divisor, divisor.exponent + width_of(divisor.mantissa) - 53);
    unsigned long long rest = static_cast<unsigned long long>(dividend.mantissa), digits = 0;
    const unsigned long long by = static_cast<unsigned long long>(divisor.mantissa);
    constexpr int count = 56;  // one more than double needs if the first is 0
    for (int i = 0; i < count; ++i) {
        const bool digit = rest >= by;
        digits = digits << 1 | digit;
        rest = (rest - (digit ? by : 0)) << 1;
    }
    return rounded<T>({dividend.negative != divisor.negative, rest != 0,
                       dividend.exponent - divisor.exponent - (count - 1), digits},
                      towards);
}

template <class T>
MUSA_SIM_LONG_FUNCTION T square_root(T x, Towards towards) {
    Exact square = exact(x);
    if (!is_finite(x) || square.mantissa == 0 || square.negative) {
        return static_cast<T>(__builtin_sqrt(static_cast<double>(x)));
    }
    const int exponent = square.exponent + width_of(square.mantissa) - 112;
    align(square, exponent - (exponent & 1));  // 112 or 113 bits, and an even exponent
    unsigned __int128 root = 0;
    for (int i = 56; i >= 0; --i) {
        const unsigned __int128 tried = root | static_cast<unsigned __int128>(1) << i;
        if (tried * tried <= square.mantissa) root = tried;
    }
    return rounded<T>({false, root * root != square.mantissa, square.exponent / 2, root}, towards);
}

template <class T, class Integer>
MUSA_SIM_FUNCTION T from_integer(Integer x, Towards towards) {
    const unsigned long long bits = static_cast<unsigned long long>(x);
    return rounded<T>({x < Integer(0), false, 0, x < Integer(0) ? 0 - bits : bits}, towards);
}

MUSA_SIM_FUNCTION float narrowed(double x, Towards towards) {
    return is_finite(x) ? rounded<float>(exact(x), towards) : static_cast<float>(x);
}

}  // namespace musa_sim_detail

#define MUSA_SIM_DIRECTED_ARITHMETIC(suffix, towards)                                                      \
    MUSA_SIM_FUNCTION float __fadd_##suffix(float x, float y) {                                            \
        return musa_sim_detail::fused(x, 1.0f, y, towards);                                                \
    }                                                                                                      \
    MUSA_SIM_FUNCTION float __fsub_##suffix(float x, float y) {                                            \
        return musa_sim_detail::fused(x, 1.0f, -y, towards);                                               \
    }                                                                                                      \
    MUSA_SIM_FUNCTION float __fmul_##suffix(float x, float y) {                                            \
        return musa_sim_detail::product(x, y, towards);                                                    \
    }                                                                                                      \
    MUSA_SIM_FUNCTION float __fmaf_##suffix(float x, float y, float z) {                                   \
        return musa_sim_detail::fused(x, y, z, towards);                                                   \
    }                                                                                                      \
    MUSA_SIM_FUNCTION float __fdiv_##suffix(float x, float y) {                                            \
        return musa_sim_detail::quotient(x, y, towards);                                                   \
    }                                                                                                      \
    MUSA_SIM_FUNCTION float __frcp_##suffix(float x) { return musa_sim_detail::quotient(1.0f, x, towards); } \
    MUSA_SIM_FUNCTION float __fsqrt_##suffix(float x) { return musa_sim_detail::square_root(x, towards); }   \
    MUSA_SIM_FUNCTION double __dadd_##suffix(double x, double y) {                                         \
        return musa_sim_detail::fused(x, 1.0, y, towards);                                                 \
    }                                                                                                      \
    MUSA_SIM_FUNCTION double __dsub_##suffix(double x, double y) {                                         \
        return musa_sim_detail::fused(x, 1.0, -y, towards);                                                \
    }                                                                                                      \
    MUSA_SIM_FUNCTION double __dmul_##suffix(double x, double y) {                                         \
        return musa_sim_detail::product(x, y, towards);                                                    \
    }                                                                                                      \
    MUSA_SIM_FUNCTION double __fma_##suffix(double x, double y, double z) {                                \
        return musa_sim_detail::fused(x, y, z, towards);                                                   \
    }                                                                                                      \
    MUSA_SIM_FUNCTION double __ddiv_##suffix(double x, double y) {                                         \
        return musa_sim_detail::quotient(x, y, towards);                                                   \
    }                                                                                                      \
    MUSA_SIM_FUNCTION double __drcp_##suffix(double x) { return musa_sim_detail::quotient(1.0, x, towards); } \
    MUSA_SIM_FUNCTION double __dsqrt_##suffix(double x) { return musa_sim_detail::square_root(x, towards); }

#define MUSA_SIM_DIRECTED_CONVERSIONS(suffix, towards)                                               \
    MUSA_SIM_FUNCTION float __double2float_##suffix(double x) {                                      \
        return musa_sim_detail::narrowed(x, towards);                                                \
    }                                                                                                \
    MUSA_SIM_FUNCTION float __int2float_##suffix(int x) {                                            \
        return musa_sim_detail::from_integer<float>(x, towards);                                     \
    }                                                                                                \
    MUSA_SIM_FUNCTION float __uint2float_##suffix(unsigned x) {                                      \
        return musa_sim_detail::from_integer<float>(x, towards);                                     \
    }                                                                                                \
    MUSA_SIM_FUNCTION float __ll2float_##suffix(long long x) {                                       \
        return musa_sim_detail::from_integer<float>(x, towards);                                     \
    }                                                                                                \
    MUSA_SIM_FUNCTION float __ull2float_##suffix(unsigned long long x) {                             \
        return musa_sim_detail::from_integer<float>(x, towards);                                     \
    }                                                                                                \
    MUSA_SIM_FUNCTION double __ll2double_##suffix(long long x) {                                     \
        return musa_sim_detail::from_integer<double>(x, towards);                                    \
    }                                                                                                \
    MUSA_SIM_FUNCTION double __ull2double_##suffix(unsigned long long x) {                           \
        return musa_sim_detail::from_integer<double>(x, towards);                                    \
    }

MUSA_SIM_DIRECTED_ARITHMETIC(rz, musa_sim_detail::Towards::zero)
MUSA_SIM_DIRECTED_ARITHMETIC(rd, musa_sim_detail::Towards::below)
MUSA_SIM_DIRECTED_ARITHMETIC(ru, musa_sim_detail::Towards::above)
MUSA_SIM_DIRECTED_CONVERSIONS(rz, musa_sim_detail::Towards::zero)
MUSA_SIM_DIRECTED_CONVERSIONS(rd, musa_sim_detail::Towards::below)
MUSA_SIM_DIRECTED_CONVERSIONS(ru, musa_sim_detail::Towards::above)
#undef MUSA_SIM_DIRECTED_ARITHMETIC
#undef MUSA_SIM_DIRECTED_CONVERSIONS

/* __fmaf_ieee_ differs from __fmaf_ where flags flush denormals, which they do not here. The functions with a 2, such as
 * __fadd2_, take pairs. */
#define MUSA_SIM_PAIRS_OF_FLOATS(suffix)                                                      \
    MUSA_SIM_FUNCTION float __fmaf_ieee_##suffix(float x, float y, float z) {                 \
        return __fmaf_##suffix(x, y, z);                                                      \
    }                                                                                         \
    MUSA_SIM_FUNCTION float2 __fadd2_##suffix(float2 x, float2 y) {                           \
        return make_float2(__fadd_##suffix(x.x, y.x), __fadd_##suffix(x.y, y.y));             \
    }                                                                                         \
    MUSA_SIM_FUNCTION float2 __fmul2_##suffix(float2 x, float2 y) {                           \
        return make_float2(__fmul_##suffix(x.x, y.x), __fmul_##suffix(x.y, y.y));             \
    }                                                                                         \
    MUSA_SIM_FUNCTION float2 __ffma2_##suffix(float2 x, float2 y, float2 z) {                 \
        return make_float2(__fmaf_##suffix(x.x, y.x, z.x), __fmaf_##suffix(x.y, y.y, z.y));   \
    }
MUSA_SIM_PAIRS_OF_FLOATS(rn)
MUSA_SIM_PAIRS_OF_FLOATS(rz)
MUSA_SIM_PAIRS_OF_FLOATS(rd)
MUSA_SIM_PAIRS_OF_FLOATS(ru)
#undef MUSA_SIM_PAIRS_OF_FLOATS

#undef MUSA_SIM_LONG_FUNCTION
#undef MUSA_SIM_FUNCTION

#endif
