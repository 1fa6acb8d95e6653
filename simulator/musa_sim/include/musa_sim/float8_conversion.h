/* Between double and the 8-bit formats E4M3 and E5M2. Any C++ compiler; host and device. */
#ifndef MUSA_SIM_FLOAT8_CONVERSION_H
#define MUSA_SIM_FLOAT8_CONVERSION_H

#include <host_defines.h>
#include <math.h>

namespace musa_sim_detail {

/* Two to the power n, for n from -1022 to 1023. */
__host__ __device__ __forceinline__ double power_of_two(int n) {
    const unsigned long long bits = static_cast<unsigned long long>(n + 1023) << 52;
    double result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

/* The magnitude as a number with so many mantissa bits and that bias: exponent and mantissa in a row. Numbers beyond
 * the format count on as if it had more exponents. */
template <int mantissa_bits, int bias>
__host__ __device__ __forceinline__ int rounded_magnitude(double magnitude) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &magnitude, sizeof bits);
    const int exponent = static_cast<int>(bits >> 52) - 1023;
    const int least = 1 - bias;  // of the normal numbers, and of the subnormal ones with them
    const int scale = exponent < least ? least : exponent;
    const int steps = static_cast<int>(rint(magnitude * power_of_two(mantissa_bits - scale)));  // ties to even
    return steps + ((scale - least) << mantissa_bits);
}

template <int mantissa_bits, int bias, int largest>
__host__ __device__ __forceinline__ unsigned char to_float8(double x, bool saturate, int beyond) {
    if (x != x) return 0x7f;
    const int sign = signbit(x) ? 0x80 : 0;
    const double magnitude = fabs(x);
    /* From here on all the same, and so large a number would not fit into an int. */
    const int rounded = magnitude >= 1e6 ? 0x7f : rounded_magnitude<mantissa_bits, bias>(magnitude);
    if (rounded <= largest) return static_cast<unsigned char>(sign | rounded);
    return static_cast<unsigned char>(sign | (saturate ? largest : beyond));
}

__host__ __device__ __forceinline__ unsigned char to_e4m3(double x, bool saturate) {
    return to_float8<3, 7, 0x7e>(x, saturate, 0x7f);
}
__host__ __device__ __forceinline__ unsigned char to_e5m2(double x, bool saturate) {
    return to_float8<2, 15, 0x7b>(x, saturate, 0x7c);
}

template <int mantissa_bits, int bias>
__host__ __device__ __forceinline__ float from_float8(unsigned char x) {
    const int exponent = (x & 0x7f) >> mantissa_bits;
    const int mantissa = x & ((1 << mantissa_bits) - 1);
    const int whole = exponent ? mantissa | 1 << mantissa_bits : mantissa;
    const double magnitude = whole * power_of_two((exponent ? exponent : 1) - bias - mantissa_bits);
    return static_cast<float>(x & 0x80 ? -magnitude : magnitude);
}

__host__ __device__ __forceinline__ float from_e4m3(unsigned char x) {
    return (x & 0x7f) == 0x7f ? __builtin_nanf("") : from_float8<3, 7>(x);
}
__host__ __device__ __forceinline__ float from_e5m2(unsigned char x) {
    if ((x & 0x7f) > 0x7c) return __builtin_nanf("");
    if ((x & 0x7f) == 0x7c) return x & 0x80 ? -__builtin_inff() : __builtin_inff();
    return from_float8<2, 15>(x);
}

}  // namespace musa_sim_detail

#endif
