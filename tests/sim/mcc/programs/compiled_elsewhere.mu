#include <cassert>
#include <cstdio>
#include <musa_runtime.h>
#include "there.h"
__constant__ float weights[4] = {1, 2, 3, SUM};
static __device__ int counter;
template <class T> __global__ void scale(const T* x, T* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __MUSA_ARCH__
    if (i < n) y[i] = x[i] * weights[i & 3] * __MUSA_ARCH__;
#endif
}
static __global__ void reverse(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
    assert(p != nullptr);
    atomicAdd(&counter, __LINE__);
}
int main() {
    float *x, *y;
    musaMalloc(&x, 400);
    musaMalloc(&y, 400);
    scale<float><<<1, 100>>>(x, y, 100);
    scale<double><<<1, 50>>>(reinterpret_cast<double*>(x), reinterpret_cast<double*>(y), 50);
    reverse<<<1, 64>>>(reinterpret_cast<int*>(x));
    std::printf("%s %s\n", __FILE__, musaGetErrorString(musaDeviceSynchronize()));
}
