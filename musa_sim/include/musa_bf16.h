/* bfloat16: __mt_bfloat16 and __mt_bfloat162.
 *
 * The operations and conversions are those of CUDA's header of the same purpose, under MUSA's
 * names. Any C++ compiler; host and device. Every operation rounds to nearest even.
 */
#ifndef MUSA_BF16_H
#define MUSA_BF16_H

#include <host_defines.h>
#include <musa_sim/float16_conversion.h>
#include <vector_functions.h>
#if defined(__MUSACC__)
#include <musa_sim/atomic_functions.h>
#include <musa_sim/integer_functions.h>
#endif

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

struct __mt_bfloat16_raw {
    unsigned short x;
};
struct __mt_bfloat162_raw {
    unsigned short x, y;
};

struct __align__(2) __mt_bfloat16 {
    unsigned short __x;

    __mt_bfloat16() = default;
    MUSA_SIM_FUNCTION __mt_bfloat16(const __mt_bfloat16_raw& raw) : __x(raw.x) {}
    MUSA_SIM_FUNCTION operator __mt_bfloat16_raw() const { return __mt_bfloat16_raw{__x}; }
    MUSA_SIM_FUNCTION __mt_bfloat16& operator=(const __mt_bfloat16_raw& raw) {
        __x = raw.x;
        return *this;
    }

#if !defined(__MUSA_NO_BFLOAT16_CONVERSIONS__)
    MUSA_SIM_FUNCTION __mt_bfloat16(float value) : __x(musa_sim_detail::bfloat16_of(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(double value) : __x(musa_sim_detail::narrow<8, 7>(value)) {}
    MUSA_SIM_FUNCTION operator float() const { return musa_sim_detail::float_of_bfloat16(__x); }
    /* Integers: directly to the 16-bit format where float would round once more */
    MUSA_SIM_FUNCTION __mt_bfloat16(short value) : __mt_bfloat16(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(unsigned short value)
        : __mt_bfloat16(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(int value) : __mt_bfloat16(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(unsigned value) : __mt_bfloat16(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(long value)
        : __mt_bfloat16(musa_sim_detail::odd_rounded(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(unsigned long value)
        : __mt_bfloat16(musa_sim_detail::odd_rounded(value)) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(long long value)
        : __mt_bfloat16(musa_sim_detail::odd_rounded(static_cast<long>(value))) {}
    MUSA_SIM_FUNCTION __mt_bfloat16(unsigned long long value)
        : __mt_bfloat16(musa_sim_detail::odd_rounded(static_cast<unsigned long>(value))) {}
#endif
};

struct __align__(4) __mt_bfloat162 {
    __mt_bfloat16 x, y;

    __mt_bfloat162() = default;
    MUSA_SIM_FUNCTION __mt_bfloat162(const __mt_bfloat16& low, const __mt_bfloat16& high)
        : x(low), y(high) {}
    MUSA_SIM_FUNCTION __mt_bfloat162(const __mt_bfloat162_raw& raw)
        : x(__mt_bfloat16_raw{raw.x}), y(__mt_bfloat16_raw{raw.y}) {}
    MUSA_SIM_FUNCTION operator __mt_bfloat162_raw() const {
        return __mt_bfloat162_raw{x.__x, y.__x};
    }
};

typedef __mt_bfloat16 mt_bfloat16;
typedef __mt_bfloat162 mt_bfloat162;

/* Conversion */
MUSA_SIM_FUNCTION float __bfloat162float(__mt_bfloat16 a) {
    return musa_sim_detail::float_of_bfloat16(a.__x);
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16_rn(float a) {
    return __mt_bfloat16_raw{musa_sim_detail::bfloat16_of(a)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16(float a) { return __float2bfloat16_rn(a); }
MUSA_SIM_FUNCTION __mt_bfloat16 __double2bfloat16(double a) {
    return __mt_bfloat16_raw{musa_sim_detail::narrow<8, 7>(a)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16_rz(float a) {
    return __mt_bfloat16_raw{
        musa_sim_detail::narrow<8, 7>(a, musa_sim_detail::Rounding::toward_zero)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16_ru(float a) {
    return __mt_bfloat16_raw{musa_sim_detail::narrow<8, 7>(a, musa_sim_detail::Rounding::up)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16_rd(float a) {
    return __mt_bfloat16_raw{musa_sim_detail::narrow<8, 7>(a, musa_sim_detail::Rounding::down)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __int2bfloat16_rn(int a) { return __double2bfloat16(a); }
MUSA_SIM_FUNCTION __mt_bfloat16 __uint2bfloat16_rn(unsigned a) { return __double2bfloat16(a); }
MUSA_SIM_FUNCTION __mt_bfloat16 __short2bfloat16_rn(short a) { return __double2bfloat16(a); }
MUSA_SIM_FUNCTION __mt_bfloat16 __ushort2bfloat16_rn(unsigned short a) {
    return __double2bfloat16(a);
}
MUSA_SIM_FUNCTION __mt_bfloat16 __ll2bfloat16_rn(long long a) {
    return __double2bfloat16(musa_sim_detail::odd_rounded(static_cast<long>(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __ull2bfloat16_rn(unsigned long long a) {
    return __double2bfloat16(musa_sim_detail::odd_rounded(static_cast<unsigned long>(a)));
}

#if defined(__MUSACC__)
MUSA_SIM_FUNCTION int __bfloat162int_rn(__mt_bfloat16 a) {
    return __float2int_rn(__bfloat162float(a));
}
MUSA_SIM_FUNCTION int __bfloat162int_rz(__mt_bfloat16 a) {
    return __float2int_rz(__bfloat162float(a));
}
MUSA_SIM_FUNCTION int __bfloat162int_rd(__mt_bfloat16 a) {
    return __float2int_rd(__bfloat162float(a));
}
MUSA_SIM_FUNCTION int __bfloat162int_ru(__mt_bfloat16 a) {
    return __float2int_ru(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned __bfloat162uint_rn(__mt_bfloat16 a) {
    return __float2uint_rn(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned __bfloat162uint_rz(__mt_bfloat16 a) {
    return __float2uint_rz(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned __bfloat162uint_rd(__mt_bfloat16 a) {
    return __float2uint_rd(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned __bfloat162uint_ru(__mt_bfloat16 a) {
    return __float2uint_ru(__bfloat162float(a));
}
MUSA_SIM_FUNCTION long long __bfloat162ll_rn(__mt_bfloat16 a) {
    return __float2ll_rn(__bfloat162float(a));
}
MUSA_SIM_FUNCTION long long __bfloat162ll_rz(__mt_bfloat16 a) {
    return __float2ll_rz(__bfloat162float(a));
}
MUSA_SIM_FUNCTION long long __bfloat162ll_rd(__mt_bfloat16 a) {
    return __float2ll_rd(__bfloat162float(a));
}
MUSA_SIM_FUNCTION long long __bfloat162ll_ru(__mt_bfloat16 a) {
    return __float2ll_ru(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned long long __bfloat162ull_rn(__mt_bfloat16 a) {
    return __float2ull_rn(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned long long __bfloat162ull_rz(__mt_bfloat16 a) {
    return __float2ull_rz(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned long long __bfloat162ull_rd(__mt_bfloat16 a) {
    return __float2ull_rd(__bfloat162float(a));
}
MUSA_SIM_FUNCTION unsigned long long __bfloat162ull_ru(__mt_bfloat16 a) {
    return __float2ull_ru(__bfloat162float(a));
}
#endif

MUSA_SIM_FUNCTION short __bfloat16_as_short(__mt_bfloat16 a) { return static_cast<short>(a.__x); }
MUSA_SIM_FUNCTION unsigned short __bfloat16_as_ushort(__mt_bfloat16 a) { return a.__x; }
MUSA_SIM_FUNCTION __mt_bfloat16 __short_as_bfloat16(short a) {
    return __mt_bfloat16_raw{static_cast<unsigned short>(a)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __ushort_as_bfloat16(unsigned short a) {
    return __mt_bfloat16_raw{a};
}

namespace musa_sim_detail {
/* Between 0 and 1; a NaN becomes 0. */
MUSA_SIM_FUNCTION __mt_bfloat16 saturated(__mt_bfloat16 a) {
    const float value = __bfloat162float(a);
    return __float2bfloat16_rn(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
}  // namespace musa_sim_detail

/* Arithmetic: computed in float and rounded once more, which for + - * / and sqrt gives the
 * correctly rounded result */
MUSA_SIM_FUNCTION __mt_bfloat16 __hadd(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hsub(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) - __bfloat162float(b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hmul(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) * __bfloat162float(b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hdiv(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) / __bfloat162float(b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hadd_rn(__mt_bfloat16 a, __mt_bfloat16 b) { return __hadd(a, b); }
MUSA_SIM_FUNCTION __mt_bfloat16 __hsub_rn(__mt_bfloat16 a, __mt_bfloat16 b) { return __hsub(a, b); }
MUSA_SIM_FUNCTION __mt_bfloat16 __hmul_rn(__mt_bfloat16 a, __mt_bfloat16 b) { return __hmul(a, b); }
MUSA_SIM_FUNCTION __mt_bfloat16 __hneg(__mt_bfloat16 a) {
    return __mt_bfloat16(__mt_bfloat16_raw{static_cast<unsigned short>(a.__x ^ 0x8000)});
}
MUSA_SIM_FUNCTION __mt_bfloat16 __habs(__mt_bfloat16 a) {
    return __mt_bfloat16(__mt_bfloat16_raw{static_cast<unsigned short>(a.__x & 0x7fff)});
}
/* The product of two such numbers is exact in double; the sum is rounded to double, then to the
 * result. */
MUSA_SIM_FUNCTION __mt_bfloat16 __hfma(__mt_bfloat16 a, __mt_bfloat16 b, __mt_bfloat16 c) {
    return __double2bfloat16(static_cast<double>(__bfloat162float(a)) * __bfloat162float(b) +
                             __bfloat162float(c));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hfma_relu(__mt_bfloat16 a, __mt_bfloat16 b, __mt_bfloat16 c) {
    const __mt_bfloat16 value = __hfma(a, b, c);
    return __bfloat162float(value) < 0.0f ? __mt_bfloat16(__mt_bfloat16_raw{0}) : value;
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hadd_sat(__mt_bfloat16 a, __mt_bfloat16 b) {
    return musa_sim_detail::saturated(__hadd(a, b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hsub_sat(__mt_bfloat16 a, __mt_bfloat16 b) {
    return musa_sim_detail::saturated(__hsub(a, b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hmul_sat(__mt_bfloat16 a, __mt_bfloat16 b) {
    return musa_sim_detail::saturated(__hmul(a, b));
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hfma_sat(__mt_bfloat16 a, __mt_bfloat16 b, __mt_bfloat16 c) {
    return musa_sim_detail::saturated(__hfma(a, b, c));
}

/* Comparison; the ones that end in u are also true if an operand is a NaN */
MUSA_SIM_FUNCTION bool __heq(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) == __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hne(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) < __bfloat162float(b) || __bfloat162float(a) > __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hlt(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) < __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hle(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) <= __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hgt(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) > __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hge(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __bfloat162float(a) >= __bfloat162float(b);
}
MUSA_SIM_FUNCTION bool __hequ(__mt_bfloat16 a, __mt_bfloat16 b) { return !__hne(a, b); }
MUSA_SIM_FUNCTION bool __hneu(__mt_bfloat16 a, __mt_bfloat16 b) { return !__heq(a, b); }
MUSA_SIM_FUNCTION bool __hltu(__mt_bfloat16 a, __mt_bfloat16 b) { return !__hge(a, b); }
MUSA_SIM_FUNCTION bool __hleu(__mt_bfloat16 a, __mt_bfloat16 b) { return !__hgt(a, b); }
MUSA_SIM_FUNCTION bool __hgtu(__mt_bfloat16 a, __mt_bfloat16 b) { return !__hle(a, b); }
MUSA_SIM_FUNCTION bool __hgeu(__mt_bfloat16 a, __mt_bfloat16 b) { return !__hlt(a, b); }
MUSA_SIM_FUNCTION bool __hisnan(__mt_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
/* 1, -1 or 0 as the value is +infinity, -infinity or neither */
MUSA_SIM_FUNCTION int __hisinf(__mt_bfloat16 a) {
    return (a.__x & 0x7fff) != 0x7f80 ? 0 : a.__x == 0x7f80 ? 1 : -1;
}

/* Of a number and a NaN, the number; the _nan forms give the NaN. */
MUSA_SIM_FUNCTION __mt_bfloat16 __hmax(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(a, b) ? b : a;
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hmin(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(b, a) ? b : a;
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hmax_nan(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16 __hmin_nan(__mt_bfloat16 a, __mt_bfloat16 b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}

#if !defined(__MUSA_NO_BFLOAT16_OPERATORS__)
MUSA_SIM_FUNCTION __mt_bfloat16 operator+(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hadd(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16 operator-(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hsub(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16 operator*(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hmul(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16 operator/(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hdiv(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16 operator+(const __mt_bfloat16& a) { return a; }
MUSA_SIM_FUNCTION __mt_bfloat16 operator-(const __mt_bfloat16& a) { return __hneg(a); }
MUSA_SIM_FUNCTION __mt_bfloat16& operator+=(__mt_bfloat16& a, const __mt_bfloat16& b) {
    return a = __hadd(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16& operator-=(__mt_bfloat16& a, const __mt_bfloat16& b) {
    return a = __hsub(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16& operator*=(__mt_bfloat16& a, const __mt_bfloat16& b) {
    return a = __hmul(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16& operator/=(__mt_bfloat16& a, const __mt_bfloat16& b) {
    return a = __hdiv(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat16& operator++(__mt_bfloat16& a) {
    return a = __hadd(a, __float2bfloat16_rn(1.0f));
}
MUSA_SIM_FUNCTION __mt_bfloat16& operator--(__mt_bfloat16& a) {
    return a = __hsub(a, __float2bfloat16_rn(1.0f));
}
MUSA_SIM_FUNCTION bool operator==(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __heq(a, b);
}
MUSA_SIM_FUNCTION bool operator!=(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hneu(a, b);
}
MUSA_SIM_FUNCTION bool operator<(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hlt(a, b);
}
MUSA_SIM_FUNCTION bool operator<=(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hle(a, b);
}
MUSA_SIM_FUNCTION bool operator>(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hgt(a, b);
}
MUSA_SIM_FUNCTION bool operator>=(const __mt_bfloat16& a, const __mt_bfloat16& b) {
    return __hge(a, b);
}
#endif

/* Functions, computed in float */
MUSA_SIM_FUNCTION __mt_bfloat16 hsqrt(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_sqrtf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hrsqrt(__mt_bfloat16 a) {
    return __float2bfloat16_rn(1.0f / __builtin_sqrtf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hrcp(__mt_bfloat16 a) {
    return __float2bfloat16_rn(1.0f / __bfloat162float(a));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hexp(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_expf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hexp2(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_exp2f(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hlog(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_logf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hlog2(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_log2f(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hlog10(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_log10f(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hsin(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_sinf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hcos(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_cosf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 htanh(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_tanhf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hfloor(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_floorf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hceil(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_ceilf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 htrunc(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_truncf(__bfloat162float(a)));
}
MUSA_SIM_FUNCTION __mt_bfloat16 hrint(__mt_bfloat16 a) {
    return __float2bfloat16_rn(__builtin_rintf(__bfloat162float(a)));
}

/* Pairs: the same, twice */
MUSA_SIM_FUNCTION __mt_bfloat162 make_bfloat162(__mt_bfloat16 low, __mt_bfloat16 high) {
    return __mt_bfloat162(low, high);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __halves2bfloat162(__mt_bfloat16 low, __mt_bfloat16 high) {
    return __mt_bfloat162(low, high);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __bfloat162bfloat162(__mt_bfloat16 a) {
    return __mt_bfloat162(a, a);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __float2bfloat162_rn(float a) {
    return __mt_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(a));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __floats2bfloat162_rn(float low, float high) {
    return __mt_bfloat162(__float2bfloat16_rn(low), __float2bfloat16_rn(high));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __float22bfloat162_rn(float2 a) {
    return __floats2bfloat162_rn(a.x, a.y);
}
MUSA_SIM_FUNCTION float2 __bfloat1622float2(__mt_bfloat162 a) {
    return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
MUSA_SIM_FUNCTION float __low2float(__mt_bfloat162 a) { return __bfloat162float(a.x); }
MUSA_SIM_FUNCTION float __high2float(__mt_bfloat162 a) { return __bfloat162float(a.y); }
MUSA_SIM_FUNCTION __mt_bfloat16 __low2bfloat16(__mt_bfloat162 a) { return a.x; }
MUSA_SIM_FUNCTION __mt_bfloat16 __high2bfloat16(__mt_bfloat162 a) { return a.y; }
MUSA_SIM_FUNCTION __mt_bfloat162 __low2bfloat162(__mt_bfloat162 a) {
    return __mt_bfloat162(a.x, a.x);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __high2bfloat162(__mt_bfloat162 a) {
    return __mt_bfloat162(a.y, a.y);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __lowhigh2highlow(__mt_bfloat162 a) {
    return __mt_bfloat162(a.y, a.x);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __lows2bfloat162(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(a.x, b.x);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __highs2bfloat162(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(a.y, b.y);
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hadd2(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hsub2(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hmul2(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __h2div(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hfma2(__mt_bfloat162 a, __mt_bfloat162 b, __mt_bfloat162 c) {
    return __mt_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hneg2(__mt_bfloat162 a) {
    return __mt_bfloat162(__hneg(a.x), __hneg(a.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __habs2(__mt_bfloat162 a) {
    return __mt_bfloat162(__habs(a.x), __habs(a.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hmax2(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 __hmin2(__mt_bfloat162 a, __mt_bfloat162 b) {
    return __mt_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 h2exp(__mt_bfloat162 a) {
    return __mt_bfloat162(hexp(a.x), hexp(a.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 h2sqrt(__mt_bfloat162 a) {
    return __mt_bfloat162(hsqrt(a.x), hsqrt(a.y));
}
MUSA_SIM_FUNCTION __mt_bfloat162 h2rsqrt(__mt_bfloat162 a) {
    return __mt_bfloat162(hrsqrt(a.x), hrsqrt(a.y));
}
#if !defined(__MUSA_NO_BFLOAT162_OPERATORS__)
MUSA_SIM_FUNCTION __mt_bfloat162 operator+(const __mt_bfloat162& a, const __mt_bfloat162& b) {
    return __hadd2(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162 operator-(const __mt_bfloat162& a, const __mt_bfloat162& b) {
    return __hsub2(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162 operator*(const __mt_bfloat162& a, const __mt_bfloat162& b) {
    return __hmul2(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162 operator/(const __mt_bfloat162& a, const __mt_bfloat162& b) {
    return __h2div(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162 operator-(const __mt_bfloat162& a) { return __hneg2(a); }
MUSA_SIM_FUNCTION __mt_bfloat162& operator+=(__mt_bfloat162& a, const __mt_bfloat162& b) {
    return a = __hadd2(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162& operator-=(__mt_bfloat162& a, const __mt_bfloat162& b) {
    return a = __hsub2(a, b);
}
MUSA_SIM_FUNCTION __mt_bfloat162& operator*=(__mt_bfloat162& a, const __mt_bfloat162& b) {
    return a = __hmul2(a, b);
}
#endif

#if defined(__MUSACC__)
__device__ __forceinline__ __mt_bfloat16 atomicAdd(__mt_bfloat16* address, __mt_bfloat16 value) {
    return __musa_sim_atomic_update<unsigned short>(
        address, [value](__mt_bfloat16 old) { return __hadd(old, value); });
}
__device__ __forceinline__ __mt_bfloat162 atomicAdd(__mt_bfloat162* address, __mt_bfloat162 value) {
    return __musa_sim_atomic_update<unsigned>(
        address, [value](__mt_bfloat162 old) { return __hadd2(old, value); });
}
#endif

#undef MUSA_SIM_FUNCTION

#endif
