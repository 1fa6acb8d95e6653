#include <musa_runtime.h>
#include "common.h"
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
    if (musaError_t status = musaMalloc((void**)&device, count * sizeof(float))) return status;
    musaMemcpy(device, values, count * sizeof(float), musaMemcpyHostToDevice);
    affine_kernel<<<(count + 127) / 128, 128>>>(device, count, factor);
    int status = musaMemcpy(values, device, count * sizeof(float), musaMemcpyDeviceToHost);
    musaFree(device);
    return status;
}
