/* The functions that half and bfloat16 have in common: arithmetic, comparison, functions, pairs, atomics.
 *
 * Included by musa_fp16.h and by musa_bf16.h, once each, hence without a guard. They define:
 * MUSA_SIM_T, MUSA_SIM_T2, MUSA_SIM_RAW: the type, its pair, its bits;
 * MUSA_SIM_WORD: what the type is called in the names of conversions;
 * MUSA_SIM_TO_FLOAT, MUSA_SIM_FROM_FLOAT, MUSA_SIM_FROM_DOUBLE: conversions, rounded to nearest;
 * MUSA_SIM_NARROWED: the bits of a double, rounded as its second argument says;
 * MUSA_SIM_TO_ARGUMENT: MUSA_SIM_TO_FLOAT for an argument of a function of the C library;
 * MUSA_SIM_FUSED: the bits of a * b + c, rounded once, of three floats that are such numbers;
 * MUSA_SIM_INFINITY: the bits of infinity;
 * MUSA_SIM_HAS_PAIR_OPERATORS: 1 or 0. (The operators of single numbers are in musa_sim/float16_operators.h.)
 * mcc: musa_sim/atomic_functions.h and musa_sim/warp_functions.h are included before.
 * CUDA's headers have all these as overloaded functions, not templates, so that arguments convert.
 */

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__

namespace musa_sim_detail {
/* Between 0 and 1; a NaN becomes 0. */
MUSA_SIM_FUNCTION MUSA_SIM_T saturated(MUSA_SIM_T a) {
    const float value = MUSA_SIM_TO_FLOAT(a);
    return MUSA_SIM_FROM_FLOAT(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
}  // namespace musa_sim_detail

/* Conversions from and to integers, in all roundings: __int2half_rn, __half2int_rz, __bfloat162short_ru */
#define MUSA_SIM_JOINED_(a, b, c) __##a##2##b##_##c
#define MUSA_SIM_JOINED(a, b, c) MUSA_SIM_JOINED_(a, b, c)
#define MUSA_SIM_INTEGER(Type, name, exact, suffix, rounding)                                       \
    MUSA_SIM_FUNCTION MUSA_SIM_T MUSA_SIM_JOINED(name, MUSA_SIM_WORD, suffix)(Type a) {             \
        return MUSA_SIM_T(MUSA_SIM_RAW{MUSA_SIM_NARROWED(exact(a), musa_sim_detail::rounding)});    \
    }                                                                                               \
    MUSA_SIM_TO_INTEGER(Type, name, suffix, rounding)
#define MUSA_SIM_TO_INTEGER(Type, name, suffix, rounding)                                           \
    MUSA_SIM_FUNCTION Type MUSA_SIM_JOINED(MUSA_SIM_WORD, name, suffix)(MUSA_SIM_T a) {             \
        return musa_sim_detail::integer_of<Type>(MUSA_SIM_TO_FLOAT(a), musa_sim_detail::rounding);  \
    }
/* `exact` gives the double that rounds as the integer itself. */
#define MUSA_SIM_INTEGERS(Type, name, exact)                                                        \
    MUSA_SIM_FUNCTION MUSA_SIM_T MUSA_SIM_JOINED(name, MUSA_SIM_WORD, rn)(Type a) {                 \
        return MUSA_SIM_FROM_DOUBLE(exact(a));                                                      \
    }                                                                                               \
    MUSA_SIM_TO_INTEGER(Type, name, rn, Rounding::nearest_even)                                     \
    MUSA_SIM_INTEGER(Type, name, exact, rz, Rounding::toward_zero)                                  \
    MUSA_SIM_INTEGER(Type, name, exact, ru, Rounding::up)                                           \
    MUSA_SIM_INTEGER(Type, name, exact, rd, Rounding::down)
MUSA_SIM_INTEGERS(short, short, static_cast<double>)
MUSA_SIM_INTEGERS(unsigned short, ushort, static_cast<double>)
MUSA_SIM_INTEGERS(int, int, static_cast<double>)
MUSA_SIM_INTEGERS(unsigned, uint, static_cast<double>)
MUSA_SIM_INTEGERS(long long, ll, musa_sim_detail::odd_rounded)
MUSA_SIM_INTEGERS(unsigned long long, ull, musa_sim_detail::odd_rounded)
MUSA_SIM_TO_INTEGER(signed char, char, rz, Rounding::toward_zero)
MUSA_SIM_TO_INTEGER(unsigned char, uchar, rz, Rounding::toward_zero)
#undef MUSA_SIM_INTEGERS
#undef MUSA_SIM_INTEGER
#undef MUSA_SIM_TO_INTEGER
#undef MUSA_SIM_JOINED
#undef MUSA_SIM_JOINED_

/* Arithmetic: computed in float and rounded once more, which for + - * / and sqrt gives the
 * correctly rounded result */
MUSA_SIM_FUNCTION MUSA_SIM_T __hadd(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_FROM_FLOAT(MUSA_SIM_TO_FLOAT(a) + MUSA_SIM_TO_FLOAT(b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hsub(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_FROM_FLOAT(MUSA_SIM_TO_FLOAT(a) - MUSA_SIM_TO_FLOAT(b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hmul(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_FROM_FLOAT(MUSA_SIM_TO_FLOAT(a) * MUSA_SIM_TO_FLOAT(b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hdiv(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_FROM_FLOAT(MUSA_SIM_TO_FLOAT(a) / MUSA_SIM_TO_FLOAT(b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hadd_rn(MUSA_SIM_T a, MUSA_SIM_T b) { return __hadd(a, b); }
MUSA_SIM_FUNCTION MUSA_SIM_T __hsub_rn(MUSA_SIM_T a, MUSA_SIM_T b) { return __hsub(a, b); }
MUSA_SIM_FUNCTION MUSA_SIM_T __hmul_rn(MUSA_SIM_T a, MUSA_SIM_T b) { return __hmul(a, b); }
MUSA_SIM_FUNCTION MUSA_SIM_T __hneg(MUSA_SIM_T a) {
    return MUSA_SIM_T(MUSA_SIM_RAW{static_cast<unsigned short>(a.__x ^ 0x8000)});
}
MUSA_SIM_FUNCTION MUSA_SIM_T __habs(MUSA_SIM_T a) {
    return MUSA_SIM_T(MUSA_SIM_RAW{static_cast<unsigned short>(a.__x & 0x7fff)});
}
/* Rounded once */
MUSA_SIM_FUNCTION MUSA_SIM_T __hfma(MUSA_SIM_T a, MUSA_SIM_T b, MUSA_SIM_T c) {
    return MUSA_SIM_T(MUSA_SIM_RAW{
        MUSA_SIM_FUSED(MUSA_SIM_TO_FLOAT(a), MUSA_SIM_TO_FLOAT(b), MUSA_SIM_TO_FLOAT(c))});
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hfma_relu(MUSA_SIM_T a, MUSA_SIM_T b, MUSA_SIM_T c) {
    const MUSA_SIM_T value = __hfma(a, b, c);
    return MUSA_SIM_TO_FLOAT(value) < 0.0f ? MUSA_SIM_T(MUSA_SIM_RAW{0}) : value;
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hadd_sat(MUSA_SIM_T a, MUSA_SIM_T b) {
    return musa_sim_detail::saturated(__hadd(a, b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hsub_sat(MUSA_SIM_T a, MUSA_SIM_T b) {
    return musa_sim_detail::saturated(__hsub(a, b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hmul_sat(MUSA_SIM_T a, MUSA_SIM_T b) {
    return musa_sim_detail::saturated(__hmul(a, b));
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hfma_sat(MUSA_SIM_T a, MUSA_SIM_T b, MUSA_SIM_T c) {
    return musa_sim_detail::saturated(__hfma(a, b, c));
}

/* Comparison; the ones that end in u are also true if an operand is a NaN */
MUSA_SIM_FUNCTION bool __heq(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) == MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hne(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) < MUSA_SIM_TO_FLOAT(b) ||
           MUSA_SIM_TO_FLOAT(a) > MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hlt(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) < MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hle(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) <= MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hgt(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) > MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hge(MUSA_SIM_T a, MUSA_SIM_T b) {
    return MUSA_SIM_TO_FLOAT(a) >= MUSA_SIM_TO_FLOAT(b);
}
MUSA_SIM_FUNCTION bool __hequ(MUSA_SIM_T a, MUSA_SIM_T b) { return !__hne(a, b); }
MUSA_SIM_FUNCTION bool __hneu(MUSA_SIM_T a, MUSA_SIM_T b) { return !__heq(a, b); }
MUSA_SIM_FUNCTION bool __hltu(MUSA_SIM_T a, MUSA_SIM_T b) { return !__hge(a, b); }
MUSA_SIM_FUNCTION bool __hleu(MUSA_SIM_T a, MUSA_SIM_T b) { return !__hgt(a, b); }
MUSA_SIM_FUNCTION bool __hgtu(MUSA_SIM_T a, MUSA_SIM_T b) { return !__hle(a, b); }
MUSA_SIM_FUNCTION bool __hgeu(MUSA_SIM_T a, MUSA_SIM_T b) { return !__hlt(a, b); }
MUSA_SIM_FUNCTION bool __hisnan(MUSA_SIM_T a) { return (a.__x & 0x7fff) > MUSA_SIM_INFINITY; }
/* 1, -1 or 0 as the value is +infinity, -infinity or neither */
MUSA_SIM_FUNCTION int __hisinf(MUSA_SIM_T a) {
    return (a.__x & 0x7fff) != MUSA_SIM_INFINITY ? 0 : a.__x == MUSA_SIM_INFINITY ? 1 : -1;
}

/* Of a number and a NaN, the number; the _nan forms give the NaN. */
MUSA_SIM_FUNCTION MUSA_SIM_T __hmax(MUSA_SIM_T a, MUSA_SIM_T b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(a, b) ? b : a;
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hmin(MUSA_SIM_T a, MUSA_SIM_T b) {
    return __hisnan(a) ? b : __hisnan(b) ? a : __hlt(b, a) ? b : a;
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hmax_nan(MUSA_SIM_T a, MUSA_SIM_T b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
MUSA_SIM_FUNCTION MUSA_SIM_T __hmin_nan(MUSA_SIM_T a, MUSA_SIM_T b) {
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}

/* Functions, computed in float */
MUSA_SIM_FUNCTION MUSA_SIM_T hsqrt(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_sqrtf(MUSA_SIM_TO_FLOAT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hrsqrt(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(1.0f / __builtin_sqrtf(MUSA_SIM_TO_FLOAT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hrcp(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(1.0f / MUSA_SIM_TO_FLOAT(a));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hexp(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_expf(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hexp2(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_exp2f(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hexp10(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_powf(10.0f, MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hlog(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_logf(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hlog2(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_log2f(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hlog10(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_log10f(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hsin(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_sinf(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hcos(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_cosf(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T htanh(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_tanhf(MUSA_SIM_TO_ARGUMENT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hfloor(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_floorf(MUSA_SIM_TO_FLOAT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hceil(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_ceilf(MUSA_SIM_TO_FLOAT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T htrunc(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_truncf(MUSA_SIM_TO_FLOAT(a)));
}
MUSA_SIM_FUNCTION MUSA_SIM_T hrint(MUSA_SIM_T a) {
    return MUSA_SIM_FROM_FLOAT(__builtin_rintf(MUSA_SIM_TO_FLOAT(a)));
}

MUSA_SIM_FUNCTION MUSA_SIM_T htanh_approx(MUSA_SIM_T a) { return htanh(a); }

/* Pairs: the same, twice */
#define MUSA_SIM_PAIR_1(name, of_one)                        \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 name(MUSA_SIM_T2 a) {      \
        return MUSA_SIM_T2(of_one(a.x), of_one(a.y));        \
    }
#define MUSA_SIM_PAIR_2(name, of_one)                                  \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 name(MUSA_SIM_T2 a, MUSA_SIM_T2 b) { \
        return MUSA_SIM_T2(of_one(a.x, b.x), of_one(a.y, b.y));        \
    }
#define MUSA_SIM_PAIR_3(name, of_one)                                                 \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 name(MUSA_SIM_T2 a, MUSA_SIM_T2 b, MUSA_SIM_T2 c) { \
        return MUSA_SIM_T2(of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y));             \
    }
MUSA_SIM_PAIR_2(__hadd2, __hadd)
MUSA_SIM_PAIR_2(__hsub2, __hsub)
MUSA_SIM_PAIR_2(__hmul2, __hmul)
MUSA_SIM_PAIR_2(__h2div, __hdiv)
MUSA_SIM_PAIR_2(__hadd2_rn, __hadd)
MUSA_SIM_PAIR_2(__hsub2_rn, __hsub)
MUSA_SIM_PAIR_2(__hmul2_rn, __hmul)
MUSA_SIM_PAIR_3(__hfma2, __hfma)
MUSA_SIM_PAIR_2(__hadd2_sat, __hadd_sat)
MUSA_SIM_PAIR_2(__hsub2_sat, __hsub_sat)
MUSA_SIM_PAIR_2(__hmul2_sat, __hmul_sat)
MUSA_SIM_PAIR_3(__hfma2_sat, __hfma_sat)
MUSA_SIM_PAIR_3(__hfma2_relu, __hfma_relu)
MUSA_SIM_PAIR_1(__hneg2, __hneg)
MUSA_SIM_PAIR_1(__habs2, __habs)
MUSA_SIM_PAIR_2(__hmax2, __hmax)
MUSA_SIM_PAIR_2(__hmin2, __hmin)
MUSA_SIM_PAIR_2(__hmax2_nan, __hmax_nan)
MUSA_SIM_PAIR_2(__hmin2_nan, __hmin_nan)
MUSA_SIM_PAIR_1(h2sqrt, hsqrt)
MUSA_SIM_PAIR_1(h2rsqrt, hrsqrt)
MUSA_SIM_PAIR_1(h2rcp, hrcp)
MUSA_SIM_PAIR_1(h2exp, hexp)
MUSA_SIM_PAIR_1(h2exp2, hexp2)
MUSA_SIM_PAIR_1(h2exp10, hexp10)
MUSA_SIM_PAIR_1(h2log, hlog)
MUSA_SIM_PAIR_1(h2log2, hlog2)
MUSA_SIM_PAIR_1(h2log10, hlog10)
MUSA_SIM_PAIR_1(h2sin, hsin)
MUSA_SIM_PAIR_1(h2cos, hcos)
MUSA_SIM_PAIR_1(h2tanh, htanh)
MUSA_SIM_PAIR_1(h2tanh_approx, htanh)
MUSA_SIM_PAIR_1(h2floor, hfloor)
MUSA_SIM_PAIR_1(h2ceil, hceil)
MUSA_SIM_PAIR_1(h2trunc, htrunc)
MUSA_SIM_PAIR_1(h2rint, hrint)
/* Complex numbers, as CUDA's header adds them up: a * b + c */
MUSA_SIM_FUNCTION MUSA_SIM_T2 __hcmadd(MUSA_SIM_T2 a, MUSA_SIM_T2 b, MUSA_SIM_T2 c) {
    return MUSA_SIM_T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                       __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
#undef MUSA_SIM_PAIR_1
#undef MUSA_SIM_PAIR_2
#undef MUSA_SIM_PAIR_3

/* Comparison of pairs: as 1.0 or 0.0, as a mask of 16 bits each, and whether both are true */
#define MUSA_SIM_PAIR_COMPARISON(op)                                                      \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 __h##op##2(MUSA_SIM_T2 a, MUSA_SIM_T2 b) {              \
        return MUSA_SIM_T2(MUSA_SIM_FROM_FLOAT(__h##op(a.x, b.x) ? 1.0f : 0.0f),          \
                           MUSA_SIM_FROM_FLOAT(__h##op(a.y, b.y) ? 1.0f : 0.0f));         \
    }                                                                                     \
    MUSA_SIM_FUNCTION unsigned __h##op##2_mask(MUSA_SIM_T2 a, MUSA_SIM_T2 b) {            \
        return (__h##op(a.x, b.x) ? 0xffffu : 0) | (__h##op(a.y, b.y) ? 0xffff0000u : 0); \
    }                                                                                     \
    MUSA_SIM_FUNCTION bool __hb##op##2(MUSA_SIM_T2 a, MUSA_SIM_T2 b) {                    \
        return __h##op(a.x, b.x) && __h##op(a.y, b.y);                                    \
    }
MUSA_SIM_PAIR_COMPARISON(eq)
MUSA_SIM_PAIR_COMPARISON(ne)
MUSA_SIM_PAIR_COMPARISON(lt)
MUSA_SIM_PAIR_COMPARISON(le)
MUSA_SIM_PAIR_COMPARISON(gt)
MUSA_SIM_PAIR_COMPARISON(ge)
MUSA_SIM_PAIR_COMPARISON(equ)
MUSA_SIM_PAIR_COMPARISON(neu)
MUSA_SIM_PAIR_COMPARISON(ltu)
MUSA_SIM_PAIR_COMPARISON(leu)
MUSA_SIM_PAIR_COMPARISON(gtu)
MUSA_SIM_PAIR_COMPARISON(geu)
#undef MUSA_SIM_PAIR_COMPARISON
MUSA_SIM_FUNCTION MUSA_SIM_T2 __hisnan2(MUSA_SIM_T2 a) {
    return MUSA_SIM_T2(MUSA_SIM_FROM_FLOAT(__hisnan(a.x) ? 1.0f : 0.0f),
                       MUSA_SIM_FROM_FLOAT(__hisnan(a.y) ? 1.0f : 0.0f));
}

#if MUSA_SIM_HAS_PAIR_OPERATORS
#define MUSA_SIM_PAIR_OPERATOR(symbol, function)                                                   \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 operator symbol(const MUSA_SIM_T2& a, const MUSA_SIM_T2& b) {    \
        return function(a, b);                                                                     \
    }                                                                                              \
    MUSA_SIM_FUNCTION MUSA_SIM_T2& operator symbol##=(MUSA_SIM_T2& a, const MUSA_SIM_T2& b) {      \
        return a = function(a, b);                                                                 \
    }
#define MUSA_SIM_PAIR_STEP(symbol, function)                                                       \
    MUSA_SIM_FUNCTION MUSA_SIM_T2& operator symbol(MUSA_SIM_T2& a) {                               \
        const MUSA_SIM_T one = MUSA_SIM_FROM_FLOAT(1.0f);                                          \
        return a = function(a, MUSA_SIM_T2(one, one));                                             \
    }                                                                                              \
    MUSA_SIM_FUNCTION MUSA_SIM_T2 operator symbol(MUSA_SIM_T2& a, int) {                           \
        const MUSA_SIM_T2 before = a;                                                              \
        symbol a;                                                                                  \
        return before;                                                                             \
    }
/* True if it is of both halves */
#define MUSA_SIM_PAIR_RELATION(symbol, function)                                                   \
    MUSA_SIM_FUNCTION bool operator symbol(const MUSA_SIM_T2& a, const MUSA_SIM_T2& b) {           \
        return function(a, b);                                                                     \
    }
MUSA_SIM_PAIR_OPERATOR(+, __hadd2)
MUSA_SIM_PAIR_OPERATOR(-, __hsub2)
MUSA_SIM_PAIR_OPERATOR(*, __hmul2)
MUSA_SIM_PAIR_OPERATOR(/, __h2div)
MUSA_SIM_PAIR_STEP(++, __hadd2)
MUSA_SIM_PAIR_STEP(--, __hsub2)
MUSA_SIM_PAIR_RELATION(==, __hbeq2)
MUSA_SIM_PAIR_RELATION(!=, __hbneu2)
MUSA_SIM_PAIR_RELATION(<, __hblt2)
MUSA_SIM_PAIR_RELATION(<=, __hble2)
MUSA_SIM_PAIR_RELATION(>, __hbgt2)
MUSA_SIM_PAIR_RELATION(>=, __hbge2)
MUSA_SIM_FUNCTION MUSA_SIM_T2 operator+(const MUSA_SIM_T2& a) { return a; }
MUSA_SIM_FUNCTION MUSA_SIM_T2 operator-(const MUSA_SIM_T2& a) { return __hneg2(a); }
#undef MUSA_SIM_PAIR_OPERATOR
#undef MUSA_SIM_PAIR_STEP
#undef MUSA_SIM_PAIR_RELATION
#endif

#if defined(__MUSACC__)
__device__ __forceinline__ MUSA_SIM_T atomicAdd(MUSA_SIM_T* address, MUSA_SIM_T value) {
    return __musa_sim_atomic_update<unsigned short>(
        address, [value](MUSA_SIM_T old) { return __hadd(old, value); });
}
__device__ __forceinline__ MUSA_SIM_T2 atomicAdd(MUSA_SIM_T2* address, MUSA_SIM_T2 value) {
    return __musa_sim_atomic_update<unsigned>(
        address, [value](MUSA_SIM_T2 old) { return __hadd2(old, value); });
}

/* As in CUDA's header; Moore Threads documents no shuffle of 16-bit types. */
MUSA_SIM_SHUFFLES(MUSA_SIM_T)
MUSA_SIM_SHUFFLES(MUSA_SIM_T2)
MUSA_SIM_SHUFFLES_OF_ACTIVE(MUSA_SIM_T)
MUSA_SIM_SHUFFLES_OF_ACTIVE(MUSA_SIM_T2)
#endif

#undef MUSA_SIM_FUNCTION
#undef MUSA_SIM_T
#undef MUSA_SIM_T2
#undef MUSA_SIM_RAW
#undef MUSA_SIM_WORD
#undef MUSA_SIM_FROM_DOUBLE
#undef MUSA_SIM_NARROWED
#undef MUSA_SIM_TO_FLOAT
#undef MUSA_SIM_TO_ARGUMENT
#undef MUSA_SIM_FROM_FLOAT
#undef MUSA_SIM_FUSED
#undef MUSA_SIM_INFINITY
#undef MUSA_SIM_HAS_PAIR_OPERATORS
