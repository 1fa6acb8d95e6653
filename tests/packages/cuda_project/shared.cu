#include "parts.h"
using namespace PARTS;

__global__ void shared_kernel(int *out) { out[threadIdx.x] = add(3, 4) + offset; }

int shared() {
    int *out, host = 0;
    const int value = 1;
    cudaMemcpyToSymbol(offset, &value, sizeof value);
    cudaMalloc(&out, 32 * sizeof(int));
    shared_kernel<<<1, 32>>>(out);
    cudaMemcpy(&host, out + 31, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    return host;
}
