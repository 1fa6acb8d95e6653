#include "scale.h"
#if !defined(ONLY_TWICE) || !defined(twice_EXPORTS) || THIRD != 3 || FOURTH != 4 || defined(__CUDA__) || !RELEASE
#error flags are missing
#endif
__global__ void scale(int* x) { *x = *x * SCALE + OFFSET; }
int scaled(int x) {
    int* on_device;
    musaMalloc(&on_device, sizeof x);
    musaMemcpy(on_device, &x, sizeof x, musaMemcpyDefault);
    scale<<<1, 1>>>(on_device);
    musaMemcpy(&x, on_device, sizeof x, musaMemcpyDefault);
    return x;
}
