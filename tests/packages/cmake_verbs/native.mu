#include <musa_runtime.h>

int number();  // of the shared library

__global__ void architecture(int* result) {
#ifdef __MUSA_ARCH__
    *result = __MUSA_ARCH__;
#endif
}

int main() {
    int* device = nullptr;
    int found = 0;
    if (musaMalloc((void**)&device, sizeof found) != musaSuccess) return 1;
    architecture<<<1, 1>>>(device);
    musaMemcpy(&found, device, sizeof found, musaMemcpyDeviceToHost);
    musaDeviceProp properties;
    musaGetDeviceProperties(&properties, 0);
    return number() == 3 && found == properties.major * 100 + properties.minor * 10 ? 0 : 1;
}
