// refuted by compile-error
// expect polynomial=14.000000
// expect host=14.000000
#include "probe.h"
#pragma clang force_cuda_host_device begin
inline float polynomial(float x) {
    static float coefficients[] = {1, 2, 3};
    float sum = 0;
    for (float coefficient : coefficients) sum += coefficient * x;
    return sum + coefficients[1];
}
#pragma clang force_cuda_host_device end
__global__ void call(float* out, float x) { *out = polynomial(x); }
int main() {
    float* out = managed<float>(1);
    call<<<1, 1>>>(out, 2);
    CHECK(ended());
    std::printf("polynomial=%f\nhost=%f\n", *out, polynomial(2));
}
