// expect static=49152
// expect on_request=73728
#include "probe.h"
__global__ void use(int* out) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = 1;
    *out = shared[threadIdx.x];
}
int main() {
    if (architecture() != 22) undecided("the card is not an mp_22");
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    int more = 0;
    CHECK(musaDeviceGetAttribute(&more, musaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    fact("static", static_cast<long long>(properties.sharedMemPerBlock));
    fact("on_request", more);
}
