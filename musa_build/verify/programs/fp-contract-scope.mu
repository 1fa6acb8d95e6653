// expect across=separate
#include "probe.h"
// (1 + 2^-12) squared, less 1 + 2^-11: 2^-24 if rounded once, 0 if twice
__global__ void statements(const float* in, float* out) {
    const float product = in[0] * in[0];
    float sum = product;
    sum += in[1];
    *out = sum;
}
int main() {
    float* in = managed<float>(2);
    float* out = managed<float>(1);
    in[0] = 1.0f + 1.0f / 4096;
    in[1] = -(1.0f + 1.0f / 2048);
    statements<<<1, 1>>>(in, out);
    CHECK(ended());
    fact("across", *out == 0 ? "separate" : "fused");
}
