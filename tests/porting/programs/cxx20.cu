#include <concepts>
#include <math.h>
#include <stdio.h>
#include <string>
template <class T> concept Floating = std::floating_point<T>;
template <class T> requires Floating<T> __global__ void middle(T* out) {
    *out = lerp(T(1), T(2), T(0.5)) + ::lerp(T(0), T(1), T(0.25)) + std::lerp(T(8), T(16), T(0.5));
}
int main() {
    const std::u8string text = u8"a";
    const char8_t letter = text[0];
    double *on_device, result;
    cudaMalloc(&on_device, sizeof(double));
    middle<<<1, 1>>>(on_device);
    cudaMemcpy(&result, on_device, sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g %c", result, (char)letter);
}
