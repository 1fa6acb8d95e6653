/* IEEE half precision: __half and __half2.
 *
 * The operations and conversions are those of CUDA's header of the same purpose, under MUSA's
 * names. Any C++ compiler; host and device. Every operation rounds to nearest even.
 */
#ifndef MUSA_FP16_H
#define MUSA_FP16_H

#include <host_defines.h>
#include <musa_sim/float16_conversion.h>
#include <vector_functions.h>
#if defined(__MUSACC__)
#include <musa_sim/atomic_functions.h>
#include <musa_sim/integer_functions.h>
#endif

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

struct __align__(2) __half {
    unsigned short __x;

    __half() = default;
    MUSA_SIM_FUNCTION __half(const __half_raw& raw) : __x(raw.x) {}
    MUSA_SIM_FUNCTION operator __half_raw() const { return __half_raw{__x}; }
    MUSA_SIM_FUNCTION __half& operator=(const __half_raw& raw) {
        __x = raw.x;
        return *this;
    }

#if !defined(__MUSA_NO_HALF_CONVERSIONS__)
    MUSA_SIM_FUNCTION __half(float value) : __x(musa_sim_detail::half_of(value)) {}
    MUSA_SIM_FUNCTION __half(double value) : __x(musa_sim_detail::narrow<5, 10>(value)) {}
    MUSA_SIM_FUNCTION operator float() const { return musa_sim_detail::float_of_half(__x); }
    /* Integers: directly to the 16-bit format where float would round once more */
    MUSA_SIM_FUNCTION __half(short value) : __half(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __half(unsigned short value) : __half(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __half(int value) : __half(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __half(unsigned value) : __half(static_cast<double>(value)) {}
    MUSA_SIM_FUNCTION __half(long value) : __half(musa_sim_detail::odd_rounded(value)) {}
    MUSA_SIM_FUNCTION __half(unsigned long value) : __half(musa_sim_detail::odd_rounded(value)) {}
    MUSA_SIM_FUNCTION __half(long long value)
        : __half(musa_sim_detail::odd_rounded(static_cast<long>(value))) {}
    MUSA_SIM_FUNCTION __half(unsigned long long value)
        : __half(musa_sim_detail::odd_rounded(static_cast<unsigned long>(value))) {}
#endif
};

struct __align__(4) __half2 {
    __half x, y;

    __half2() = default;
    MUSA_SIM_FUNCTION __half2(const __half& low, const __half& high) : x(low), y(high) {}
    MUSA_SIM_FUNCTION __half2(const __half2_raw& raw)
        : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    MUSA_SIM_FUNCTION operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

typedef __half half;
typedef __half2 half2;

/* Conversion */
MUSA_SIM_FUNCTION float __half2float(__half a) { return musa_sim_detail::float_of_half(a.__x); }
MUSA_SIM_FUNCTION __half __float2half_rn(float a) {
    return __half_raw{musa_sim_detail::half_of(a)};
}
MUSA_SIM_FUNCTION __half __float2half(float a) { return __float2half_rn(a); }
MUSA_SIM_FUNCTION __half __double2half(double a) {
    return __half_raw{musa_sim_detail::narrow<5, 10>(a)};
}
MUSA_SIM_FUNCTION __half __float2half_rz(float a) {
    return __half_raw{musa_sim_detail::narrow<5, 10>(a, musa_sim_detail::Rounding::toward_zero)};
}
MUSA_SIM_FUNCTION __half __float2half_ru(float a) {
    return __half_raw{musa_sim_detail::narrow<5, 10>(a, musa_sim_detail::Rounding::up)};
}
MUSA_SIM_FUNCTION __half __float2half_rd(float a) {
    return __half_raw{musa_sim_detail::narrow<5, 10>(a, musa_sim_detail::Rounding::down)};
}
MUSA_SIM_FUNCTION __half __int2half_rn(int a) { return __double2half(a); }
MUSA_SIM_FUNCTION __half __uint2half_rn(unsigned a) { return __double2half(a); }
MUSA_SIM_FUNCTION __half __short2half_rn(short a) { return __double2half(a); }
MUSA_SIM_FUNCTION __half __ushort2half_rn(unsigned short a) { return __double2half(a); }
MUSA_SIM_FUNCTION __half __ll2half_rn(long long a) {
    return __double2half(musa_sim_detail::odd_rounded(static_cast<long>(a)));
}
MUSA_SIM_FUNCTION __half __ull2half_rn(unsigned long long a) {
    return __double2half(musa_sim_detail::odd_rounded(static_cast<unsigned long>(a)));
}

#if defined(__MUSACC__)
MUSA_SIM_FUNCTION int __half2int_rn(__half a) { return __float2int_rn(__half2float(a)); }
MUSA_SIM_FUNCTION int __half2int_rz(__half a) { return __float2int_rz(__half2float(a)); }
MUSA_SIM_FUNCTION int __half2int_rd(__half a) { return __float2int_rd(__half2float(a)); }
MUSA_SIM_FUNCTION int __half2int_ru(__half a) { return __float2int_ru(__half2float(a)); }
MUSA_SIM_FUNCTION unsigned __half2uint_rn(__half a) { return __float2uint_rn(__half2float(a)); }
MUSA_SIM_FUNCTION unsigned __half2uint_rz(__half a) { return __float2uint_rz(__half2float(a)); }
MUSA_SIM_FUNCTION unsigned __half2uint_rd(__half a) { return __float2uint_rd(__half2float(a)); }
MUSA_SIM_FUNCTION unsigned __half2uint_ru(__half a) { return __float2uint_ru(__half2float(a)); }
MUSA_SIM_FUNCTION long long __half2ll_rn(__half a) { return __float2ll_rn(__half2float(a)); }
MUSA_SIM_FUNCTION long long __half2ll_rz(__half a) { return __float2ll_rz(__half2float(a)); }
MUSA_SIM_FUNCTION long long __half2ll_rd(__half a) { return __float2ll_rd(__half2float(a)); }
MUSA_SIM_FUNCTION long long __half2ll_ru(__half a) { return __float2ll_ru(__half2float(a)); }
MUSA_SIM_FUNCTION unsigned long long __half2ull_rn(__half a) {
    return __float2ull_rn(__half2float(a));
}
MUSA_SIM_FUNCTION unsigned long long __half2ull_rz(__half a) {
    return __float2ull_rz(__half2float(a));
}
MUSA_SIM_FUNCTION unsigned long long __half2ull_rd(__half a) {
    return __float2ull_rd(__half2float(a));
}
MUSA_SIM_FUNCTION unsigned long long __half2ull_ru(__half a) {
    return __float2ull_ru(__half2float(a));
}
#endif

MUSA_SIM_FUNCTION short __half_as_short(__half a) { return static_cast<short>(a.__x); }
MUSA_SIM_FUNCTION unsigned short __half_as_ushort(__half a) { return a.__x; }
MUSA_SIM_FUNCTION __half __short_as_half(short a) {
    return __half_raw{static_cast<unsigned short>(a)};
}
MUSA_SIM_FUNCTION __half __ushort_as_half(unsigned short a) { return __half_raw{a}; }

namespace musa_sim_detail {
/* Between 0 and 1; a NaN becomes 0. */
MUSA_SIM_FUNCTION __half saturated(__half a) {
    const float value = __half2float(a);
    return __float2half_rn(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
}  // namespace musa_sim_detail

/* Arithmetic: computed in float and rounded once more, which for + - * / and sqrt gives the
 * correctly rounded result */
MUSA_SIM_FUNCTION __half __hadd(__half a, __half b) {
    return __float2half_rn(__half2float(a) + __half2float(b));
}
MUSA_SIM_FUNCTION __half __hsub(__half a, __half b) {
    return __float2half_rn(__half2float(a) - __half2float(b));
}
MUSA_SIM_FUNCTION __half __hmul(__half a, __half b) {
    return __float2half_rn(__half2float(a) * __half2float(b));
}
MUSA_SIM_FUNCTION __half __hdiv(__half a, __half b) {
    return __float2half_rn(__half2float(a) / __half2float(b));
}
MUSA_SIM_FUNCTION __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
MUSA_SIM_FUNCTION __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
MUSA_SIM_FUNCTION __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
MUSA_SIM_FUNCTION __half __hneg(__half a) {
    return __half(__half_raw{static_cast<unsigned short>(a.__x ^ 0x8000)});
}
MUSA_SIM_FUNCTION __half __habs(__half a) {
    return __half(__half_raw{static_cast<unsigned short>(a.__x & 0x7fff)});
}
/* The product of two such numbers is exact in double; the sum is rounded to double, then to the
 * result. */
MUSA_SIM_FUNCTION __half __hfma(__half a, __half b, __half c) {
    return __double2half(static_cast<double>(__half2float(a)) * __half2float(b) + __half2float(c));
}
MUSA_SIM_FUNCTION __half __hfma_relu(__half a, __half b, __half c) {
    const __half value = __hfma(a, b, c);
    return __half2float(value) < 0.0f ? __half(__half_raw{0}) : value;
}
MUSA_SIM_FUNCTION __half __hadd_sat(__half a, __half b) {
    return musa_sim_detail::saturated(__hadd(a, b));
}
MUSA_SIM_FUNCTION __half __hsub_sat(__half a, __half b) {
    return musa_sim_detail::saturated(__hsub(a, b));
}
MUSA_SIM_FUNCTION __half __hmul_sat(__half a, __half b) {
    return musa_sim_detail::saturated(__hmul(a, b));
}
MUSA_SIM_FUNCTION __half __hfma_sat(__half a, __half b, __half c) {
    return musa_sim_detail::saturated(__hfma(a, b, c));
}

/* Comparison; the ones that end in u are also true if an operand is a NaN */
MUSA_SIM_FUNCTION bool __heq(__half a, __half b) { return __half2float(a) == __half2float(b); }
MUSA_SIM_FUNCTION bool __hne(__half a, __half b) {
    return __half2float(a) < __half2float(b) || __half2float(a) > __half2float(b);
}
MUSA_SIM_FUNCTION bool __hlt(__half a, __half b) { return __half2float(a) < __half2float(b); }
MUSA_SIM_FUNCTION bool __hle(__half a, __half b) { return __half2float(a) <= __half2float(b); }
MUSA_SIM_FUNCTION bool __hgt(__half a, __half b) { return __half2float(a) > __half2float(b); }
MUSA_SIM_FUNCTION bool __hge(__half a, __half b) { return __half2float(a) >= __half2float(b); }
MUSA_SIM_FUNCTION bool __hequ(__half a, __half b) { return !__hne(a, b); }
MUSA_SIM_FUNCTION bool __hneu(__half a, __half b) { return !__heq(a, b); }
MUSA_SIM_FUNCTION bool __hltu(__half a, __half b) { return !__hge(a, b); }
MUSA_SIM_FUNCTION bool __hleu(__half a, __half b) { return !__hgt(a, b); }
MUSA_SIM_FUNCTION bool __hgtu(__half a, __half b) { return !__hle(a, b); }
MUSA_SIM_FUNCTION bool __hgeu(__half a, __half b) { return !__hlt(a, b); }
MUSA_SIM_FUNCTION bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
/* 1, -1 or 0 as the value is +infinity, -infinity or neither */
MUSA_SIM_FUNCTION int __hisinf(__half a) {
    return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x == 0x7c00 ? 1 : -1;
}

/* Of a number and a NaN, the number; the _nan forms give the NaN. */
MUSA_SIM_FUNCTION __half __hmax(__half a, __half b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(a, b) ? b : a;
}
MUSA_SIM_FUNCTION __half __hmin(__half a, __half b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(b, a) ? b : a;
}
MUSA_SIM_FUNCTION __half __hmax_nan(__half a, __half b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
MUSA_SIM_FUNCTION __half __hmin_nan(__half a, __half b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}

#if !defined(__MUSA_NO_HALF_OPERATORS__)
MUSA_SIM_FUNCTION __half operator+(const __half& a, const __half& b) { return __hadd(a, b); }
MUSA_SIM_FUNCTION __half operator-(const __half& a, const __half& b) { return __hsub(a, b); }
MUSA_SIM_FUNCTION __half operator*(const __half& a, const __half& b) { return __hmul(a, b); }
MUSA_SIM_FUNCTION __half operator/(const __half& a, const __half& b) { return __hdiv(a, b); }
MUSA_SIM_FUNCTION __half operator+(const __half& a) { return a; }
MUSA_SIM_FUNCTION __half operator-(const __half& a) { return __hneg(a); }
MUSA_SIM_FUNCTION __half& operator+=(__half& a, const __half& b) { return a = __hadd(a, b); }
MUSA_SIM_FUNCTION __half& operator-=(__half& a, const __half& b) { return a = __hsub(a, b); }
MUSA_SIM_FUNCTION __half& operator*=(__half& a, const __half& b) { return a = __hmul(a, b); }
MUSA_SIM_FUNCTION __half& operator/=(__half& a, const __half& b) { return a = __hdiv(a, b); }
MUSA_SIM_FUNCTION __half& operator++(__half& a) { return a = __hadd(a, __float2half_rn(1.0f)); }
MUSA_SIM_FUNCTION __half& operator--(__half& a) { return a = __hsub(a, __float2half_rn(1.0f)); }
MUSA_SIM_FUNCTION bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
MUSA_SIM_FUNCTION bool operator!=(const __half& a, const __half& b) { return __hneu(a, b); }
MUSA_SIM_FUNCTION bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
MUSA_SIM_FUNCTION bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
MUSA_SIM_FUNCTION bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
MUSA_SIM_FUNCTION bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }
#endif

/* Functions, computed in float */
MUSA_SIM_FUNCTION __half hsqrt(__half a) {
    return __float2half_rn(__builtin_sqrtf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hrsqrt(__half a) {
    return __float2half_rn(1.0f / __builtin_sqrtf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hrcp(__half a) { return __float2half_rn(1.0f / __half2float(a)); }
MUSA_SIM_FUNCTION __half hexp(__half a) { return __float2half_rn(__builtin_expf(__half2float(a))); }
MUSA_SIM_FUNCTION __half hexp2(__half a) {
    return __float2half_rn(__builtin_exp2f(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hlog(__half a) { return __float2half_rn(__builtin_logf(__half2float(a))); }
MUSA_SIM_FUNCTION __half hlog2(__half a) {
    return __float2half_rn(__builtin_log2f(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hlog10(__half a) {
    return __float2half_rn(__builtin_log10f(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hsin(__half a) { return __float2half_rn(__builtin_sinf(__half2float(a))); }
MUSA_SIM_FUNCTION __half hcos(__half a) { return __float2half_rn(__builtin_cosf(__half2float(a))); }
MUSA_SIM_FUNCTION __half htanh(__half a) {
    return __float2half_rn(__builtin_tanhf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hfloor(__half a) {
    return __float2half_rn(__builtin_floorf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hceil(__half a) {
    return __float2half_rn(__builtin_ceilf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half htrunc(__half a) {
    return __float2half_rn(__builtin_truncf(__half2float(a)));
}
MUSA_SIM_FUNCTION __half hrint(__half a) {
    return __float2half_rn(__builtin_rintf(__half2float(a)));
}

/* Pairs: the same, twice */
MUSA_SIM_FUNCTION __half2 make_half2(__half low, __half high) { return __half2(low, high); }
MUSA_SIM_FUNCTION __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
MUSA_SIM_FUNCTION __half2 __half2half2(__half a) { return __half2(a, a); }
MUSA_SIM_FUNCTION __half2 __float2half2_rn(float a) {
    return __half2(__float2half_rn(a), __float2half_rn(a));
}
MUSA_SIM_FUNCTION __half2 __floats2half2_rn(float low, float high) {
    return __half2(__float2half_rn(low), __float2half_rn(high));
}
MUSA_SIM_FUNCTION __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
MUSA_SIM_FUNCTION float2 __half22float2(__half2 a) {
    return make_float2(__half2float(a.x), __half2float(a.y));
}
MUSA_SIM_FUNCTION float __low2float(__half2 a) { return __half2float(a.x); }
MUSA_SIM_FUNCTION float __high2float(__half2 a) { return __half2float(a.y); }
MUSA_SIM_FUNCTION __half __low2half(__half2 a) { return a.x; }
MUSA_SIM_FUNCTION __half __high2half(__half2 a) { return a.y; }
MUSA_SIM_FUNCTION __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
MUSA_SIM_FUNCTION __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
MUSA_SIM_FUNCTION __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
MUSA_SIM_FUNCTION __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
MUSA_SIM_FUNCTION __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
MUSA_SIM_FUNCTION __half2 __hadd2(__half2 a, __half2 b) {
    return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 __hsub2(__half2 a, __half2 b) {
    return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 __hmul2(__half2 a, __half2 b) {
    return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 __h2div(__half2 a, __half2 b) {
    return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
MUSA_SIM_FUNCTION __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
MUSA_SIM_FUNCTION __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
MUSA_SIM_FUNCTION __half2 __hmax2(__half2 a, __half2 b) {
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 __hmin2(__half2 a, __half2 b) {
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
MUSA_SIM_FUNCTION __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
MUSA_SIM_FUNCTION __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
MUSA_SIM_FUNCTION __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
#if !defined(__MUSA_NO_HALF2_OPERATORS__)
MUSA_SIM_FUNCTION __half2 operator+(const __half2& a, const __half2& b) { return __hadd2(a, b); }
MUSA_SIM_FUNCTION __half2 operator-(const __half2& a, const __half2& b) { return __hsub2(a, b); }
MUSA_SIM_FUNCTION __half2 operator*(const __half2& a, const __half2& b) { return __hmul2(a, b); }
MUSA_SIM_FUNCTION __half2 operator/(const __half2& a, const __half2& b) { return __h2div(a, b); }
MUSA_SIM_FUNCTION __half2 operator-(const __half2& a) { return __hneg2(a); }
MUSA_SIM_FUNCTION __half2& operator+=(__half2& a, const __half2& b) { return a = __hadd2(a, b); }
MUSA_SIM_FUNCTION __half2& operator-=(__half2& a, const __half2& b) { return a = __hsub2(a, b); }
MUSA_SIM_FUNCTION __half2& operator*=(__half2& a, const __half2& b) { return a = __hmul2(a, b); }
#endif

#if defined(__MUSACC__)
__device__ __forceinline__ __half atomicAdd(__half* address, __half value) {
    return __musa_sim_atomic_update<unsigned short>(
        address, [value](__half old) { return __hadd(old, value); });
}
__device__ __forceinline__ __half2 atomicAdd(__half2* address, __half2 value) {
    return __musa_sim_atomic_update<unsigned>(address,
                                              [value](__half2 old) { return __hadd2(old, value); });
}
#endif

#undef MUSA_SIM_FUNCTION

#endif
