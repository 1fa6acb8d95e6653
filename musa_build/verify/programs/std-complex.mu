// refuted by compile-error
// expect product=-5 10
// expect absolute=5
// expect swapped=2 1
#include <complex>
#include <utility>

#include "probe.h"
__global__ void ask(float* out) {
    std::complex<float> z = std::complex<float>(1, 2) * std::complex<float>(3, 4);
    out[0] = z.real();
    out[1] = z.imag();
    out[2] = std::abs(std::complex<float>(3, 4));
    float a = 1, b = 2;
    std::swap(a, b);
    out[3] = a;
    out[4] = b;
}
int main() {
    float* out = managed<float>(5);
    ask<<<1, 1>>>(out);
    CHECK(ended());
    std::printf("product=%g %g\nabsolute=%g\nswapped=%g %g\n", out[0], out[1], out[2], out[3], out[4]);
}
