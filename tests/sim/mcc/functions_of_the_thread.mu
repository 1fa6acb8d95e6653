// Functions that stay functions and read threadIdx: their results differ from thread to thread.
#include <cstdio>
#include <musa_runtime.h>
#define FUNCTION __device__ __noinline__
#define FLAT (blockIdx.x * blockDim.x + threadIdx.x)
FUNCTION unsigned thread() { return threadIdx.x; }
FUNCTION unsigned unused(float) { return threadIdx.x; }
FUNCTION unsigned element(const unsigned* table) { return table[threadIdx.x]; }
FUNCTION __attribute__((const)) unsigned promised(unsigned x) { return threadIdx.x * x; }
FUNCTION __attribute__((pure)) unsigned pure(const unsigned* table) { return table[threadIdx.x]; }
FUNCTION unsigned deeper(unsigned x) { return thread() + x; }
FUNCTION unsigned block(float) { return blockIdx.x * 100; }
FUNCTION unsigned stride() { return blockDim.x * gridDim.x; }
__global__ void calls(unsigned* out, const unsigned* table, int) {
    out[FLAT] = thread() + unused(1) + element(table) + promised(2) + pure(table) + deeper(1) + block(0);
}
__global__ void checks_bounds(unsigned* out, const unsigned* table, int n) {
    if (FLAT < n) out[FLAT] = 4 * unused(1) + deeper(1) + table[1] * thread() + element(table) + block(0);
}
__global__ void waits(unsigned* out, const unsigned* table, int) {
    unsigned sum = thread() + unused(1) + element(table);
    __syncthreads();
    sum += thread() + promised(2) + pure(table) - thread();
    __syncthreads();
    out[FLAT] = sum + deeper(1) + block(0);
}
__global__ void strides(unsigned* out, const unsigned* table, int n) {
    for (int i = FLAT; i < n; i += stride()) out[i] = 5 * thread() + 2 * element(table) + 1 + block(0);
}
int main() {
    void (*const kernels[])(unsigned*, const unsigned*, int) = {calls, checks_bounds, waits, strides};
    constexpr unsigned threads = 64, blocks = 4, n = threads * blocks;
    unsigned *out, *table;
    int wrong = 0;
    musaMallocManaged((void**)&out, n * sizeof *out);
    musaMallocManaged((void**)&table, threads * sizeof *table);
    for (unsigned i = 0; i < threads; ++i) table[i] = 1000 * i;
    for (const auto& kernel : kernels) {
        musaMemset(out, 0, n * sizeof *out);
        kernel<<<blocks, threads>>>(out, table, n);
        int here = musaDeviceSynchronize() != musaSuccess;
        for (unsigned i = 0; i < n; ++i) here += out[i] != 2005 * (i % threads) + 1 + 100 * (i / threads);
        if (here) printf("kernel %d: %d wrong\n", int(&kernel - kernels), here);
        wrong += here;
    }
    return wrong != 0;
}
