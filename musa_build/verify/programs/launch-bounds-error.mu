// expect error=musaErrorInvalidValue
#include "probe.h"
__global__ void __launch_bounds__(64) bounded(int* out) { out[threadIdx.x] = 1; }
int main() {
    int* out = managed<int>(256);
    bounded<<<1, 256>>>(out);
    fact("error", ended());
}
