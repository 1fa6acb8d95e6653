/* Complex numbers in C, for host and device: float2 and double2 with the operations of cuComplex.h. */
#ifndef MU_COMPLEX_H_
#define MU_COMPLEX_H_

#include <math.h>
#include <vector_types.h>

typedef float2 muFloatComplex;
typedef double2 muDoubleComplex;
typedef muFloatComplex muComplex;

#define MUSA_SIM_FUNCTION __host__ __device__ static __inline__

/* T: component; Complex: type; f: suffix of the function names */
#define MUSA_SIM_COMPLEX(T, Complex, f, hypotenuse)                                                   \
    MUSA_SIM_FUNCTION T muCreal##f(Complex x) { return x.x; }                                      \
    MUSA_SIM_FUNCTION T muCimag##f(Complex x) { return x.y; }                                      \
    MUSA_SIM_FUNCTION Complex make_##Complex(T re, T im) {                                         \
        Complex result;                                                                            \
        result.x = re;                                                                             \
        result.y = im;                                                                             \
        return result;                                                                             \
    }                                                                                              \
    MUSA_SIM_FUNCTION Complex muConj##f(Complex x) { return make_##Complex(x.x, -x.y); }           \
    MUSA_SIM_FUNCTION Complex muCadd##f(Complex x, Complex y) {                                    \
        return make_##Complex(x.x + y.x, x.y + y.y);                                               \
    }                                                                                              \
    MUSA_SIM_FUNCTION Complex muCsub##f(Complex x, Complex y) {                                    \
        return make_##Complex(x.x - y.x, x.y - y.y);                                               \
    }                                                                                              \
    MUSA_SIM_FUNCTION Complex muCmul##f(Complex x, Complex y) {                                    \
        return make_##Complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                       \
    }                                                                                              \
    /* Scaled by the larger component of the divisor, so that its square cannot overflow. */       \
    MUSA_SIM_FUNCTION Complex muCdiv##f(Complex x, Complex y) {                                    \
        const T re = y.x < 0 ? -y.x : y.x, im = y.y < 0 ? -y.y : y.y;                              \
        const T scale = 1 / (re + im);                                                             \
        const T xr = x.x * scale, xi = x.y * scale, yr = y.x * scale, yi = y.y * scale;            \
        const T over = 1 / (yr * yr + yi * yi);                                                    \
        return make_##Complex((xr * yr + xi * yi) * over, (xi * yr - xr * yi) * over);             \
    }                                                                                              \
    MUSA_SIM_FUNCTION T muCabs##f(Complex x) { return hypotenuse(x.x, x.y); }                      \
    MUSA_SIM_FUNCTION Complex muCfma##f(Complex x, Complex y, Complex d) {                         \
        return muCadd##f(muCmul##f(x, y), d);                                                      \
    }

MUSA_SIM_COMPLEX(float, muFloatComplex, f, hypotf)
MUSA_SIM_COMPLEX(double, muDoubleComplex, , hypot)
#undef MUSA_SIM_COMPLEX

MUSA_SIM_FUNCTION muComplex make_muComplex(float re, float im) { return make_muFloatComplex(re, im); }
MUSA_SIM_FUNCTION muDoubleComplex muComplexFloatToDouble(muFloatComplex x) {
    return make_muDoubleComplex(x.x, x.y);
}
MUSA_SIM_FUNCTION muFloatComplex muComplexDoubleToFloat(muDoubleComplex x) {
    return make_muFloatComplex((float)x.x, (float)x.y);
}

#undef MUSA_SIM_FUNCTION

#endif
