/* 8-bit floating point: __mt_fp8_e4m3 (no infinities, largest number 448) and __mt_fp8_e5m2, as the OCP specification
 * "8-bit floating point" (2023) defines them, with the interface of CUDA's header of the same purpose.
 *
 * Conversions round once, to nearest even, from whatever type they start with. Classes saturate: what is too large, and
 * an infinity, becomes the largest number. Hardware has the types on mp_31 only; the simulator has them everywhere.
 */
#ifndef __MUSA_FP8_H__
#define __MUSA_FP8_H__
#define __MUSA_FP8_TYPES_EXIST__

#include <musa_bf16.h>
#include <musa_fp16.h>
#if defined(__MUSACC__)
#include <musa_sim/burst_functions.h>
#endif
#if defined(__cplusplus)
#include <musa_sim/float8_conversion.h>
#endif

typedef unsigned char __mt_fp8_storage_t;
typedef unsigned short __mt_fp8x2_storage_t; /* the first of two in the lower byte */
typedef unsigned int __mt_fp8x4_storage_t;

/* The result for a number that is too large: a NaN (E4M3) or an infinity (E5M2), or the largest number. */
typedef enum __mt_saturation_t { __MT_NOSAT, __MT_SATFINITE } __mt_saturation_t;
typedef enum __mt_fp8_interpretation_t { __MT_E4M3, __MT_E5M2 } __mt_fp8_interpretation_t;

#if defined(__cplusplus) /* C has the types of the bits alone, as in CUDA's header */

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

MUSA_SIM_FUNCTION __mt_fp8_storage_t __musa_cvt_double_to_fp8(double x, __mt_saturation_t saturation,
                                                              __mt_fp8_interpretation_t format) {
    return format == __MT_E4M3 ? musa_sim_detail::to_e4m3(x, saturation == __MT_SATFINITE)
                               : musa_sim_detail::to_e5m2(x, saturation == __MT_SATFINITE);
}
MUSA_SIM_FUNCTION __mt_fp8_storage_t __musa_cvt_float_to_fp8(float x, __mt_saturation_t saturation,
                                                             __mt_fp8_interpretation_t format) {
    return __musa_cvt_double_to_fp8(x, saturation, format);
}
MUSA_SIM_FUNCTION __mt_fp8_storage_t __musa_cvt_halfraw_to_fp8(__half_raw x, __mt_saturation_t saturation,
                                                               __mt_fp8_interpretation_t format) {
    return __musa_cvt_double_to_fp8(__half2float(__half(x)), saturation, format);
}
MUSA_SIM_FUNCTION __mt_fp8_storage_t __musa_cvt_bfloat16raw_to_fp8(__mt_bfloat16_raw x, __mt_saturation_t saturation,
                                                                   __mt_fp8_interpretation_t format) {
    return __musa_cvt_double_to_fp8(__bfloat162float(__mt_bfloat16(x)), saturation, format);
}

/* Every number of both formats is a half. */
MUSA_SIM_FUNCTION __half_raw __musa_cvt_fp8_to_halfraw(__mt_fp8_storage_t x, __mt_fp8_interpretation_t format) {
    return static_cast<__half_raw>(__float2half_rn(
        format == __MT_E4M3 ? musa_sim_detail::from_e4m3(x) : musa_sim_detail::from_e5m2(x)));
}

MUSA_SIM_FUNCTION __mt_fp8x2_storage_t __musa_cvt_double2_to_fp8x2(double2 x, __mt_saturation_t saturation,
                                                                   __mt_fp8_interpretation_t format) {
    return static_cast<__mt_fp8x2_storage_t>(__musa_cvt_double_to_fp8(x.x, saturation, format) |
                                             __musa_cvt_double_to_fp8(x.y, saturation, format) << 8);
}
MUSA_SIM_FUNCTION __mt_fp8x2_storage_t __musa_cvt_float2_to_fp8x2(float2 x, __mt_saturation_t saturation,
                                                                  __mt_fp8_interpretation_t format) {
    return __musa_cvt_double2_to_fp8x2(double2{x.x, x.y}, saturation, format);
}
MUSA_SIM_FUNCTION __mt_fp8x2_storage_t __musa_cvt_halfraw2_to_fp8x2(__half2_raw x, __mt_saturation_t saturation,
                                                                    __mt_fp8_interpretation_t format) {
    return static_cast<__mt_fp8x2_storage_t>(__musa_cvt_halfraw_to_fp8(__half_raw{x.x}, saturation, format) |
                                             __musa_cvt_halfraw_to_fp8(__half_raw{x.y}, saturation, format) << 8);
}
MUSA_SIM_FUNCTION __half2_raw __musa_cvt_fp8x2_to_halfraw2(__mt_fp8x2_storage_t x, __mt_fp8_interpretation_t format) {
    return __half2_raw{__musa_cvt_fp8_to_halfraw(static_cast<__mt_fp8_storage_t>(x & 0xff), format).x,
                       __musa_cvt_fp8_to_halfraw(static_cast<__mt_fp8_storage_t>(x >> 8), format).x};
}

/* The classes of one format: one number, two and four. */
#define MUSA_SIM_FP8(format, FORMAT)                                                                                  \
    struct __mt_fp8_##format {                                                                                        \
        __mt_fp8_storage_t __x;                                                                                       \
                                                                                                                      \
        __mt_fp8_##format() = default;                                                                                \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(double x)                                                        \
            : __x(__musa_cvt_double_to_fp8(x, __MT_SATFINITE, FORMAT)) {}                                             \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(float x) : __mt_fp8_##format(static_cast<double>(x)) {}          \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(__half x) : __mt_fp8_##format(__half2float(x)) {}                \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(__mt_bfloat16 x) : __mt_fp8_##format(__bfloat162float(x)) {}     \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(int x) : __mt_fp8_##format(static_cast<double>(x)) {}            \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(unsigned x) : __mt_fp8_##format(static_cast<double>(x)) {}       \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(long x) : __mt_fp8_##format(static_cast<double>(x)) {}           \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(unsigned long x) : __mt_fp8_##format(static_cast<double>(x)) {}  \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(long long x) : __mt_fp8_##format(static_cast<double>(x)) {}      \
        MUSA_SIM_FUNCTION explicit __mt_fp8_##format(unsigned long long x)                                            \
            : __mt_fp8_##format(static_cast<double>(x)) {}                                                            \
        MUSA_SIM_FUNCTION explicit operator float() const { return musa_sim_detail::from_##format(__x); }             \
        MUSA_SIM_FUNCTION explicit operator double() const { return musa_sim_detail::from_##format(__x); }            \
        MUSA_SIM_FUNCTION explicit operator __half() const { return __float2half_rn(static_cast<float>(*this)); }     \
        MUSA_SIM_FUNCTION explicit operator __mt_bfloat16() const {                                                   \
            return __float2bfloat16_rn(static_cast<float>(*this));                                                    \
        }                                                                                                             \
        MUSA_SIM_FUNCTION explicit operator bool() const { return (__x & 0x7f) != 0; }                                \
    };                                                                                                                \
    struct __align__(2) __mt_fp8x2_##format {                                                                         \
        __mt_fp8x2_storage_t __x;                                                                                     \
                                                                                                                      \
        __mt_fp8x2_##format() = default;                                                                              \
        MUSA_SIM_FUNCTION explicit __mt_fp8x2_##format(float2 x)                                                      \
            : __x(__musa_cvt_float2_to_fp8x2(x, __MT_SATFINITE, FORMAT)) {}                                           \
        MUSA_SIM_FUNCTION explicit __mt_fp8x2_##format(double2 x)                                                     \
            : __x(__musa_cvt_double2_to_fp8x2(x, __MT_SATFINITE, FORMAT)) {}                                          \
        MUSA_SIM_FUNCTION explicit __mt_fp8x2_##format(__half2 x)                                                     \
            : __x(__musa_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(x), __MT_SATFINITE, FORMAT)) {}               \
        MUSA_SIM_FUNCTION explicit __mt_fp8x2_##format(__mt_bfloat162 x)                                              \
            : __mt_fp8x2_##format(float2{__bfloat162float(x.x), __bfloat162float(x.y)}) {}                            \
        MUSA_SIM_FUNCTION explicit operator float2() const {                                                          \
            return float2{musa_sim_detail::from_##format(static_cast<__mt_fp8_storage_t>(__x & 0xff)),                \
                          musa_sim_detail::from_##format(static_cast<__mt_fp8_storage_t>(__x >> 8))};                 \
        }                                                                                                             \
        MUSA_SIM_FUNCTION explicit operator __half2() const {                                                         \
            return __half2(__musa_cvt_fp8x2_to_halfraw2(__x, FORMAT));                                                \
        }                                                                                                             \
    };                                                                                                                \
    struct __align__(4) __mt_fp8x4_##format {                                                                         \
        __mt_fp8x4_storage_t __x;                                                                                     \
                                                                                                                      \
        __mt_fp8x4_##format() = default;                                                                              \
        MUSA_SIM_FUNCTION __mt_fp8x4_##format(__mt_fp8x2_##format low, __mt_fp8x2_##format high)                      \
            : __x(static_cast<unsigned>(low.__x) | static_cast<unsigned>(high.__x) << 16) {}                          \
        MUSA_SIM_FUNCTION __mt_fp8x4_##format(__half2 low, __half2 high)                                              \
            : __mt_fp8x4_##format(__mt_fp8x2_##format(low), __mt_fp8x2_##format(high)) {}                             \
        MUSA_SIM_FUNCTION __mt_fp8x4_##format(__mt_bfloat162 low, __mt_bfloat162 high)                                \
            : __mt_fp8x4_##format(__mt_fp8x2_##format(low), __mt_fp8x2_##format(high)) {}                             \
        MUSA_SIM_FUNCTION explicit __mt_fp8x4_##format(double4 x)                                                     \
            : __mt_fp8x4_##format(__mt_fp8x2_##format(double2{x.x, x.y}), __mt_fp8x2_##format(double2{x.z, x.w})) {}  \
        MUSA_SIM_FUNCTION explicit __mt_fp8x4_##format(float4 x)                                                      \
            : __mt_fp8x4_##format(__mt_fp8x2_##format(float2{x.x, x.y}), __mt_fp8x2_##format(float2{x.z, x.w})) {}    \
        MUSA_SIM_FUNCTION explicit operator float4() const {                                                          \
            __mt_fp8x2_##format low, high;                                                                            \
            low.__x = static_cast<__mt_fp8x2_storage_t>(__x & 0xffff);                                                \
            high.__x = static_cast<__mt_fp8x2_storage_t>(__x >> 16);                                                  \
            const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);                                 \
            return float4{a.x, a.y, b.x, b.y};                                                                        \
        }                                                                                                             \
    };

MUSA_SIM_FP8(e4m3, __MT_E4M3)
MUSA_SIM_FP8(e5m2, __MT_E5M2)

#undef MUSA_SIM_FP8

#if defined(__MUSACC__)
/* MUSA's own, which TileLang calls: two or four at once. That they saturate is a guess. */
namespace musa_sim_detail {
typedef char char_vector2 __attribute__((ext_vector_type(2)));
typedef char char_vector4 __attribute__((ext_vector_type(4)));
template <class To, class From>
MUSA_SIM_FUNCTION To same_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace musa_sim_detail

#define MUSA_SIM_BURST(N, NAME, FORMAT)                                                                             \
    MUSA_SIM_FUNCTION musa_sim_detail::char_vector##N __musa_f2##NAME##_rn_bst##N(musa_sim_detail::float_vector##N x) { \
        musa_sim_detail::char_vector##N made;                                                                       \
        for (int i = 0; i < N; ++i)                                                                                 \
            made[i] = static_cast<char>(__musa_cvt_float_to_fp8(x[i], __MT_SATFINITE, FORMAT));                     \
        return made;                                                                                                \
    }                                                                                                               \
    MUSA_SIM_FUNCTION musa_sim_detail::char_vector##N __musa_f162##NAME##_rn_bst##N(__half##N x) {                  \
        return __musa_f2##NAME##_rn_bst##N(__musa_f162f32_rn_bst##N(x));                                            \
    }                                                                                                               \
    MUSA_SIM_FUNCTION __half##N __musa_##NAME##2f16_rn_bst##N(musa_sim_detail::char_vector##N x) {                  \
        __half_raw made[N];                                                                                         \
        for (int i = 0; i < N; ++i)                                                                                 \
            made[i] = __musa_cvt_fp8_to_halfraw(static_cast<__mt_fp8_storage_t>(x[i]), FORMAT);                     \
        return musa_sim_detail::same_bits<__half##N>(made);                                                         \
    }
MUSA_SIM_FUNCTION musa_sim_detail::float_vector2 __musa_f162f32_rn_bst2(__half2 x) {
    return musa_sim_detail::same_bits<musa_sim_detail::float_vector2>(__half22float2(x));
}
MUSA_SIM_FUNCTION musa_sim_detail::float_vector4 __musa_f162f32_rn_bst4(__half4 x) {
    return musa_sim_detail::same_bits<musa_sim_detail::float_vector4>(__half42float4(x));
}
MUSA_SIM_BURST(2, e4m3, __MT_E4M3)
MUSA_SIM_BURST(4, e4m3, __MT_E4M3)
MUSA_SIM_BURST(2, e5m2, __MT_E5M2)
MUSA_SIM_BURST(4, e5m2, __MT_E5M2)
#undef MUSA_SIM_BURST
#endif
#undef MUSA_SIM_FUNCTION

#endif
#endif
