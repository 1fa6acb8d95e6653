#include <cublas_v2.h>

#include <cstdio>
#include <vector>

void launch_scale(float* x, float factor, int n);

int run() {
    const int n = 1000;
    std::vector<float> host(n);
    float wanted = 0;
    for (int i = 0; i < n; ++i) wanted += 3 * (host[i] = i % 7);
    float* x = nullptr;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    launch_scale(x, 3, n);
    cublasHandle_t handle;
    cublasCreate(&handle);
    float sum = 0;
    cublasSasum(handle, n, x, 1, &sum);
    cublasDestroy(handle);
    std::printf("%g %g\n", sum, wanted);
    return sum == wanted ? 0 : 1;
}
