/* The inverse of erfc, which the C library lacks: for mcc's own functions, and for libraries that g++ compiles. */
#ifndef MUSA_SIM_INVERSE_ERFC_H
#define MUSA_SIM_INVERSE_ERFC_H

#include <host_defines.h>

#ifdef __MUSACC__
#include <musa_sim/c_library.h>  // <math.h> of C++ costs every source its special functions
#else
#include <math.h>
#endif

#define MUSA_SIM_INVERSE __host__ __device__ inline

namespace musa_sim_detail {

/* Halley's steps for erf or erfc; `residual` is the value found less the value wanted, `sign` the slope's. Each triples the
 * number of right digits. */
MUSA_SIM_INVERSE double halley_step(double y, double residual, double sign) {
    const double step = residual / (sign * M_2_SQRTPI * exp(-y * y));
    return y - step / (1.0 + y * step);
}

/* erfc(y) = x for 0 < x <= 1, from Abramowitz and Stegun's 26.2.22 */
MUSA_SIM_INVERSE double upper_erfcinv(double x) {
    const double t = sqrt(-2.0 * log(0.5 * x));
    double y = M_SQRT1_2 * (t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)));
    for (int i = 0; i < 3; ++i) y = halley_step(y, erfc(y) - x, -1.0);
    return y;
}

/* erf(y) = x for |x| < 0.5, from the first terms of the series */
MUSA_SIM_INVERSE double lower_erfinv(double x) {
    double y = x / M_2_SQRTPI * (1.0 + M_PI / 12.0 * x * x);
    for (int i = 0; i < 2; ++i) y = halley_step(y, erf(y) - x, 1.0);
    return y;
}

MUSA_SIM_INVERSE double inverse_erfc(double x) {
    if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? HUGE_VAL : x == 2.0 ? -HUGE_VAL : __builtin_nan("");
    if (x > 0.5 && x < 1.5) return lower_erfinv(1.0 - x);
    return x > 1.0 ? -upper_erfcinv(2.0 - x) : upper_erfcinv(x);
}

}  // namespace musa_sim_detail

#endif
