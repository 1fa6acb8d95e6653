// Lane 0 of each 32 says which lanes a vote of the full mask and one of a half reached.
// expect full_mask_sum_reaches=128
// expect half_mask_is_of_own_32=1
#include "probe.h"
__global__ void ask(int* out) {
    const int lane = threadIdx.x % warpSize;
    out[4 + lane] = __shfl_sync(0xffffffffu, lane, warpSize - 1);
    if (lane % 32 < 16) {
        const unsigned voted = __ballot_sync(0x0000ffffu, lane / 32 == 1);
        if (lane % 32 == 0) out[lane / 32] = static_cast<int>(voted);
    }
}
int main() {
    int* out = managed<int>(4 + 256);
    ask<<<1, 128>>>(out);
    CHECK(ended());
    musaDeviceProp properties;
    int* width = managed<int>(1);
    CHECK(musaGetDeviceProperties(&properties, 0));
    if (out[4] != 127) undecided("warps have 32 lanes in device code here");
    fact("full_mask_sum_reaches", out[4] + 1);
    fact("half_mask_is_of_own_32", out[0] == 0 && out[1] == 0xffff && out[2] == 0);
    (void)width;
}
