// The first lane of the block waits for the last one, which is in another warp, then for one of its own warp.
// refuted by hang
// expect error=musaSuccess
// expect seen=2
#include "probe.h"
__global__ void ask(volatile int* flags) {
    if (threadIdx.x == 0) {
        while (flags[0] == 0) {
        }
        while (flags[1] == 0) {
        }
        flags[2] = 2;
    }
    if (threadIdx.x == 255) flags[0] = 1;
    if (threadIdx.x == 1) flags[1] = 1;
}
int main() {
    int* flags = managed<int>(3);
    ask<<<1, 256>>>(flags);
    fact("error", ended());
    fact("seen", flags[2]);
}
