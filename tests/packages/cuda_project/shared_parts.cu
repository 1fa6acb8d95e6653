#include "parts.h"

namespace PARTS {
static __device__ int times() { return 3; }
__device__ int offset = 100;
__device__ int add(int a, int b) {
    __shared__ int sums[32];
    sums[31 - threadIdx.x] = times() * (a + b);
    __syncthreads();
    return sums[threadIdx.x];
}
}
