#include <stdio.h>
__device__ __attribute__((noinline)) int behind_a_call(int* tile, int value) {
    tile[threadIdx.x] = value;
    __syncthreads();
    return tile[31 - threadIdx.x];
}
__global__ void outlined(int* out) {
    __shared__ int tile[32];
    out[threadIdx.x] = behind_a_call(tile, threadIdx.x);
}
__device__ __attribute__((noinline)) int neighbour(int value) { return __shfl_xor_sync(0xffffffffu, value, 1); }
__global__ void shuffled(int* out) {
    __syncthreads();
    out[threadIdx.x] += neighbour(threadIdx.x);
}
int main() {
    int* out;
    musaMallocManaged((void**)&out, 32 * sizeof(int));
    outlined<<<1, 32>>>(out);
    shuffled<<<1, 32>>>(out);
    musaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) printf("%d ", out[i]);
}
