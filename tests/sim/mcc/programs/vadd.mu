#include <stdio.h>
#include <stdlib.h>
#if defined(ARCH_MATTERS) && defined(__MUSA_ARCH__)
#define ARCH_ADDEND __MUSA_ARCH__
#else
#define ARCH_ADDEND 0
#endif
__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + ARCH_ADDEND;
}
int main() {
    const int n = 1003;
    float *a, *b, *c, host[n];
    musaMalloc(&a, sizeof host); musaMalloc(&b, sizeof host); musaMalloc(&c, sizeof host);
    for (int i = 0; i < n; i++) host[i] = i;
    musaMemcpy(a, host, sizeof host, musaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) host[i] = 2 * i;
    musaMemcpy(b, host, sizeof host, musaMemcpyHostToDevice);
    vadd<<<(n + 127) / 128, 128>>>(a, b, c, n);
    musaError_t error = musaGetLastError();
    if (error == musaSuccess) error = musaDeviceSynchronize();
    if (error != musaSuccess) { printf("%s\n", musaGetErrorString(error)); return 1; }
    musaMemcpy(host, c, sizeof host, musaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    printf("%.0f\n", sum);
    return 0;
}
