// expect device=32
// expect ballot=ffffffff
// expect last_lane=31
// expect host_is_as_documented=1
#include "probe.h"
__global__ void ask(unsigned* out) {
    const unsigned lane = threadIdx.x % warpSize;
    const unsigned all = __ballot_sync(0xffffffffu, 1);
    atomicMax(&out[2], lane);
    if (threadIdx.x == 0) {
        out[0] = warpSize;
        out[1] = all;
    }
}
int main() {
    unsigned* out = managed<unsigned>(3);
    ask<<<1, 256>>>(out);
    CHECK(ended());
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    fact("device", out[0]);
    std::printf("ballot=%x\n", out[1]);
    fact("last_lane", out[2]);
    fact("host", properties.warpSize);
    fact("host_is_as_documented", properties.warpSize == (architecture() <= 22 ? 128 : 32));
}
