#include <cstdio>
#include <musa_runtime.h>

__global__ void reverse(int *out) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = shared[63 - threadIdx.x];
}

int main() {
    int *out;
    musaMalloc(&out, 64 * sizeof(int));
    reverse<<<1, 64>>>(out);
    musaDeviceSynchronize();
    musaFree(out);
}
