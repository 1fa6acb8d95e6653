// expect-compile-error
#include <cstdint>

#include "probe.h"
__global__ void both(uint32_t* out, uint16_t half) {
    asm volatile("mov.b32 %0, {%1, %1};" : "=r"(*out) : "h"(half));
}
int main() {
    uint32_t* out = managed<uint32_t>(1);
    both<<<1, 1>>>(out, 0x1234);
    CHECK(ended());
    fact("both", *out);
}
