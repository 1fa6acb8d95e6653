// A kernel that may begin before the one ahead of it has ended, and waits for its results.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void first(int *numbers) {
    numbers[threadIdx.x] = threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(int *numbers) {
    ::cudaGridDependencySynchronize();
    numbers[threadIdx.x] += 1;
}

int main() {
    constexpr int count = 64;
    int *numbers, found[count];
    cudaMalloc(&numbers, sizeof found);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = 1;
    configuration.blockDim = count;
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    first<<<1, count>>>(numbers);
    const cudaError_t error = cudaLaunchKernelEx(&configuration, second, numbers);
    cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int number : found) sum += number;
    std::printf("%d %d\n", static_cast<int>(error), sum);
    return 0;
}
