// vector_math COUNT: what each function makes of the floats on stdin, function by function.
#include <cmath>

#include "program.h"

// Each function as device code may call it, from a loop over threads and on both sides of a barrier.
#define FORMS(name, call)                                                             \
    __global__ void loop_##name(const float* in, float* out, int count) {            \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        if (i < count) out[i] = call(in[i]);                                         \
    }                                                                                \
    __global__ void barrier_##name(const float* in, float* out, int count) {         \
        __shared__ float tile[128];                                                  \
        const int i = blockIdx.x * blockDim.x + threadIdx.x, other = 127 - threadIdx.x; \
        tile[threadIdx.x] = i < count ? call(in[i]) : 0;                             \
        __syncthreads();                                                             \
        if (i - int(threadIdx.x) + other < count) out[i - threadIdx.x + other] = tile[other]; \
    }                                                                                \
    void run_##name(const float* in, float* out, int count, bool has_barrier) {      \
        const unsigned blocks = blocks_for(count, 128);                              \
        if (has_barrier) barrier_##name<<<blocks, 128>>>(in, out, count);            \
        else loop_##name<<<blocks, 128>>>(in, out, count);                           \
        check_kernel();                                                              \
    }

FORMS(expf, expf)
FORMS(exp2f, exp2f)
FORMS(expm1f, std::expm1)
FORMS(logf, std::log)
FORMS(log2f, log2f)
FORMS(log10f, __log10f)
FORMS(log1pf, log1pf)
FORMS(tanhf, ::tanh)
FORMS(erff, __builtin_erff)

int main(int, char** argv) {
    const int count = std::atoi(argv[2]);
    const bool has_barrier = std::string(argv[1]) == "barrier";
    DeviceArray<float>& in = input<float>(count);
    DeviceArray<float> out(count);
    for (auto run : {run_expf, run_exp2f, run_expm1f, run_logf, run_log2f, run_log10f, run_log1pf, run_tanhf, run_erff}) {
        run(in, out, count, has_barrier);
        out.write();
    }
}
