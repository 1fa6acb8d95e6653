#include <cuda_runtime.h>

__global__ void add_kernel(float* values, int count, float addend) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += addend;
}

bool add(float* values, int count, float addend) {
  float* memory = nullptr;
  bool good = cudaMalloc(&memory, count * sizeof(float)) == cudaSuccess;
  good = good && cudaMemcpy(memory, values, count * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  if (good) add_kernel<<<(count + 127) / 128, 128>>>(memory, count, addend);
  good = good && cudaMemcpy(values, memory, count * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  return cudaFree(memory) == cudaSuccess && good;
}
