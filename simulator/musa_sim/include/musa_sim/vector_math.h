/* Functions without branches, which loops over threads compute in vectors: of floats, and exp and sqrt of doubles.
 *
 * Device code calls the C library's expf, logf and so on by name. Those are scalar, so a loop that calls one is not
 * vectorised. These definitions have the C library's symbols: clang takes them wherever device code, the C++ library or a
 * builtin calls expf, and only then. A thread gets the same result whether its loop is a vector, a scalar or a fiber.
 *
 * The polynomials are least-maximum fits, made for this file. The errors, of all floats, are in ulps, with fused
 * multiply-adds: see VECTOR_MATH_ERRORS in tests/sim/runtime/test_vector_math.py, which holds them to that. CUDA documents up
 * to 2 for these functions, up to 4 for tanf; MUSA's are not documented.
 */
#ifndef MUSA_SIM_VECTOR_MATH_H
#define MUSA_SIM_VECTOR_MATH_H

#if defined(__MUSA_ARCH__)

/* The function that device code means when it calls `name`. */
#define MUSA_SIM_VECTOR_FUNCTION(name)                                          \
    __device__ float __musa_sim_vector_##name(float) noexcept __asm__(#name); \
    __device__ __attribute__((always_inline)) inline float __musa_sim_vector_##name(float x) noexcept
#define MUSA_SIM_VECTOR_FUNCTION_OF_TWO(name)                                          \
    __device__ float __musa_sim_vector_##name(float, float) noexcept __asm__(#name); \
    __device__ __attribute__((always_inline)) inline float __musa_sim_vector_##name(float x, float y) noexcept
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
    /* the part of the larger summand that the sum lost */
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

/* |x| less the nearest multiple of pi/2, and that multiple, of which two bits are right. */
struct __musa_sim_angle {
    float rest;
    unsigned quarter;
};
/* The same for all sizes: the product of the mantissa and those 96 bits of 1/(2 pi) that matter, as Payne and Hanek do. */
MUSA_SIM_VECTOR_PART __musa_sim_angle __musa_sim_reduced(float x) {
    const int bits = __musa_sim_bits(__builtin_fabsf(x)), exponent = (bits >> 23) - 126;
    const int shift = exponent < 127 ? exponent : 127, within = shift & 31;
    const unsigned mantissa = ((bits & 0x7fffff) | 0x800000) << ((exponent - shift) & 31);
    const bool from_0 = shift < 32, from_1 = shift < 64, from_2 = shift < 96;
    /* the words of 2^24/(2 pi) * 2^shift, by the position of their first bits */
    const unsigned first = from_0 ? 0x00000028u : from_1 ? 0xbe60db93u : from_2 ? 0x91054a7fu : 0x09d5f47du;
    const unsigned second = from_0 ? 0xbe60db93u : from_1 ? 0x91054a7fu : from_2 ? 0x09d5f47du : 0x4d377036u;
    const unsigned third = from_0 ? 0x91054a7fu : from_1 ? 0x09d5f47du : from_2 ? 0x4d377036u : 0xd8a5664fu;
    const unsigned fourth = from_0 ? 0x09d5f47du : from_1 ? 0x4d377036u : from_2 ? 0xd8a5664fu : 0x10e4107fu;
    const unsigned high = first << within | second >> 1 >> (31 - within);
    const unsigned long long middle = second << within | third >> 1 >> (31 - within);
    const unsigned long long low = third << within | fourth >> 1 >> (31 - within);
    /* in turns, of which whole ones are lost, times 2^64 */
    const unsigned long long turns =
        (static_cast<unsigned long long>(mantissa * high) << 32) + mantissa * middle + (mantissa * low >> 32);
    const unsigned long long rest = turns << 2;
    const double quarters = static_cast<double>(static_cast<int>(rest >> 32)) +
                            static_cast<double>(static_cast<int>(static_cast<unsigned>(rest) >> 1)) * 4.6566128730773926e-10;
    const bool is_small = bits < 0x3f490fdb; /* pi/4 */
    return {is_small ? __builtin_fabsf(x) : static_cast<float>(quarters * 3.657295198167899e-10 /* pi/2 / 2^32 */),
            is_small ? 0 : static_cast<unsigned>((turns + (1ull << 61)) >> 62)};
}
/* The sine of `quarter` right angles and `rest`, negated if the sign bit of `sign` is set; NaN for infinite x. */
MUSA_SIM_VECTOR_PART float __musa_sim_sine(float x, float rest, unsigned quarter, unsigned sign) {
    const float square = rest * rest;
    float p = -0.000195182889f;
    p = p * square + 0.00833218917f;
    p = p * square - 0.166666552f;
    const float sine = p * (square * rest) + rest;
    float q = 2.44622042e-05f;
    q = q * square - 0.00138876121f;
    q = q * square + 0.041666653f;
    const float cosine = q * (square * square) + (1 - 0.5f * square);
    const unsigned flip = (quarter << 30 ^ sign) & 0x80000000u;
    const float usual = __musa_sim_float(__musa_sim_bits(quarter & 1 ? cosine : sine) ^ static_cast<int>(flip));
    return __builtin_fabsf(x) <= 3.40282347e+38f ? usual : x - x;
}

MUSA_SIM_VECTOR_FUNCTION(sinf) {
    const __musa_sim_angle of = __musa_sim_reduced(x);
    return __musa_sim_sine(x, of.rest, of.quarter & 3, static_cast<unsigned>(__musa_sim_bits(x)));
}
MUSA_SIM_VECTOR_FUNCTION(cosf) {
    const __musa_sim_angle of = __musa_sim_reduced(x);
    return __musa_sim_sine(x, of.rest, (of.quarter + 1) & 3, 0);
}
__device__ void __musa_sim_vector_sincosf(float, float*, float*) noexcept __asm__("sincosf");
MUSA_SIM_VECTOR_PART void __musa_sim_vector_sincosf(float x, float* sine, float* cosine) noexcept {
    const float found = __musa_sim_vector_sinf(x);
    *cosine = __musa_sim_vector_cosf(x);
    *sine = found;
}

MUSA_SIM_VECTOR_FUNCTION(tanf) {
    const __musa_sim_angle of = __musa_sim_reduced(x);
    const float square = of.rest * of.rest;
    float p = 0.00430665677f;
    p = p * square + 0.000246140989f;
    p = p * square + 0.0106962938f;
    p = p * square + 0.0213444587f;
    p = p * square + 0.0540454723f;
    p = p * square + 0.133328244f;
    p = p * square + 0.333333433f;
    const float tangent = p * (square * of.rest) + of.rest;
    const float usual = of.quarter & 1 ? -1 / tangent : tangent;
    const float with_sign = __musa_sim_float(__musa_sim_bits(usual) ^ (__musa_sim_bits(x) & static_cast<int>(0x80000000u)));
    return __builtin_fabsf(x) <= 3.40282347e+38f ? with_sign : x - x;
}

/* Of |x|, or where that is greater than 0.55, of the root of (1 - |x|)/2: then it is pi/4 less half the arc sine of |x|. */
MUSA_SIM_VECTOR_PART float __musa_sim_arc_sine(float size) {
    const bool is_large = size > 0.55f;
    const float square = is_large ? 0.5f - 0.5f * size : size * size;
    const float t = is_large ? __builtin_elementwise_sqrt(square) : size;
    float p = 0.0444834568f;
    p = p * square + 0.00933718681f;
    p = p * square + 0.0331740268f;
    p = p * square + 0.044355534f;
    p = p * square + 0.0750129074f;
    p = p * square + 0.166666493f;
    return p * (square * t) + t;
}
MUSA_SIM_VECTOR_FUNCTION(asinf) {
    const float size = __builtin_fabsf(x), arc = __musa_sim_arc_sine(size);
    return __builtin_copysignf(size > 0.55f ? 1.57079637f - (2 * arc + 4.37113883e-8f) : arc, x);
}
MUSA_SIM_VECTOR_FUNCTION(acosf) {
    const float size = __builtin_fabsf(x), arc = __musa_sim_arc_sine(size);
    const float large = x > 0 ? 2 * arc : 3.14159274f - (2 * arc + 8.74227766e-8f);
    return size > 0.55f ? large : 1.57079637f - (__builtin_copysignf(arc, x) + 4.37113883e-8f);
}

/* The angle of a point in the upper half plane, from the lesser of its coordinates' sizes over the greater. */
MUSA_SIM_VECTOR_PART float __musa_sim_arc_tangent(float ratio, bool is_steep, bool is_left) {
    const float square = ratio * ratio;
    float p = -0.00186307589f;
    p = p * square + 0.0112387678f;
    p = p * square - 0.0318120532f;
    p = p * square + 0.0586318038f;
    p = p * square - 0.0844562799f;
    p = p * square + 0.109678768f;
    p = p * square - 0.142675698f;
    p = p * square + 0.199989066f;
    p = p * square - 0.333333135f;
    const float arc = p * (square * ratio) + ratio;
    const float whole = is_steep ? 1.57079637f : is_left ? 3.14159274f : 0;
    return whole + ((is_steep != is_left ? -arc : arc) - whole * 2.78275342e-8f);
}
MUSA_SIM_VECTOR_FUNCTION(atanf) {
    const float size = __builtin_fabsf(x);
    const bool is_steep = size > 1;
    return __builtin_copysignf(__musa_sim_arc_tangent(is_steep ? 1 / size : size, is_steep, false), x);
}
MUSA_SIM_VECTOR_FUNCTION_OF_TWO(atan2f) { /* y is the abscissa */
    const float up = __builtin_fabsf(x), along = __builtin_fabsf(y);
    const bool is_steep = up > along, is_left = __musa_sim_bits(y) < 0;
    const float most = is_steep ? up : along, ratio = (is_steep ? along : up) / most;
    const float of_equals = most == 0 ? 0.0f : 1.0f;
    return __builtin_copysignf(__musa_sim_arc_tangent(up == along ? of_equals : ratio, is_steep, is_left), x);
}

/* e^size / 2 for size >= 0 */
MUSA_SIM_VECTOR_PART float __musa_sim_half_exp(float size) {
    size = __musa_sim_between(0.0f, size, 90.0f);
    const __musa_sim_integer n = __musa_sim_nearest(size * 1.44269504f);
    return __musa_sim_scaled(__musa_sim_small_expm1(__musa_sim_without_powers(size, n.real)) + 1, n.whole - 1);
}
MUSA_SIM_VECTOR_FUNCTION(sinhf) {
    const float size = __builtin_fabsf(x), square = x * x, half = __musa_sim_half_exp(size);
    float p = 2.78221319e-06f;
    p = p * square + 0.000198428956f;
    p = p * square + 0.00833331048f;
    p = p * square + 0.166666672f;
    return __builtin_copysignf(size < 1 ? p * (square * size) + size : half - 0.25f / half, x);
}
MUSA_SIM_VECTOR_FUNCTION(coshf) {
    const float half = __musa_sim_half_exp(__builtin_fabsf(x));
    return half + 0.25f / half;
}
MUSA_SIM_VECTOR_FUNCTION(atanhf) {
    const float size = __builtin_fabsf(x);
    return __builtin_copysignf(0.5f * __musa_sim_vector_log1pf(2 * size / (1 - size)), x);
}

MUSA_SIM_VECTOR_FUNCTION(sqrtf) { return __builtin_elementwise_sqrt(x); }

MUSA_SIM_VECTOR_FUNCTION_OF_TWO(nextafterf) {
    const int bits = __musa_sim_bits(x);
    const float beside = __musa_sim_float((x < y) == (x > 0) ? bits + 1 : bits - 1);
    const float usual = x == 0 ? __builtin_copysignf(1.40129846e-45f, y) : beside;
    return x != x || y != y ? x + y : x == y ? y : usual;
}

/* Exact, by long division with digits of 28 bits: in double so many times a divisor of 24 bits has no error. */
MUSA_SIM_VECTOR_FUNCTION_OF_TWO(fmodf) {
    const double size = static_cast<double>(__builtin_fabsf(x)), divisor = static_cast<double>(__builtin_fabsf(y));
    const double inverse = 1 / divisor, shift = 6755399441055744.0; /* 1.5 * 2^52 */
    double rest = size * 0x1p-252; /* quotients of floats are below 2^277 */
    for (int digit = 0; digit < 10; ++digit) {
        rest *= digit == 0 ? 1 : 0x1p28;
        rest -= ((rest * inverse + shift) - shift) * divisor; /* less the nearest multiple: may be negative */
    }
    rest = rest < 0 ? rest + divisor : rest;
    return __builtin_copysignf(static_cast<float>(size < divisor ? size : rest), x);
}

__device__ double __musa_sim_vector_sqrt(double) noexcept __asm__("sqrt");
MUSA_SIM_VECTOR_PART double __musa_sim_vector_sqrt(double x) noexcept { return __builtin_elementwise_sqrt(x); }

/* x * 2^n for |n| up to 2044, in two steps, since 2^n may have no double. */
MUSA_SIM_VECTOR_PART double __musa_sim_double_power(long long n) {
    return __builtin_bit_cast(double, static_cast<unsigned long long>(n + 1023) << 52);
}
__device__ double __musa_sim_vector_exp(double) noexcept __asm__("exp");
MUSA_SIM_VECTOR_PART double __musa_sim_vector_exp(double x) noexcept {
    x = x > 710.0 ? 710.0 : x;
    x = x < -746.0 ? -746.0 : x;
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    const double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
    const long long whole = __builtin_bit_cast(long long, shifted) - __builtin_bit_cast(long long, shift), half = whole >> 1;
    const double r = (x - n * 0.693147180369123816) - n * 1.90821492927058770e-10;
    double p = 2.5110049895858716e-08;
    p = p * r + 2.7632655759332031e-07;
    p = p * r + 2.7557242336680357e-06;
    p = p * r + 2.4801487326012337e-05;
    p = p * r + 0.00019841269886590999;
    p = p * r + 0.0013888888947820891;
    p = p * r + 0.0083333333333222067;
    p = p * r + 0.041666666666521988;
    p = p * r + 0.16666666666666674;
    p = p * r + 0.500000000000001;
    const double sum = 1 + r, lost = r - (sum - 1);
    return (p * (r * r) + lost + sum) * __musa_sim_double_power(half) * __musa_sim_double_power(whole - half);
}

#undef MUSA_SIM_VECTOR_FUNCTION_OF_TWO
#undef MUSA_SIM_VECTOR_FUNCTION
#undef MUSA_SIM_VECTOR_PART

#endif

#endif
