#include <stdio.h>
struct Tile {
    int* memory;
    __device__ __attribute__((noinline)) Tile(int* memory, int value);
};
__device__ Tile::Tile(int* memory, int value) : memory(memory) {
    memory[threadIdx.x] = value;
    __syncthreads();
}
__global__ void mirrored(int* out) {
    __shared__ int memory[32];
    Tile tile(memory, threadIdx.x);
    out[threadIdx.x] = tile.memory[31 - threadIdx.x];
}
int main() {
    int* out;
    musaMallocManaged((void**)&out, 32 * sizeof(int));
    mirrored<<<1, 32>>>(out);
    musaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) printf("%d ", out[i]);
}
