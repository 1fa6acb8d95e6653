// Kernels for muModuleLoad.
__device__ int calls;
__constant__ float factor[4];
__device__ double unused[3];

extern "C" __global__ void scale(const float* x, float* y, int n, int which) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor[which];
    if (i == 0) atomicAdd(&calls, 1);
}

extern "C" __global__ void reverse(float* x) {
    extern __shared__ float values[];
    values[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void crash(int* nowhere) { *nowhere = 1; }
