#include <cstdio>
#include <numeric>

__global__ void squares(int *out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
    int *out, host[32];
    cudaMallocManaged(&out, sizeof host);
    squares<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault);
    const int sum = std::reduce(host, host + 32);  // of C++17
    std::printf("%d\n", sum);
}
