// refuted by hang
// expect error=musaSuccess
// expect sum=48
// expect sum_of_warps=32
#include "probe.h"
__global__ void some_leave(int* out, int stay) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x >= stay) return;
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}
int main() {
    int* out = managed<int>(2);
    some_leave<<<1, 64>>>(out, 48);
    fact("error", ended());
    fact("sum", *out);
    std::fflush(stdout);
    some_leave<<<1, 64>>>(out + 1, 32);
    CHECK(ended());
    fact("sum_of_warps", out[1]);
}
