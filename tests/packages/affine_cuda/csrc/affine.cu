// y = factor * x + OFFSET on the device; written for CUDA, ported by the tests.
#include <cuda_runtime.h>

#include "offset.cuh"

#ifndef MCC_FLAG
#define MCC_FLAG 0
#endif

__global__ void affine_kernel(float* values, int count, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = factor * values[i] + OFFSET;
}

int mcc_flag() { return MCC_FLAG; }

int affine(float* values, int count, float factor) {
    float* device = nullptr;
    if (cudaError_t status = cudaMalloc((void**)&device, count * sizeof(float))) return status;
    cudaMemcpy(device, values, count * sizeof(float), cudaMemcpyHostToDevice);
    affine_kernel<<<(count + 127) / 128, 128>>>(device, count, factor);
    int status = cudaMemcpy(values, device, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return status;
}
