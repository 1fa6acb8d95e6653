#include "twice.h"

#include <musa_runtime.h>

#include <cstring>

static_assert(HOST_FLAG == 2 && TEXT == 3, "flags of C++ and MUSA_MCC_FLAGS");
static_assert(sizeof(QUOTED) == sizeof("q r"), "a quoted flag");
static_assert(__cplusplus == 201703L, "CMAKE_CXX_STANDARD");
#ifdef NEEDS_DEBUG
static_assert(CONFIGURED == 4, "MUSA_MCC_FLAGS_DEBUG");
#endif

__global__ void twice_kernel(int* value) { *value *= 2; }

int twice(int value) {
    int* device = nullptr;
    if (musaMalloc((void**)&device, sizeof value) != musaSuccess) return -1;
    musaMemcpy(device, &value, sizeof value, musaMemcpyHostToDevice);
    twice_kernel<<<1, 1>>>(device);
    if (musaMemcpy(&value, device, sizeof value, musaMemcpyDeviceToHost) != musaSuccess) return -2;
    musaFree(device);
    return value;
}
