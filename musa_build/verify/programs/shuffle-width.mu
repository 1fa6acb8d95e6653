// Shuffles down by one in segments of 33 lanes, and of 24, which are no powers of two.
// refuted by hang
// expect error_of_33=musaSuccess
// expect as_ptx_in_33=1
// expect error_of_24=musaSuccess
// expect as_ptx_in_24=1
#include "probe.h"
__global__ void count_lanes(int* out) { *out = warpSize; }
__global__ void down(int* out, int width) {
    const int lane = static_cast<int>(threadIdx.x);
    out[lane] = __shfl_down_sync(0xffffffffu, lane, 1, width);
}
// PTX's shfl compares the bits of a lane's number that the segment's mask has: with 32 lanes and a width of 33 all of
// them, with a width of 24 bit 3 alone.
void compare(int lanes, int width, const char* error, const char* as_ptx) {
    int* out = managed<int>(lanes);
    down<<<1, lanes>>>(out, width);
    fact(error, ended());
    const int mask = (lanes - width) & (lanes - 1);
    bool right = true;
    for (int lane = 0; lane < lanes; ++lane) {
        const int last = (lane & mask) | (lanes - 1 & ~mask);
        right = right && out[lane] == (lane + 1 <= last ? lane + 1 : lane);
    }
    fact(as_ptx, static_cast<long long>(right));
}
int main() {
    int* lanes = managed<int>(1);
    count_lanes<<<1, 1>>>(lanes);
    CHECK(ended());
    compare(*lanes, 33, "error_of_33", "as_ptx_in_33");
    compare(*lanes, 24, "error_of_24", "as_ptx_in_24");
}
