/* Inverse error functions, scaled erfc, modified Bessel functions, norms of vectors.
 *
 * The C library has none of them. Computed in double; float's are rounded once more.
 */
#ifndef MUSA_SIM_SPECIAL_FUNCTIONS_H
#define MUSA_SIM_SPECIAL_FUNCTIONS_H

#include <musa_sim/c_library.h>
#include <musa_sim/inverse_erfc.h>

#define MUSA_SIM_FUNCTION __host__ __device__ __forceinline__
#define MUSA_SIM_LONG_FUNCTION __host__ __device__ inline

MUSA_SIM_LONG_FUNCTION double erfcinv(double x) { return musa_sim_detail::inverse_erfc(x); }
MUSA_SIM_LONG_FUNCTION double erfinv(double x) {
    if (fabs(x) < 0.5) return x == 0.0 ? x : musa_sim_detail::lower_erfinv(x);
    return copysign(erfcinv(1.0 - fabs(x)), x);
}
MUSA_SIM_LONG_FUNCTION double normcdfinv(double x) { return -M_SQRT2 * erfcinv(2.0 * x); }

/* exp(x * x) * erfc(x) */
MUSA_SIM_LONG_FUNCTION double erfcx(double x) {
    if (x < 6.0) {
        const double square = x * x;
        return exp(square) * (1.0 + fma(x, x, -square)) * erfc(x);
    }
    double fraction = x;  // the continued fraction, from its end
    for (int i = 40; i > 0; --i) fraction = x + 0.5 * i / fraction;
    return 0.5 * M_2_SQRTPI / fraction;
}

namespace musa_sim_detail {

/* I_order of x >= 0: its series, all of whose terms are positive; for large x the asymptotic one */
MUSA_SIM_LONG_FUNCTION double bessel_i(int order, double x) {
    if (x < 40.0) {
        const double quarter = 0.25 * x * x;
        double term = order ? 0.5 * x : 1.0, sum = 0.0;
        for (int k = 1; term > sum * 1e-18; ++k) {
            sum += term;
            term *= quarter / k / (k + order);
        }
        return sum;
    }
    double term = 1.0, sum = 0.0;
    for (int k = 1; fabs(term) > 1e-18 && k < 40; ++k) {
        sum += term;
        term *= ((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8.0 * k * x);
    }
    const double root = exp(0.5 * x);  // exp(x) may be too large where the result is not
    return root * (sum / sqrt(2.0 * M_PI * x)) * root;
}

/* The root of the sum of squares, without overflow or underflow in between */
MUSA_SIM_LONG_FUNCTION double norm_of(int count, const double* values) {
    double greatest = 0.0, sum = 0.0;
    bool is_nan = false;
    for (int i = 0; i < count; ++i) {
        greatest = fmax(greatest, fabs(values[i]));
        is_nan = is_nan || values[i] != values[i];
    }
    if (greatest == HUGE_VAL) return greatest;
    if (is_nan) return __builtin_nan("");
    if (greatest == 0.0) return 0.0;
    const int exponent = ilogb(greatest);
    for (int i = 0; i < count; ++i) {
        const double scaled = scalbn(values[i], -exponent);
        sum += scaled * scaled;
    }
    return scalbn(sqrt(sum), exponent);
}

/* A sum of squares of floats neither overflows nor underflows in double. */
MUSA_SIM_LONG_FUNCTION double norm_of(int count, const float* values) {
    double sum = 0.0;
    bool is_infinite = false;
    for (int i = 0; i < count; ++i) {
        const double value = static_cast<double>(values[i]);
        is_infinite = is_infinite || fabs(value) == HUGE_VAL;
        sum += value * value;
    }
    return is_infinite ? HUGE_VAL : sqrt(sum);
}

}  // namespace musa_sim_detail

MUSA_SIM_FUNCTION double cyl_bessel_i0(double x) { return musa_sim_detail::bessel_i(0, fabs(x)); }
MUSA_SIM_FUNCTION double cyl_bessel_i1(double x) {
    return copysign(musa_sim_detail::bessel_i(1, fabs(x)), x);
}

MUSA_SIM_FUNCTION double norm(int count, const double* values) {
    return musa_sim_detail::norm_of(count, values);
}
MUSA_SIM_FUNCTION double norm3d(double x, double y, double z) {
    const double values[] = {x, y, z};
    return norm(3, values);
}
MUSA_SIM_FUNCTION double norm4d(double x, double y, double z, double w) {
    const double values[] = {x, y, z, w};
    return norm(4, values);
}
MUSA_SIM_FUNCTION double rnorm(int count, const double* values) { return 1.0 / norm(count, values); }
MUSA_SIM_FUNCTION double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
MUSA_SIM_FUNCTION double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
MUSA_SIM_FUNCTION double rhypot(double x, double y) { return 1.0 / hypot(x, y); }

MUSA_SIM_FUNCTION float normf(int count, const float* values) {
    return static_cast<float>(musa_sim_detail::norm_of(count, values));
}
MUSA_SIM_FUNCTION float rnormf(int count, const float* values) {
    return static_cast<float>(1.0 / musa_sim_detail::norm_of(count, values));
}
MUSA_SIM_FUNCTION float norm3df(float x, float y, float z) {
    const float values[] = {x, y, z};
    return normf(3, values);
}
MUSA_SIM_FUNCTION float norm4df(float x, float y, float z, float w) {
    const float values[] = {x, y, z, w};
    return normf(4, values);
}
MUSA_SIM_FUNCTION float rnorm3df(float x, float y, float z) {
    const float values[] = {x, y, z};
    return rnormf(3, values);
}
MUSA_SIM_FUNCTION float rnorm4df(float x, float y, float z, float w) {
    const float values[] = {x, y, z, w};
    return rnormf(4, values);
}
MUSA_SIM_FUNCTION float rhypotf(float x, float y) {
    return static_cast<float>(1.0 / hypot(static_cast<double>(x), static_cast<double>(y)));
}

#define MUSA_SIM_OF_FLOAT(name) \
    MUSA_SIM_FUNCTION float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); }
MUSA_SIM_OF_FLOAT(erfcinv)
MUSA_SIM_OF_FLOAT(erfcx)
MUSA_SIM_OF_FLOAT(normcdfinv)
MUSA_SIM_OF_FLOAT(cyl_bessel_i0)
MUSA_SIM_OF_FLOAT(cyl_bessel_i1)
#undef MUSA_SIM_OF_FLOAT

/* x times a polynomial in -log(1 - x^2) or in its root, as Giles does. No branches: a loop over threads becomes a vector. */
MUSA_SIM_FUNCTION float erfinvf(float x) {
    const float log = -logf((1 - x) * (1 + x));
    const bool is_tail = log >= 5;
    const float t = is_tail ? sqrtf(log) - 3 : log;
    float p = is_tail ? 0.00012744627f : -8.791055e-09f;
    p = p * t + (is_tail ? -0.000317902101f : 2.21031272e-07f);
    p = p * t + (is_tail ? -7.43280107e-05f : -1.9764675e-06f);
    p = p * t + (is_tail ? 0.00149493443f : 3.98326438e-06f);
    p = p * t + (is_tail ? -0.00358817913f : 4.45651567e-05f);
    p = p * t + (is_tail ? 0.00568347797f : -0.000127481588f);
    p = p * t + (is_tail ? -0.00763917528f : -0.00233429624f);
    p = p * t + (is_tail ? 0.00944565516f : 0.0115486542f);
    p = p * t + (is_tail ? 1.00167513f : 0.232013822f);
    /* the first coefficient in two parts: it is most of a small result */
    p = p * t + (is_tail ? -2.20498042e-08f : 2.80226938e-08f);
    return p * x + (is_tail ? 2.83297682f : 0.886226892f) * x;
}
/* As CUDA has it */
MUSA_SIM_FUNCTION float erfinv(float x) { return erfinvf(x); }

#undef MUSA_SIM_LONG_FUNCTION
#undef MUSA_SIM_FUNCTION

#endif
