#include <stdio.h>
template <int N> struct alignas(N) Row { char values[N]; };
__device__ int misplaced[4];
template <int N> __device__ void keep(int at) {
    Row<N> row;
    for (int i = 0; i < N; ++i) row.values[i] = i + at;
    __syncthreads();
    volatile size_t address = reinterpret_cast<size_t>(&row.values[(threadIdx.x + at) % N]);
    if ((address - (threadIdx.x + at) % N) % N) atomicAdd(&misplaced[at], 1);
    if (row.values[(threadIdx.x * 7) % N] != char(threadIdx.x * 7 % N + at)) atomicAdd(&misplaced[at], 1);
}
__global__ void rows_of_16() { keep<16>(0); }
__global__ void rows_of_32() { keep<32>(1); }
__global__ void rows_of_64() { keep<64>(2); }
__global__ void rows_of_128() { keep<128>(3); }
int main() {
    for (int threads = 1; threads < 300; threads += 23) {
        rows_of_16<<<3, threads>>>();
        rows_of_32<<<3, threads>>>();
        rows_of_64<<<3, threads>>>();
        rows_of_128<<<3, threads>>>();
    }
    int found[4];
    musaError_t error = musaMemcpyFromSymbol(found, misplaced, sizeof found);
    printf("%d: %d %d %d %d\n", error, found[0], found[1], found[2], found[3]);
}
