// expect shifts=0 0 0 -1
// expect by_zero=-1 -1 -1 -1
// expect lowest_by_minus_one=-2147483648 0
#include "probe.h"
__global__ void ask(const int* in, int* out) {
    const int seven = in[0], zero = in[1], width = in[2], beyond = in[3], minus_one = in[4], lowest = in[5];
    out[0] = seven << width;
    out[1] = seven << beyond;
    out[2] = static_cast<unsigned>(minus_one) >> width;
    out[3] = lowest >> beyond;
    out[4] = seven / zero;
    out[5] = -seven / zero;
    out[6] = seven % zero;
    out[7] = -seven % zero;
    out[8] = lowest / minus_one;
    out[9] = lowest % minus_one;
}
int main() {
    int* in = managed<int>(6);
    int* x = managed<int>(10);
    in[0] = 7, in[1] = 0, in[2] = 32, in[3] = 40, in[4] = -1, in[5] = -2147483647 - 1;
    ask<<<1, 1>>>(in, x);
    CHECK(ended());
    std::printf("shifts=%d %d %d %d\n", x[0], x[1], x[2], x[3]);
    std::printf("by_zero=%d %d %d %d\n", x[4], x[5], x[6], x[7]);
    std::printf("lowest_by_minus_one=%d %d\n", x[8], x[9]);
}
