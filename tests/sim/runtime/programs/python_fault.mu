// A shared library: crash_kernel() returns what musaDeviceSynchronize says.
#include <musa_runtime.h>

__global__ void crash(int* p) { *p = 1; }

extern "C" int crash_kernel() {
    crash<<<1, 1>>>(nullptr);
    return musaDeviceSynchronize();
}
