// fast_math FORM N: floating point at its limits, in each form in which a block can run.
// FORM: loop, barrier. Reads x and y; writes the results of every operation, then a softmax.
#include <cmath>

#include "program.h"

constexpr int threads = 64;

#pragma clang fp reassociate(on) reciprocal(on)  // permissions that the source gives

struct Operations {
    template <class Keep>
    static __device__ void each(float x, float y, Keep keep) {
        // quotients and roots
        keep(x / y);
        keep(1.0f / x);
        keep(x / y + y / y + x / 3.0f);
        keep(sqrtf(x));
        keep(rsqrtf(x));
        keep(1.0f / sqrtf(x));
        keep(static_cast<double>(x) / y);
        keep(sqrt(static_cast<double>(x)));
        // activations, whose exponentials overflow
        keep(x / (1.0f + expf(-x)));
        keep(x * (1.0f / (1.0f + expf(-x))));
        keep(1.0f / (1.0f + expf(-x)));
        keep(logf(1.0f + expf(x)));
        keep(1.0f - 2.0f / (expf(2.0f * x) + 1.0f));
        keep(expf((y > 0 ? x : -INFINITY) - 1.0f));
        keep(expf(x));
        keep(logf(x));
        // expressions whose simplified forms differ for NaN, infinity or -0
        keep(x - x);
        keep(x * 0.0f);
        keep(x + 0.0f);
        keep(0.0f - x);
        keep(x < y ? x : y);
        keep(fmaxf(x, y));
        keep(!(x < y));
        keep(x == INFINITY);
        keep(x != x);
        keep(isnan(x));
        keep(std::isinf(x));
        keep(__builtin_isfinite(x));
        keep(std::signbit(x));
        // the order of operations
        keep((x + y) - x);
        keep(x * y + x);
        keep(x * y + y * x);
        const float product = x * y;
        keep(product + x);
        keep(static_cast<int>(x));
    }
};

__global__ void in_loop(const float* x, const float* y, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int operation = 0;
    if (i < n)
        Operations::each(x[i], y[i], [&](float result) { out[operation++ * n + i] = result; });
}

__global__ void across_a_barrier(const float* x, const float* y, float* out, int n) {
    __shared__ float kept[threads];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    const float other = kept[threads - 1 - threadIdx.x];
    __syncthreads();
    kept[threads - 1 - threadIdx.x] = other;
    __syncthreads();
    int operation = 0;
    if (i < n)
        Operations::each(kept[threadIdx.x], y[i],
                         [&](float result) { out[operation++ * n + i] = result; });
}

// Each block has a row; what lies beyond the end counts as -infinity.
__global__ void softmax(const float* x, float* out, int n) {
    __shared__ float parts[threads];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = i < n ? x[i] : -INFINITY;
    parts[threadIdx.x] = value;
    __syncthreads();
    float most = -INFINITY;
    for (int k = 0; k < threads; ++k) most = fmaxf(most, parts[k]);
    const float part = most == -INFINITY ? 0.0f : expf(value - most);
    __syncthreads();
    parts[threadIdx.x] = part;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < threads; ++k) sum += parts[k];
    if (i < n) out[i] = part / sum;
}

int main(int, char** arguments) {
    constexpr int operations = 34;
    const int n = std::atoi(arguments[2]);
    auto &x = input<float>(n), &y = input<float>(n);
    DeviceArray<float> results(operations * n), row(n);
    const auto kernel = arguments[1] == std::string("loop") ? in_loop : across_a_barrier;
    kernel<<<blocks_for(n, threads), threads>>>(x, y, results, n);
    check_kernel();
    softmax<<<blocks_for(n, threads), threads>>>(x, row, n);
    check_kernel();
    results.write();
    row.write();
}
