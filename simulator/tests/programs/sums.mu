#include <cstdio>
#include <vector>
#include <musa_runtime.h>

__global__ void add(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

int main() {
    int n;
    float a;
    if (scanf("%d %f", &n, &a) != 2) return 2;
    std::vector<float> x(n), y(n);
    for (auto *values : {&x, &y})
        for (float &value : *values)
            if (scanf("%f", &value) != 1) return 2;
    float *device_x, *device_y;
    musaMalloc(&device_x, n * sizeof(float));
    musaMalloc(&device_y, n * sizeof(float));
    musaMemcpy(device_x, x.data(), n * sizeof(float), musaMemcpyHostToDevice);
    musaMemcpy(device_y, y.data(), n * sizeof(float), musaMemcpyHostToDevice);
    add<<<(n + 127) / 128, 128>>>(n, a, device_x, device_y);
    if (musaMemcpy(y.data(), device_y, n * sizeof(float), musaMemcpyDeviceToHost) != musaSuccess) return 1;
    for (float value : y) printf("%.9g\n", value);
    musaFree(device_x);
    musaFree(device_y);
}
