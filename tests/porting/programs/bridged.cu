#include "bridge.h"
#include <cstdio>
#include <vector>
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define HAS_HALF 1
#endif
#define BF16 /* a header */ <cuda_bf16.h>
#include BF16
#define CALL(name) cuda##name
#define JOIN(a, b) a##b
template <int N> __global__ void k(int* p) { p[threadIdx.x] = N + int(sizeof(__nv_bfloat16)); }
void get(int* p, musaStream_t musaStream) {
    auto cudaStream = musaStream;
    k<3> << <1, 32, 0, cudaStream >> > (p);
}
int main() {
    int *p, h[32], device = 7;
    cudaDeviceProp properties;
    gpu::cudaEvent_t event;
    std::vector<std::vector<std::vector<int>> > nested;
    bool good = cudaMalloc(&p, sizeof h) == cudaSuccess && cudaMemset(p, 0, sizeof h) == gpu::cudaSuccess;
    get(p, cudaStream_t());
    good &= CALL(DeviceSynchronize)() == cudaSuccess;
    good &= cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess;
    good &= gpu::cudaEventCreate(&event) == cudaSuccess && gpu::Api::cudaEventDestroy(event) == cudaSuccess;
    good &= musaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    good &= JOIN(cuda, Free)(p) == cudaSuccess && nested.empty() && HAS_HALF;
    std::printf("%d %d %d", good, h[31], device);
}
