// Threads that come to a matrix instruction: part_of_a_warp THREADS.
#include <mma.h>

#include <cstdio>
#include <cstdlib>

using namespace mtmusa::wmma;

__global__ void product(int* out) {
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> a;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> b;
    fragment<accumulator, 8, 8, 128, int> c;
    a.x[0] = b.x[0] = 1;
    fill_fragment(c, 0);
    bmma_sync(c, a, b, c, experimental::bmmaBitOpAND);
    out[threadIdx.x] = c.x[0];
}

int main(int, char** arguments) {
    int *out, first = 0;
    musaMalloc(&out, 32 * sizeof(int));
    product<<<1, std::atoi(arguments[1])>>>(out);
    const musaError_t error = musaDeviceSynchronize();
    if (error == musaSuccess) musaMemcpy(&first, out, sizeof first, musaMemcpyDeviceToHost);
    std::printf("%d %d", error == musaSuccess, first);
}
