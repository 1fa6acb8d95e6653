// refuted by hang
// expect error=musaSuccess
// expect sum=48
#include "probe.h"
__global__ void some_leave(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x >= 48) return;
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = count;
}
int main() {
    int* out = managed<int>(1);
    some_leave<<<1, 64>>>(out);
    fact("error", ended());
    fact("sum", *out);
}
