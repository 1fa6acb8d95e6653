/* The mathematical functions of kernels that the C library does not have.
 *
 * The __sinf family is, on a GPU, fast and inexact; here it is the exact function, so results
 * differ from a GPU's in the last bits. Where CUDA's manual names another result than the exact
 * function's, it is that.
 */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#if defined(__MUSACC__)

#include <host_defines.h>
#include <musa_sim/c_library.h>
#include <musa_sim/special_functions.h>
#include <musa_sim/vector_math.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

/* glibc has private functions by these names, which its <math.h> declares: hence macros, which hide
 * them. */
#define __sinf(x) __musa_sim_sinf(x)
#define __cosf(x) __musa_sim_cosf(x)
#define __tanf(x) __musa_sim_tanf(x)
#define __sincosf(x, sine, cosine) __musa_sim_sincosf(x, sine, cosine)
#define __expf(x) __musa_sim_expf(x)
#define __exp10f(x) __musa_sim_exp10f(x)
#define __logf(x) __musa_sim_logf(x)
#define __log2f(x) __musa_sim_log2f(x)
#define __log10f(x) __musa_sim_log10f(x)
#define __powf(x, y) __musa_sim_powf(x, y)

MUSA_SIM_FUNCTION float __musa_sim_sinf(float x) { return sinf(x); }
MUSA_SIM_FUNCTION float __musa_sim_cosf(float x) { return cosf(x); }
MUSA_SIM_FUNCTION float __musa_sim_tanf(float x) { return tanf(x); }
MUSA_SIM_FUNCTION void __musa_sim_sincosf(float x, float* sine, float* cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}
MUSA_SIM_FUNCTION float __musa_sim_expf(float x) { return expf(x); }
MUSA_SIM_FUNCTION float __musa_sim_exp10f(float x) { return powf(10.0f, x); }
MUSA_SIM_FUNCTION float __musa_sim_logf(float x) { return logf(x); }
MUSA_SIM_FUNCTION float __musa_sim_log2f(float x) { return log2f(x); }
MUSA_SIM_FUNCTION float __musa_sim_log10f(float x) { return log10f(x); }
/* On a GPU it is 2 to the power of y * log2(x): not a number where that is none, as for negative x. */
MUSA_SIM_FUNCTION float __musa_sim_powf(float x, float y) {
    const float exponent = y * log2f(x);
    return x > 0.0f && exponent == exponent ? powf(x, y) : exp2f(exponent);
}

/* x times the reciprocal of y, which a GPU flushes to zero where it would be subnormal. */
MUSA_SIM_FUNCTION float __fdividef(float x, float y) {
    const float magnitude = fabsf(y);
    const bool is_lost = magnitude > 0x1p126f && magnitude <= 0x1.fffffep127f;
    return is_lost ? x * copysignf(0.0f, y) : x / y;
}
MUSA_SIM_FUNCTION float fdividef(float x, float y) { return x / y; }
MUSA_SIM_FUNCTION float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* Arithmetic rounded to nearest, which is what the host's processor does */
MUSA_SIM_FUNCTION float __fadd_rn(float x, float y) { return x + y; }
MUSA_SIM_FUNCTION float __fsub_rn(float x, float y) { return x - y; }
MUSA_SIM_FUNCTION float __fmul_rn(float x, float y) { return x * y; }
MUSA_SIM_FUNCTION float __fdiv_rn(float x, float y) { return x / y; }
MUSA_SIM_FUNCTION float __frcp_rn(float x) { return 1.0f / x; }
MUSA_SIM_FUNCTION float __fsqrt_rn(float x) { return sqrtf(x); }
MUSA_SIM_FUNCTION float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
/* Through double, so that it is rounded once (for all but a few arguments). */
MUSA_SIM_FUNCTION float __frsqrt_rn(float x) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
MUSA_SIM_FUNCTION double __dadd_rn(double x, double y) { return x + y; }
MUSA_SIM_FUNCTION double __dsub_rn(double x, double y) { return x - y; }
MUSA_SIM_FUNCTION double __dmul_rn(double x, double y) { return x * y; }
MUSA_SIM_FUNCTION double __ddiv_rn(double x, double y) { return x / y; }
MUSA_SIM_FUNCTION double __drcp_rn(double x) { return 1.0 / x; }
MUSA_SIM_FUNCTION double __dsqrt_rn(double x) { return sqrt(x); }
MUSA_SIM_FUNCTION double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

MUSA_SIM_FUNCTION float rsqrtf(float x) { return 1.0f / sqrtf(x); }
MUSA_SIM_FUNCTION double rsqrt(double x) { return 1.0 / sqrt(x); }
MUSA_SIM_FUNCTION float rsqrt(float x) { return rsqrtf(x); }
MUSA_SIM_FUNCTION float rcbrtf(float x) { return 1.0f / cbrtf(x); }
MUSA_SIM_FUNCTION double rcbrt(double x) { return 1.0 / cbrt(x); }

/* Exact at multiples of one half, because the argument is reduced before it is multiplied by pi. */
MUSA_SIM_FUNCTION double sinpi(double x) {
    const double reduced = x - 2.0 * rint(0.5 * x);
    return rint(reduced) == reduced ? copysign(0.0, x) : sin(M_PI * reduced);
}
MUSA_SIM_FUNCTION double cospi(double x) {
    const double reduced = fabs(x - 2.0 * rint(0.5 * x));
    return reduced == 0.5 ? 0.0 : cos(M_PI * reduced);
}
MUSA_SIM_FUNCTION float sinpif(float x) {
    return static_cast<float>(sinpi(static_cast<double>(x)));
}
MUSA_SIM_FUNCTION float cospif(float x) {
    return static_cast<float>(cospi(static_cast<double>(x)));
}
MUSA_SIM_FUNCTION void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
MUSA_SIM_FUNCTION void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* MUSA's own (mate calls it) */
MUSA_SIM_FUNCTION float __musa_exp2_f(float x) { return exp2f(x); }
/* MUSA's own (MUTLASS calls it): the nearest number with 10 bits of fraction, as a float */
MUSA_SIM_FUNCTION float __musa_float_to_tf32(float x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0xfffu + (bits >> 13 & 1u);
    if ((bits & 0x7fffffffu) <= 0x7f800000u) bits &= ~0x1fffu;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

MUSA_SIM_FUNCTION double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
MUSA_SIM_FUNCTION float normcdff(float x) {
    return static_cast<float>(normcdf(static_cast<double>(x)));
}

/* C++'s overloads for float at global scope, as CUDA has them beside those of the standard library */
#define MUSA_SIM_OVERLOAD(name) \
    MUSA_SIM_FUNCTION float name(float x) { return name##f(x); }
MUSA_SIM_OVERLOAD(cyl_bessel_i0)
MUSA_SIM_OVERLOAD(cyl_bessel_i1)
MUSA_SIM_OVERLOAD(cospi)
MUSA_SIM_OVERLOAD(erfcinv)
MUSA_SIM_OVERLOAD(erfcx)
MUSA_SIM_OVERLOAD(exp10)
MUSA_SIM_OVERLOAD(j0)
MUSA_SIM_OVERLOAD(j1)
MUSA_SIM_OVERLOAD(normcdf)
MUSA_SIM_OVERLOAD(normcdfinv)
MUSA_SIM_OVERLOAD(rcbrt)
MUSA_SIM_OVERLOAD(sinpi)
MUSA_SIM_OVERLOAD(y0)
MUSA_SIM_OVERLOAD(y1)
#undef MUSA_SIM_OVERLOAD
MUSA_SIM_FUNCTION float jn(int order, float x) { return jnf(order, x); }
MUSA_SIM_FUNCTION float yn(int order, float x) { return ynf(order, x); }
MUSA_SIM_FUNCTION void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
MUSA_SIM_FUNCTION void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }

/* max and min at global scope, for the pairs of types that CUDA has */
#define MUSA_SIM_MAX_MIN(Result, Left, Right)                                            \
    MUSA_SIM_FUNCTION Result max(Left x, Right y) {                                      \
        return static_cast<Result>(x) < static_cast<Result>(y) ? static_cast<Result>(y)  \
                                                               : static_cast<Result>(x); \
    }                                                                                    \
    MUSA_SIM_FUNCTION Result min(Left x, Right y) {                                      \
        return static_cast<Result>(y) < static_cast<Result>(x) ? static_cast<Result>(y)  \
                                                               : static_cast<Result>(x); \
    }
#define MUSA_SIM_MAX_MIN_MIXED(Signed, Unsigned)   \
    MUSA_SIM_MAX_MIN(Signed, Signed, Signed)       \
    MUSA_SIM_MAX_MIN(Unsigned, Unsigned, Unsigned) \
    MUSA_SIM_MAX_MIN(Unsigned, Signed, Unsigned)   \
    MUSA_SIM_MAX_MIN(Unsigned, Unsigned, Signed)
MUSA_SIM_MAX_MIN_MIXED(int, unsigned)
MUSA_SIM_MAX_MIN_MIXED(long, unsigned long)
MUSA_SIM_MAX_MIN_MIXED(long long, unsigned long long)
#undef MUSA_SIM_MAX_MIN_MIXED
#undef MUSA_SIM_MAX_MIN

/* Of a number and a NaN, the number. */
MUSA_SIM_FUNCTION float max(float x, float y) { return fmaxf(x, y); }
MUSA_SIM_FUNCTION float min(float x, float y) { return fminf(x, y); }
MUSA_SIM_FUNCTION double max(double x, double y) { return fmax(x, y); }
MUSA_SIM_FUNCTION double min(double x, double y) { return fmin(x, y); }
MUSA_SIM_FUNCTION double max(float x, double y) { return fmax(static_cast<double>(x), y); }
MUSA_SIM_FUNCTION double min(float x, double y) { return fmin(static_cast<double>(x), y); }
MUSA_SIM_FUNCTION double max(double x, float y) { return fmax(x, static_cast<double>(y)); }
MUSA_SIM_FUNCTION double min(double x, float y) { return fmin(x, static_cast<double>(y)); }
MUSA_SIM_FUNCTION unsigned umax(unsigned x, unsigned y) { return max(x, y); }
MUSA_SIM_FUNCTION unsigned umin(unsigned x, unsigned y) { return min(x, y); }
MUSA_SIM_FUNCTION long long llmax(long long x, long long y) { return max(x, y); }
MUSA_SIM_FUNCTION long long llmin(long long x, long long y) { return min(x, y); }
MUSA_SIM_FUNCTION unsigned long long ullmax(unsigned long long x, unsigned long long y) {
    return max(x, y);
}
MUSA_SIM_FUNCTION unsigned long long ullmin(unsigned long long x, unsigned long long y) {
    return min(x, y);
}

#undef MUSA_SIM_FUNCTION

#endif

#endif
