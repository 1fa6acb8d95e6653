#include "shared.muh"

__device__ int counter = 3;
__constant__ float table[4];
__managed__ int managed = 11;
static __managed__ int own_managed = 21;

// used by device code before the host names it
static __device__ int hidden = 40;
static __device__ int helper() { return hidden; }
static __global__ void same_name(int* out) { *out = helper() + own_managed; }

__device__ int of_second_file() { return helper() + inlined(1); }
__global__ void kernel_of_second_file(int* out) { out[threadIdx.x] = counter + plain(threadIdx.x); }

void launch_static_kernel(int* out) {
    const int value = 50;
    musaMemcpyToSymbol(hidden, &value, sizeof value);
    own_managed += 1;
    same_name<<<1, 1>>>(out);
}
void launch_template_of_second_file(int* out) { templated<<<1, threads>>>(out); }
