// Which image runs: the kernel says for which architecture it was compiled.
#include "program.h"

__global__ void arch(int* out) {
#if defined(__MUSA_ARCH__)
    *out = __MUSA_ARCH__;
#endif
}

int main() {
    DeviceArray<int> out(1);
    arch<<<1, 1>>>(out);
    std::printf("launch=%s\n", musaGetErrorName(musaGetLastError()));
    std::printf("arch=%d\n", out.host()[0]);
}
