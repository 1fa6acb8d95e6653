#include "scale.h"
#if !defined(OF_MUSA) || defined(OF_CXX) || !FLAG || __cplusplus != 202002L || !defined(__STRICT_ANSI__)
#error flags are missing
#endif
__global__ void scale(int* x) { *x = *x * SCALE + OFFSET; }
int hidden() { return 1; }
__attribute__((visibility("default"))) int scaled(int x) {
    int* on_device;
    musaMalloc(&on_device, sizeof x);
    musaMemcpy(on_device, &x, sizeof x, musaMemcpyDefault);
    scale<<<1, 1>>>(on_device);
    musaMemcpy(&x, on_device, sizeof x, musaMemcpyDefault);
    return x;
}
