#include <cstdio>
extern __device__ int calls;
__device__ int called(int value);
__global__ void calling(int *out) { out[threadIdx.x] = called(threadIdx.x); }
int main() {
    int *out, host[32], count;
    cudaMalloc(&out, sizeof host);
    calling<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, calls, sizeof count);
    std::printf("%d %d\n", host[21], count);
}
