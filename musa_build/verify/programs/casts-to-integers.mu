// expect int=2147483647 -2147483648 0 2147483647
// expect unsigned=4294967295 0 0
// expect char=-1 0
// expect long_long=9223372036854775807 -9223372036854775808
// expect byte_2_is_true=1
#include <cmath>

#include "probe.h"
__global__ void ask(const float* in, const unsigned char* byte, long long* out) {
    for (int i = 0; i < 4; ++i) out[i] = static_cast<int>(in[i]);
    for (int i = 0; i < 3; ++i) out[4 + i] = static_cast<unsigned>(in[i]);
    out[7] = static_cast<signed char>(in[0]);
    out[8] = static_cast<signed char>(in[1]);
    out[9] = static_cast<long long>(in[0]);
    out[10] = static_cast<long long>(in[2]);
    out[11] = *reinterpret_cast<const bool*>(byte) ? 1 : 0;
}
int main() {
    float* in = managed<float>(4);
    unsigned char* byte = managed<unsigned char>(1);
    long long* x = managed<long long>(12);
    in[0] = 1e30f, in[1] = -1e30f, in[2] = NAN, in[3] = INFINITY;
    *byte = 2;
    ask<<<1, 1>>>(in, byte, x);
    CHECK(ended());
    std::printf("int=%lld %lld %lld %lld\n", x[0], x[1], x[2], x[3]);
    std::printf("unsigned=%lld %lld %lld\n", x[4], x[5], x[6]);
    std::printf("char=%lld %lld\n", x[7], x[8]);
    std::printf("long_long=%lld %lld\n", x[9], x[10]);
    fact("byte_2_is_true", x[11]);
}
