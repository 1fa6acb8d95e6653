#include "shared.muh"

static __device__ int hidden = 1;  // unrelated to the others

__device__ int plain(int value) { return value + hidden; }
__device__ int neighbour(int value) {
    __shared__ int kept[threads];
    kept[threadIdx.x] = value;
    __syncthreads();
    return kept[(threadIdx.x + 1) % threads];
}
__device__ int sum_of_warp(int value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    return value;
}
extern __shared__ int memory[];
__device__ int* dynamic() { return memory; }

__device__ int Shape::area() const { return side; }
__device__ int Box::area() const { return side * side; }

static __device__ int negated(int value) { return -value; }
__device__ Operation operation = negated;
