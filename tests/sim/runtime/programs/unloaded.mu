// A library that is unloaded while its kernels run. They end when the host opens the gate, which is not a part of it.
#include <musa_runtime.h>

#if defined(NO_MANAGED)
__device__ int factor = 3;
#else
__managed__ int factor = 3;
#endif
__device__ int table[4] = {1, 2, 3, 4};

__global__ void plain(const volatile int* open, int* out) {
    __shared__ int sum;
    while (*open == 0) {
    }
    sum = table[3];
    __syncthreads();
    out[threadIdx.x] = sum;
}
__global__ void managed(const volatile int* open, int* out) {
    while (*open == 0) {
    }
    out[threadIdx.x] = factor;
}

extern "C" int launch(int which, const int* open, int* out) {
    if (which == 0) plain<<<1, 32>>>(open, out);
    if (which == 1) managed<<<1, 32>>>(open, out);
    return musaGetLastError();
}
