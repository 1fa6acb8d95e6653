#include <musa_runtime.h>
__global__ void count(const int* in, int* out) {
    __shared__ int bins[32];
    bins[threadIdx.x] = 0;
    atomicAdd(&bins[in[threadIdx.x]], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x + 1];
}
int main() {
    int* memory = nullptr;
    musaMalloc(&memory, 256);
    musaMemset(memory, 0, 256);
    count<<<1, 32>>>(memory, memory + 32);
    return musaDeviceSynchronize() == musaSuccess;
}
