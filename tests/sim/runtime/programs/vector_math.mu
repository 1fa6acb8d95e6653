// vector_math FORM COUNT: what each function makes of the floats x and y on stdin, function by function; FORM is loop,
// barrier, or doubles: then it is exp of doubles.
#include <cmath>

#include "program.h"

// Each function as device code may call it, from a loop over threads and on both sides of a barrier.
#define FORMS(name, result)                                                           \
    __device__ float of_##name(float x, [[maybe_unused]] float y) { return result; } \
    __global__ void loop_##name(const float* x, const float* y, float* out, int count) { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        if (i < count) out[i] = of_##name(x[i], y[i]);                               \
    }                                                                                \
    __global__ void barrier_##name(const float* x, const float* y, float* out, int count) { \
        __shared__ float tile[128];                                                  \
        const int i = blockIdx.x * blockDim.x + threadIdx.x, other = 127 - threadIdx.x; \
        tile[threadIdx.x] = i < count ? of_##name(x[i], y[i]) : 0;                   \
        __syncthreads();                                                             \
        if (i - int(threadIdx.x) + other < count) out[i - threadIdx.x + other] = tile[other]; \
    }                                                                                \
    void run_##name(const float* x, const float* y, float* out, int count, bool has_barrier) { \
        const unsigned blocks = blocks_for(count, 128);                              \
        if (has_barrier) barrier_##name<<<blocks, 128>>>(x, y, out, count);          \
        else loop_##name<<<blocks, 128>>>(x, y, out, count);                         \
        check_kernel();                                                              \
    }

FORMS(expf, expf(x))
FORMS(exp2f, exp2f(x))
FORMS(expm1f, std::expm1(x))
FORMS(logf, std::log(x))
FORMS(log2f, log2f(x))
FORMS(log10f, __log10f(x))
FORMS(log1pf, log1pf(x))
FORMS(tanhf, ::tanh(x))
FORMS(erff, __builtin_erff(x))
FORMS(sinf, std::sin(x))
FORMS(cosf, __cosf(x))
FORMS(tanf, ::tan(x))
FORMS(asinf, asinf(x))
FORMS(acosf, std::acos(x))
FORMS(atanf, atanf(x))
FORMS(sinhf, sinhf(x))
FORMS(coshf, ::cosh(x))
FORMS(atanhf, std::atanh(x))
FORMS(sqrtf, std::sqrt(x))
FORMS(erfinvf, erfinv(x))
FORMS(atan2f, std::atan2(x, y))
FORMS(fmodf, ::fmod(x, y))
FORMS(nextafterf, nextafterf(x, y))

__global__ void exp_of_doubles(const double* in, double* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = exp(in[i]);
}

int main(int, char** argv) {
    const std::string form = argv[1];
    const int count = std::atoi(argv[2]);
    if (form == "doubles") {
        DeviceArray<double>& in = input<double>(count);
        DeviceArray<double> out(count);
        exp_of_doubles<<<blocks_for(count, 128), 128>>>(in, out, count);
        check_kernel();
        out.write();
        return 0;
    }
    DeviceArray<float>& x = input<float>(count);
    DeviceArray<float>& y = input<float>(count);
    DeviceArray<float> out(count);
    for (auto run : {run_expf,  run_exp2f, run_expm1f, run_logf,  run_log2f, run_log10f,  run_log1pf,   run_tanhf,
                     run_erff,  run_sinf,  run_cosf,   run_tanf,  run_asinf, run_acosf,   run_atanf,    run_sinhf,
                     run_coshf, run_atanhf, run_sqrtf, run_erfinvf, run_atan2f, run_fmodf, run_nextafterf}) {
        run(x, y, out, count, form == "barrier");
        out.write();
    }
}
