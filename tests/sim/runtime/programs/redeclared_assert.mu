// Headers of PyTorch declare the C library's __assert_fail again when NDEBUG is defined, and call
// it from kernels.
extern "C" void __assert_fail(const char* assertion, const char* file, unsigned int line,
                              const char* function) noexcept __attribute__((__noreturn__));

#include "program.h"

__global__ void check_value(const int* p) {
    if (*p != 1) __assert_fail("*p == 1", "somewhere.h", 12, __func__);
}

int main() {
    DeviceArray<int> p(1);
    check_value<<<1, 1>>>(p);
    std::printf("error=%s\n", musaGetErrorName(musaDeviceSynchronize()));
}
