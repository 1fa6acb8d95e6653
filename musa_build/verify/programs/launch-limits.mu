// expect block=1024 1024 64
// expect grid=2147483647 65535 65535
// expect too_deep=musaErrorInvalidConfiguration
// expect too_many=musaErrorInvalidConfiguration
#include "probe.h"
__global__ void nothing() {}
int main() {
    musaDeviceProp p;
    CHECK(musaGetDeviceProperties(&p, 0));
    if (architecture() == 31) undecided("an mp_31: its limits are known");
    std::printf("block=%d %d %d\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    std::printf("grid=%d %d %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    nothing<<<1, dim3(1, 1, 65)>>>();
    fact("too_deep", ended());
    nothing<<<dim3(1, 65536, 1), 1>>>();
    fact("too_many", ended());
}
