#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

// Names of the program's own that begin as CUDA's do.
static cudaError_t cudaMyHelper(void **pointer, size_t size) { return cudaMalloc(pointer, size); }

int main() {
    int n;
    float a;
    if (scanf("%d %f", &n, &a) != 2) return 2;
    std::vector<float> x(n), y(n);
    for (auto *values : {&x, &y})
        for (float &value : *values)
            if (scanf("%f", &value) != 1) return 2;
    float *device_x, *device_y;
    cudaMyHelper((void **)&device_x, n * sizeof(float));
    cudaMyHelper((void **)&device_y, n * sizeof(float));
    cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 127) / 128, 128>>>(n, a, device_x, device_y);
    if (cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (float value : y) printf("%.9g\n", value);
    cudaFree(device_x);
    cudaFree(device_y);
}
