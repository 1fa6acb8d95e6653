// refuted by compile-error
// expect first=496
// expect last=3568
#include "probe.h"
__global__ void sum(unsigned* out) { out[threadIdx.x] = __reduce_add_sync(0xffffffffu, threadIdx.x); }
int main() {
    unsigned* out = managed<unsigned>(128);
    sum<<<1, 128>>>(out);
    CHECK(ended());
    fact("first", out[0]);
    fact("last", out[127]);
}
