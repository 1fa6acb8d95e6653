__global__ void square_kernel(int n, int* values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i * i;
}

extern "C" int squares_on_device(int n, int* values) {
    int* memory = nullptr;
    if (cudaMalloc(&memory, n * sizeof(int)) != cudaSuccess) return 1;
    square_kernel<<<(n + 63) / 64, 64>>>(n, memory);
    cudaMemcpy(values, memory, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return cudaGetLastError() != cudaSuccess;
}
