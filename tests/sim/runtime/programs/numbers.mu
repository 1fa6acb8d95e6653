// numbers FORM N: a * b + c in each form in which a block can run.
#include "program.h"

__global__ void in_loop(const float* a, const float* b, const float* c, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i] + c[i];
}

__global__ void across_a_barrier(const float* a, const float* b, const float* c, float* out, int n) {
    __shared__ float factors[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    factors[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i < n) out[i] = factors[threadIdx.x] * b[i] + c[i];
}

__global__ void with_a_shuffle(const float* a, const float* b, const float* c, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float factor = __shfl_sync(~0u, i < n ? a[i] : 0, threadIdx.x % warpSize);
    if (i < n) out[i] = factor * b[i] + c[i];
}

int main(int, char** arguments) {
    const std::string which = arguments[1];
    const int n = std::atoi(arguments[2]);
    auto &a = input<float>(n), &b = input<float>(n), &c = input<float>(n);
    DeviceArray<float> out(n);
    const auto kernel = which == "loop" ? in_loop : which == "barrier" ? across_a_barrier : with_a_shuffle;
    kernel<<<blocks_for(n, 64), 64>>>(a, b, c, out, n);
    check_kernel();
    out.write();
}
