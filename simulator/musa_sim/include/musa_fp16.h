/* IEEE half precision: __half and __half2.
 *
 * The operations and conversions are those of CUDA's header of the same purpose, under MUSA's
 * names. Any C++ compiler; host and device. Arithmetic rounds to nearest even; a conversion rounds as its
 * name says.
 */
#ifndef __MUSA_FP16_H__
#define __MUSA_FP16_H__
#define __MUSA_FP16_TYPES_EXIST__

#if !defined(__cplusplus)
/* C has the bits alone, as in CUDA's header. */
typedef struct {
    unsigned short x;
} __half_raw;
typedef struct {
    unsigned short x, y;
} __half2_raw;
#else

#include <host_defines.h>
#include <musa_sim/float16_constants.h>
#include <musa_sim/float16_conversion.h>
#include <musa_sim/float16_operators.h>
#include <vector_functions.h>
#if defined(__MUSACC__)
#include <musa_sim/atomic_functions.h>
#include <musa_sim/integer_functions.h>
#include <musa_sim/warp_functions.h>
#endif

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

struct __half_raw {
    union {
        unsigned short x;
#if defined(__MUSACC__)
        _Float16 data; /* TileLang makes vectors of its type */
#endif
    };
};
struct __half2_raw {
    unsigned short x, y;
};

MUSA_SIM_DECLARE_FLOAT16(__half)

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
    MUSA_SIM_FUNCTION __half(double value) : __x(musa_sim_detail::half_of(value)) {}
    MUSA_SIM_FUNCTION operator float() const { return musa_sim_detail::float_of_half(__x); }
    /* Integers: by way of double, or rounded to odd first; by way of float they would be rounded twice. */
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
#if !defined(__MUSA_NO_HALF_OPERATORS__)
    MUSA_SIM_FLOAT16_OPERATORS(__half, __half_raw, 0x3c00)
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

/* MUSA's own */
struct __align__(8) __half4 {
    __half x, y, z, w;
};

typedef __half half;
typedef __half __mt_half;
typedef __half mt_half;
typedef __half2 half2;
typedef __half2 __mt_half2;
typedef __half2 mt_half2;
typedef __half_raw __mt_half_raw;
typedef __half_raw mt_half_raw;
typedef __half2_raw __mt_half2_raw;
typedef __half2_raw mt_half2_raw;

/* Conversion */
MUSA_SIM_FUNCTION float __half2float(__half a) { return musa_sim_detail::float_of_half(a.__x); }
MUSA_SIM_FUNCTION __half __float2half_rn(float a) {
    return __half_raw{musa_sim_detail::half_of(a)};
}
MUSA_SIM_FUNCTION __half __float2half(float a) { return __float2half_rn(a); }
MUSA_SIM_FUNCTION __half __double2half(double a) {
    return __half_raw{musa_sim_detail::half_of(a)};
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
MUSA_SIM_FUNCTION short __half_as_short(__half a) { return static_cast<short>(a.__x); }
MUSA_SIM_FUNCTION unsigned short __half_as_ushort(__half a) { return a.__x; }
MUSA_SIM_FUNCTION __half __short_as_half(short a) {
    return __half_raw{static_cast<unsigned short>(a)};
}
MUSA_SIM_FUNCTION __half __ushort_as_half(unsigned short a) { return __half_raw{a}; }

/* Pairs */
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
MUSA_SIM_FUNCTION __half4 __float42half4_rn(float4 a) {
    return __half4{__float2half_rn(a.x), __float2half_rn(a.y), __float2half_rn(a.z), __float2half_rn(a.w)};
}
MUSA_SIM_FUNCTION float4 __half42float4(__half4 a) {
    return make_float4(__half2float(a.x), __half2float(a.y), __half2float(a.z), __half2float(a.w));
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

#undef MUSA_SIM_FUNCTION

#define MUSA_SIM_T __half
#define MUSA_SIM_T2 __half2
#define MUSA_SIM_RAW __half_raw
#define MUSA_SIM_WORD half
#define MUSA_SIM_TO_FLOAT __half2float
#define MUSA_SIM_TO_ARGUMENT(a) musa_sim_detail::float_of_half_bits((a).__x)
#define MUSA_SIM_FROM_FLOAT __float2half_rn
#define MUSA_SIM_FROM_DOUBLE __double2half
#define MUSA_SIM_NARROWED musa_sim_detail::narrow<5, 10>
#define MUSA_SIM_FUSED musa_sim_detail::half_fma
#define MUSA_SIM_INFINITY 0x7c00
#if defined(__MUSA_NO_HALF2_OPERATORS__)
#define MUSA_SIM_HAS_PAIR_OPERATORS 0
#else
#define MUSA_SIM_HAS_PAIR_OPERATORS 1
#endif
#include <musa_sim/float16_operations.h>

#endif
#endif
