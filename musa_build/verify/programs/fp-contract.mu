// a*b+c where the rounding of the product alone would leave nothing.
#include "probe.h"
__global__ void ask(float a, float b, float c, float* out) { *out = a * b + c; }
int main() {
    float* out = managed<float>(1);
    const float a = 1.0f + 1.0f / 4096, c = 1.0f + 1.0f / 2048;
    ask<<<1, 1>>>(a, a, -c, out);
    CHECK(ended());
    fact("fused", *out != 0.0f);
}
