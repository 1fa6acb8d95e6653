/* Bit counting, high multiplication, reinterpretation, conversion to integers with a given rounding.
 *
 * mcc only.
 */
#ifndef MUSA_SIM_INTEGER_FUNCTIONS_H
#define MUSA_SIM_INTEGER_FUNCTIONS_H

#include <musa_sim/c_library.h>
#include <vector_types.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

/* Bits */
MUSA_SIM_FUNCTION int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
MUSA_SIM_FUNCTION int __clzll(long long x) {
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
MUSA_SIM_FUNCTION int __ffs(int x) { return __builtin_ffs(x); }
MUSA_SIM_FUNCTION int __ffsll(long long x) { return __builtin_ffsll(x); }
MUSA_SIM_FUNCTION int __popc(unsigned x) { return __builtin_popcount(x); }
MUSA_SIM_FUNCTION int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
MUSA_SIM_FUNCTION unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
MUSA_SIM_FUNCTION unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
/* The position of the bit that is |offset|-th set from bit `base` on, upwards or, if offset is negative, downwards. With
 * offset 0, base itself if that bit is set. All ones if there is none. */
MUSA_SIM_FUNCTION unsigned __fns(unsigned mask, unsigned base, int offset) {
    int left = offset == 0 ? 1 : offset < 0 ? -offset : offset;
    const int last = offset == 0 ? static_cast<int>(base) : offset < 0 ? 0 : 31;
    const int step = offset < 0 ? -1 : 1;
    for (int bit = static_cast<int>(base); offset < 0 ? bit >= last : bit <= last; bit += step) {
        left -= bit < 32 && (mask >> bit & 1) != 0;
        if (left == 0) return static_cast<unsigned>(bit);
    }
    return 0xffffffffu;
}

/* Byte i of the result is the byte of {y, x} that the i-th selector names; its high bit replicates
 * the sign. */
MUSA_SIM_FUNCTION unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        // the fourth bit means nothing here, other than in PTX's prmt, for which nvcc clears it
        const unsigned selector = selectors >> (4 * i) & 7;
        result |= (static_cast<unsigned>(bytes >> (8 * selector)) & 0xff) << (8 * i);
    }
    return result;
}
MUSA_SIM_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(
        ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
MUSA_SIM_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >>
                                 (shift & 31));
}
/* The same with shifts clamped to 32 */
MUSA_SIM_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
MUSA_SIM_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}
MUSA_SIM_FUNCTION unsigned __bfe_u32(unsigned x, unsigned first, unsigned count) {
    if (first > 31 || count == 0) return 0;
    return count > 31 ? x >> first : (x >> first) & ((1u << count) - 1);
}

/* Products and averages */
MUSA_SIM_FUNCTION int __mulhi(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
MUSA_SIM_FUNCTION unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
MUSA_SIM_FUNCTION long long __mul64hi(long long x, long long y) {
    return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
MUSA_SIM_FUNCTION unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
MUSA_SIM_FUNCTION unsigned __umul24(unsigned x, unsigned y) {
    return (x & 0xffffffu) * (y & 0xffffffu);
}
MUSA_SIM_FUNCTION int __mul24(int x, int y) {
    const long long signed_x = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
    const long long signed_y = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
    return static_cast<int>(signed_x * signed_y);
}
MUSA_SIM_FUNCTION int __hadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
MUSA_SIM_FUNCTION unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
/* Averages rounded up */
MUSA_SIM_FUNCTION int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
MUSA_SIM_FUNCTION unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

/* The sum of the products of four bytes each, and of an addend */
MUSA_SIM_FUNCTION int __dp4a(int x, int y, int addend) {
    unsigned sum = static_cast<unsigned>(addend);
    for (int i = 0; i < 32; i += 8)
        sum += static_cast<unsigned>(static_cast<signed char>(x >> i) *
                                     static_cast<signed char>(y >> i));
    return static_cast<int>(sum);
}
MUSA_SIM_FUNCTION unsigned __dp4a(unsigned x, unsigned y, unsigned addend) {
    for (int i = 0; i < 32; i += 8) addend += (x >> i & 0xff) * (y >> i & 0xff);
    return addend;
}
/* The same of two halfwords of x and two bytes of y: the lower two, or the upper two */
#define MUSA_SIM_DP2A(name, first, T, Halfword, Byte)                                    \
    MUSA_SIM_FUNCTION T name(T x, T y, T addend) {                                       \
        unsigned sum = static_cast<unsigned>(addend);                                    \
        for (int i = 0; i < 2; ++i)                                                      \
            sum += static_cast<unsigned>(static_cast<Halfword>(x >> (16 * i)) *          \
                                         static_cast<Byte>(y >> (first + 8 * i)));       \
        return static_cast<T>(sum);                                                      \
    }
MUSA_SIM_DP2A(__dp2a_lo, 0, int, short, signed char)
MUSA_SIM_DP2A(__dp2a_hi, 16, int, short, signed char)
MUSA_SIM_DP2A(__dp2a_lo, 0, unsigned, unsigned short, unsigned char)
MUSA_SIM_DP2A(__dp2a_hi, 16, unsigned, unsigned short, unsigned char)
#undef MUSA_SIM_DP2A

/* The same of short vectors */
#define MUSA_SIM_DOT_OF_VECTORS(name, X, Y, T)                  \
    MUSA_SIM_FUNCTION T name(X x, Y y, T addend) {              \
        T first, second;                                        \
        __builtin_memcpy(&first, &x, sizeof first);             \
        __builtin_memcpy(&second, &y, sizeof second);           \
        return name(first, second, addend);                     \
    }
MUSA_SIM_DOT_OF_VECTORS(__dp4a, char4, char4, int)
MUSA_SIM_DOT_OF_VECTORS(__dp4a, uchar4, uchar4, unsigned)
MUSA_SIM_DOT_OF_VECTORS(__dp2a_lo, short2, char4, int)
MUSA_SIM_DOT_OF_VECTORS(__dp2a_hi, short2, char4, int)
MUSA_SIM_DOT_OF_VECTORS(__dp2a_lo, ushort2, uchar4, unsigned)
MUSA_SIM_DOT_OF_VECTORS(__dp2a_hi, ushort2, uchar4, unsigned)
#undef MUSA_SIM_DOT_OF_VECTORS

MUSA_SIM_FUNCTION unsigned __usad(unsigned x, unsigned y, unsigned z) {
    return (x > y ? x - y : y - x) + z;
}
MUSA_SIM_FUNCTION unsigned __sad(int x, int y, unsigned z) {
    const long long difference = static_cast<long long>(x) - y;
    return static_cast<unsigned>(difference < 0 ? -difference : difference) + z;
}

/* The same bits as another type */
#define MUSA_SIM_REINTERPRET(name, To, From)     \
    MUSA_SIM_FUNCTION To name(From from) {       \
        To to;                                   \
        __builtin_memcpy(&to, &from, sizeof to); \
        return to;                               \
    }
MUSA_SIM_REINTERPRET(__float_as_int, int, float)
MUSA_SIM_REINTERPRET(__float_as_uint, unsigned, float)
MUSA_SIM_REINTERPRET(__int_as_float, float, int)
MUSA_SIM_REINTERPRET(__uint_as_float, float, unsigned)
MUSA_SIM_REINTERPRET(__double_as_longlong, long long, double)
MUSA_SIM_REINTERPRET(__longlong_as_double, double, long long)
#undef MUSA_SIM_REINTERPRET

MUSA_SIM_FUNCTION int __double2hiint(double x) {
    return static_cast<int>(__double_as_longlong(x) >> 32);
}
MUSA_SIM_FUNCTION int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
MUSA_SIM_FUNCTION double __hiloint2double(int high, int low) {
    return __longlong_as_double(
        static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                               static_cast<unsigned>(low)));
}

/* Floating point to integer. mcc makes casts saturate, as a GPU does (musa_sim/mcc/passes/conversions.py). */
#define MUSA_SIM_FLOAT_TO_INTEGER(name, Integer, Float, suffix) \
    MUSA_SIM_FUNCTION Integer name##_rn(Float x) {              \
        return static_cast<Integer>(rint##suffix(x));           \
    }                                                           \
    MUSA_SIM_FUNCTION Integer name##_rz(Float x) {              \
        return static_cast<Integer>(trunc##suffix(x));          \
    }                                                           \
    MUSA_SIM_FUNCTION Integer name##_rd(Float x) {              \
        return static_cast<Integer>(floor##suffix(x));          \
    }                                                           \
    MUSA_SIM_FUNCTION Integer name##_ru(Float x) {              \
        return static_cast<Integer>(ceil##suffix(x));           \
    }
MUSA_SIM_FLOAT_TO_INTEGER(__float2int, int, float, f)
MUSA_SIM_FLOAT_TO_INTEGER(__float2uint, unsigned, float, f)
MUSA_SIM_FLOAT_TO_INTEGER(__float2ll, long long, float, f)
MUSA_SIM_FLOAT_TO_INTEGER(__float2ull, unsigned long long, float, f)
MUSA_SIM_FLOAT_TO_INTEGER(__double2int, int, double, )
MUSA_SIM_FLOAT_TO_INTEGER(__double2uint, unsigned, double, )
MUSA_SIM_FLOAT_TO_INTEGER(__double2ll, long long, double, )
MUSA_SIM_FLOAT_TO_INTEGER(__double2ull, unsigned long long, double, )
#undef MUSA_SIM_FLOAT_TO_INTEGER

/* MUSA's own (MUTLASS calls them): to a byte, which is limited to its type's range. A NaN becomes 0. */
#define MUSA_SIM_FLOAT_TO_BYTE(name, Byte, least, most)                                                 \
    MUSA_SIM_FUNCTION Byte name##_rn_sat(float x) {                                                     \
        return static_cast<Byte>(x >= least ? static_cast<int>(rintf(fminf(x, most))) : x < 0 ? least : 0); \
    }                                                                                                   \
    MUSA_SIM_FUNCTION Byte name##_rz_sat(float x) {                                                     \
        return static_cast<Byte>(x >= least ? static_cast<int>(truncf(fminf(x, most))) : x < 0 ? least : 0); \
    }
MUSA_SIM_FLOAT_TO_BYTE(__float2char, signed char, -128, 127)
MUSA_SIM_FLOAT_TO_BYTE(__musa_f2uc, unsigned char, 0, 255)
#undef MUSA_SIM_FLOAT_TO_BYTE

MUSA_SIM_FUNCTION float __int2float_rn(int x) { return static_cast<float>(x); }
MUSA_SIM_FUNCTION float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
MUSA_SIM_FUNCTION float __ll2float_rn(long long x) { return static_cast<float>(x); }
MUSA_SIM_FUNCTION float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
MUSA_SIM_FUNCTION double __int2double_rn(int x) { return x; }
MUSA_SIM_FUNCTION double __uint2double_rn(unsigned x) { return x; }
MUSA_SIM_FUNCTION double __ll2double_rn(long long x) { return static_cast<double>(x); }
MUSA_SIM_FUNCTION double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
MUSA_SIM_FUNCTION float __double2float_rn(double x) { return static_cast<float>(x); }

#undef MUSA_SIM_FUNCTION

#endif
