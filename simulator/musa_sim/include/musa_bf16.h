/* bfloat16: __mt_bfloat16 and __mt_bfloat162.
 *
 * The operations and conversions are those of CUDA's header of the same purpose, under MUSA's
 * names. Any C++ compiler; host and device. Every operation rounds to nearest even.
 */
#ifndef __MUSA_BF16_H__
#define __MUSA_BF16_H__
#define __MUSA_BF16_TYPES_EXIST__

#if !defined(__cplusplus)
/* C has the bits alone, as in CUDA's header. */
typedef struct {
    unsigned short x;
} __mt_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __mt_bfloat162_raw;
#else

#include <host_defines.h>
#include <musa_fp16.h>
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

struct __mt_bfloat16_raw {
    union {
        unsigned short x;
#if defined(__MUSACC__)
        __bf16 data; /* TileLang makes vectors of its type */
#endif
    };
};
struct __mt_bfloat162_raw {
    unsigned short x, y;
};

MUSA_SIM_DECLARE_FLOAT16(__mt_bfloat16)

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
    MUSA_SIM_FUNCTION __mt_bfloat16(double value) : __x(musa_sim_detail::bfloat16_of(value)) {}
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
#if !defined(__MUSA_NO_BFLOAT16_OPERATORS__)
    MUSA_SIM_FLOAT16_OPERATORS(__mt_bfloat16, __mt_bfloat16_raw, 0x3f80)
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

/* MUSA's own */
struct __align__(8) __mt_bfloat164 {
    __mt_bfloat16 x, y, z, w;
};

typedef __mt_bfloat16 mt_bfloat16;
typedef __mt_bfloat162 mt_bfloat162;
typedef __mt_bfloat16_raw mt_bfloat16_raw;
typedef __mt_bfloat162_raw mt_bfloat162_raw;

/* Conversion */
MUSA_SIM_FUNCTION float __bfloat162float(__mt_bfloat16 a) {
    return musa_sim_detail::float_of_bfloat16(a.__x);
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16_rn(float a) {
    return __mt_bfloat16_raw{musa_sim_detail::bfloat16_of(a)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __float2bfloat16(float a) { return __float2bfloat16_rn(a); }
MUSA_SIM_FUNCTION __mt_bfloat16 __double2bfloat16(double a) {
    return __mt_bfloat16_raw{musa_sim_detail::bfloat16_of(a)};
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
MUSA_SIM_FUNCTION short __bfloat16_as_short(__mt_bfloat16 a) { return static_cast<short>(a.__x); }
MUSA_SIM_FUNCTION unsigned short __bfloat16_as_ushort(__mt_bfloat16 a) { return a.__x; }
MUSA_SIM_FUNCTION __mt_bfloat16 __short_as_bfloat16(short a) {
    return __mt_bfloat16_raw{static_cast<unsigned short>(a)};
}
MUSA_SIM_FUNCTION __mt_bfloat16 __ushort_as_bfloat16(unsigned short a) {
    return __mt_bfloat16_raw{a};
}

/* Pairs */
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
MUSA_SIM_FUNCTION __mt_bfloat164 __float42bfloat164_rn(float4 a) {
    return __mt_bfloat164{__float2bfloat16_rn(a.x), __float2bfloat16_rn(a.y), __float2bfloat16_rn(a.z),
                          __float2bfloat16_rn(a.w)};
}
MUSA_SIM_FUNCTION float4 __bfloat1642float4(__mt_bfloat164 a) {
    return make_float4(__bfloat162float(a.x), __bfloat162float(a.y), __bfloat162float(a.z), __bfloat162float(a.w));
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

#undef MUSA_SIM_FUNCTION

#define MUSA_SIM_T __mt_bfloat16
#define MUSA_SIM_T2 __mt_bfloat162
#define MUSA_SIM_RAW __mt_bfloat16_raw
#define MUSA_SIM_WORD bfloat16
#define MUSA_SIM_TO_FLOAT __bfloat162float
#define MUSA_SIM_TO_ARGUMENT __bfloat162float
#define MUSA_SIM_FROM_FLOAT __float2bfloat16_rn
#define MUSA_SIM_FROM_DOUBLE __double2bfloat16
#define MUSA_SIM_NARROWED musa_sim_detail::narrow<8, 7>
#define MUSA_SIM_FUSED musa_sim_detail::bfloat16_fma
#define MUSA_SIM_INFINITY 0x7f80
#if defined(__MUSA_NO_BFLOAT162_OPERATORS__)
#define MUSA_SIM_HAS_PAIR_OPERATORS 0
#else
#define MUSA_SIM_HAS_PAIR_OPERATORS 1
#endif
#include <musa_sim/float16_operations.h>

#endif
#endif
