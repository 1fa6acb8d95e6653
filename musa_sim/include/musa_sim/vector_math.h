/* Single-precision functions without branches, which loops over threads compute in vectors.
 *
 * Device code calls the C library's expf and its kin by name. Its functions are scalar, so a loop that calls one is not
 * vectorised. These definitions have the C library's symbols: clang takes them wherever device code, the C++ library or a
 * builtin calls expf, and only then. A thread gets the same result whether its loop is a vector, a scalar or a fiber.
 *
 * The polynomials are least-maximum fits, made for this file. The errors, of all floats, are in units in the last place, with
 * fused multiply-adds (tests/sim/runtime/test_compute.py holds them to that): see VECTOR_MATH_ERRORS there. CUDA documents up
 * to 2 for these functions; MUSA's are not documented.
 */
#ifndef MUSA_SIM_VECTOR_MATH_H
#define MUSA_SIM_VECTOR_MATH_H

#if defined(__MUSA_ARCH__)

/* The function that device code means when it calls `name`. */
#define MUSA_SIM_VECTOR_FUNCTION(name)                                          \
    __device__ float __musa_sim_vector_##name(float) noexcept __asm__(#name); \
    __device__ __attribute__((always_inline)) inline float __musa_sim_vector_##name(float x) noexcept
#define MUSA_SIM_VECTOR_PART __device__ __attribute__((always_inline)) inline

MUSA_SIM_VECTOR_PART int __musa_sim_bits(float x) { return __builtin_bit_cast(int, x); }
MUSA_SIM_VECTOR_PART float __musa_sim_float(int bits) { return __builtin_bit_cast(float, bits); }

/* x * 2^n for |n| up to 252, in two steps, since 2^n may have no float. */
MUSA_SIM_VECTOR_PART float __musa_sim_scaled(float x, int n) {
    const int half = n >> 1;
    return x * __musa_sim_float((half + 127) << 23) * __musa_sim_float((n - half + 127) << 23);
}
/* The nearest integer, as a float and as an int; of NaN any, without undefined behaviour. */
struct __musa_sim_integer {
    float real;
    int whole;
};
MUSA_SIM_VECTOR_PART __musa_sim_integer __musa_sim_nearest(float x) {
    const float shift = 12582912.0f; /* 1.5 * 2^23: what is added to it is rounded to an integer */
    const float shifted = x + shift;
    return {shifted - shift, __musa_sim_bits(shifted) - __musa_sim_bits(shift)};
}
/* Keeps NaN. */
MUSA_SIM_VECTOR_PART float __musa_sim_between(float low, float x, float high) {
    x = x > high ? high : x;
    return x < low ? low : x;
}

/* e^r - 1 for |r| up to log(2)/2. */
MUSA_SIM_VECTOR_PART float __musa_sim_small_expm1(float r) {
    float p = 0.000199178321f;
    p = p * r + 0.00139460864f;
    p = p * r + 0.00833326578f;
    p = p * r + 0.0416662693f;
    p = p * r + 0.166666672f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}
/* x - n * log(2), of which the first part has few enough digits for an exact product. */
MUSA_SIM_VECTOR_PART float __musa_sim_without_powers(float x, float n) {
    return (x - n * 0.693145752f) - n * 1.42860677e-6f;
}

MUSA_SIM_VECTOR_FUNCTION(expf) {
    x = __musa_sim_between(-104.0f, x, 89.0f);
    const __musa_sim_integer n = __musa_sim_nearest(x * 1.44269504f);
    return __musa_sim_scaled(__musa_sim_small_expm1(__musa_sim_without_powers(x, n.real)) + 1, n.whole);
}

MUSA_SIM_VECTOR_FUNCTION(exp2f) {
    x = __musa_sim_between(-151.0f, x, 129.0f);
    const __musa_sim_integer n = __musa_sim_nearest(x);
    const float r = x - n.real;
    float p = 1.53149722e-05f;
    p = p * r + 0.000154671361f;
    p = p * r + 0.0013333431f;
    p = p * r + 0.00961803645f;
    p = p * r + 0.0555041097f;
    p = p * r + 0.240226507f;
    p = p * r + 0.693147182f;
    return __musa_sim_scaled(p * r + 1, n.whole);
}

MUSA_SIM_VECTOR_FUNCTION(expm1f) {
    const float within = __musa_sim_between(-20.0f, x, 89.0f);
    const __musa_sim_integer n = __musa_sim_nearest(within * 1.44269504f);
    const float small = __musa_sim_small_expm1(__musa_sim_without_powers(within, n.real));
    /* 2^n (1 + small) - 1, where 2^n may have no float */
    const float power = __musa_sim_float((n.whole - 1 + 127) << 23);
    const float result = (small * power + (power - 0.5f)) * 2;
    return n.whole == 0 ? (x == 0 ? x : small) : result;
}

/* x = (1 + fraction) * 2^exponent, sqrt(1/2) <= 1 + fraction < sqrt(2), for positive floats. */
struct __musa_sim_parts {
    float fraction, exponent;
};
MUSA_SIM_VECTOR_PART __musa_sim_parts __musa_sim_split(float x) {
    const bool subnormal = x < 1.17549435e-38f;
    const int bits = __musa_sim_bits(subnormal ? x * 8388608.0f : x);
    const int exponent = (bits - 0x3f3504f3) >> 23;
    return {__musa_sim_float(bits - (exponent << 23)) - 1, static_cast<float>(subnormal ? exponent - 23 : exponent)};
}
/* log(1 + f) - f */
MUSA_SIM_VECTOR_PART float __musa_sim_log_rest(float f) {
    float p = 0.0674660131f;
    p = p * f - 0.116756409f;
    p = p * f + 0.118881747f;
    p = p * f - 0.124055915f;
    p = p * f + 0.142195508f;
    p = p * f - 0.166679963f;
    p = p * f + 0.200021192f;
    p = p * f - 0.250000089f;
    p = p * f + 0.333333135f;
    return (p * f - 0.5f) * (f * f);
}
/* A logarithm of x, where `usual` is what it is of positive numbers. */
MUSA_SIM_VECTOR_PART float __musa_sim_log_of(float x, float usual) {
    usual = x > 3.40282347e+38f ? x : usual;
    usual = x == 0 ? -__builtin_inff() : usual;
    return x < 0 || x != x ? __builtin_nanf("") : usual;
}

MUSA_SIM_VECTOR_FUNCTION(logf) {
    const __musa_sim_parts of = __musa_sim_split(x);
    const float low = of.exponent * 1.42860677e-6f + __musa_sim_log_rest(of.fraction);
    return __musa_sim_log_of(x, of.exponent * 0.693145752f + (low + of.fraction));
}

MUSA_SIM_VECTOR_FUNCTION(log2f) {
    const __musa_sim_parts of = __musa_sim_split(x);
    const float f = of.fraction;
    const float low = __musa_sim_log_rest(f) * 1.44269502f + f * 1.92596303e-8f;
    return __musa_sim_log_of(x, of.exponent + (f * 1.44269502f + low));
}

MUSA_SIM_VECTOR_FUNCTION(log10f) {
    const __musa_sim_parts of = __musa_sim_split(x);
    const float f = of.fraction;
    const float low = __musa_sim_log_rest(f) * 0.434294492f + (f * -1.01e-8f + of.exponent * 7.90341343e-7f);
    return __musa_sim_log_of(x, of.exponent * 0.301029205f + (f * 0.434294492f + low));
}

MUSA_SIM_VECTOR_FUNCTION(log1pf) {
    const float sum = 1 + x;
    const __musa_sim_parts of = __musa_sim_split(sum);
    /* what the sum lost, of the larger summand */
    const float lost = (x > 1 ? 1 - (sum - x) : x - (sum - 1)) / sum;
    const float f = of.fraction;
    const float low = of.exponent * 1.42860677e-6f + (__musa_sim_log_rest(f) + lost);
    const float usual = of.exponent * 0.693145752f + (low + f);
    const bool is_small = x < 0.25f && x > -0.25f;
    return is_small ? (x == 0 ? x : __musa_sim_log_rest(x) + x) : __musa_sim_log_of(sum, usual);
}

MUSA_SIM_VECTOR_FUNCTION(tanhf) {
    const float size = __builtin_fabsf(x), square = x * x;
    float p = -0.0056483075f;
    p = p * square + 0.0205898173f;
    p = p * square - 0.0537251234f;
    p = p * square + 0.133312747f;
    p = p * square - 0.333332747f;
    const float small = p * square * x + x;
    const float twice = __musa_sim_between(0.0f, 2 * size, 40.0f);
    const __musa_sim_integer n = __musa_sim_nearest(twice * 1.44269504f);
    const float power = __musa_sim_small_expm1(__musa_sim_without_powers(twice, n.real)) + 1;
    const float large = 1 - 2 / (power * __musa_sim_float((n.whole + 127) << 23) + 1);
    return __builtin_copysignf(size < 0.63f ? small : large, x);
}

MUSA_SIM_VECTOR_FUNCTION(erff) {
    const float size = __musa_sim_between(0.0f, __builtin_fabsf(x), 4.0f), square = x * x;
    float p = -9.64151513e-06f;
    p = p * square + 0.000112569476f;
    p = p * square - 0.000848282885f;
    p = p * square + 0.00522094546f;
    p = p * square - 0.0268654004f;
    p = p * square + 0.112837821f;
    p = p * square - 0.376126379f;
    p = p * square + 0.128379166f;
    const float small = p * x + x;
    /* erfc(size) = e^-q */
    float q = 2.16868502e-05f;
    q = q * size - 0.000441336364f;
    q = q * size + 0.00420456193f;
    q = q * size - 0.0252082571f;
    q = q * size + 0.108418576f;
    q = q * size + 0.633219898f;
    q = q * size + 1.12957847f;
    q = q * size - 0.000188040227f;
    const __musa_sim_integer n = __musa_sim_nearest(q * -1.44269504f);
    const float power = __musa_sim_small_expm1(__musa_sim_without_powers(-q, n.real)) + 1;
    const float large = 1 - power * __musa_sim_float((n.whole + 127) << 23);
    return size < 1 ? small : __builtin_copysignf(large, x);
}

#undef MUSA_SIM_VECTOR_FUNCTION
#undef MUSA_SIM_VECTOR_PART

#endif

#endif
