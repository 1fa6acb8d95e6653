// The second file of devices.mu: the same names, other things.
#include "program.h"

namespace {
__device__ int counter = 100;
__global__ void same_name(int* out) {
    *out = 2;
    counter = 77;
}
}  // namespace

void launch_other(int* out) { same_name<<<1, 1>>>(out); }

int other_counter() {
    int value = 0;
    CHECK(musaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}
