// Which image runs: the kernel says for which architecture it was compiled. And which launches the device takes.
#include "program.h"

__global__ void arch(int* out) {
#if defined(__MUSA_ARCH__)
    *out = __MUSA_ARCH__;
#else
    (void)out;
#endif
}

int main() {
    DeviceArray<int> out(1);
    arch<<<1, 1>>>(out);
    std::printf("launch=%s\n", musaGetErrorName(musaGetLastError()));
    std::printf("arch=%d\n", out.host()[0]);
    auto attempt = [&](const char* what, dim3 grid, dim3 block) {
        arch<<<grid, block>>>(out);
        std::printf("%s=%s\n", what, musaGetErrorName(musaGetLastError()));
    };
    attempt("block z 64", 1, dim3(1, 1, 64));
    attempt("block z 65", 1, dim3(1, 1, 65));
    attempt("block y 1024", 1, dim3(1, 1024, 1));
    attempt("grid x 65536", 65536, 1);
    attempt("grid y 65535", dim3(1, 65535), 1);
    attempt("grid y 65536", dim3(1, 65536), 1);
    attempt("grid z 65535", dim3(1, 1, 65535), 1);
    attempt("grid z 65536", dim3(1, 1, 65536), 1);
    musaDeviceProp properties;
    CHECK(musaGetDeviceProperties(&properties, 0));
    int values[6];
    for (int i = 0; i < 6; ++i)
        CHECK(musaDeviceGetAttribute(&values[i], static_cast<musaDeviceAttr>(musaDevAttrMaxBlockDimX + i), 0));
    const int* b = properties.maxThreadsDim;
    const int* g = properties.maxGridSize;
    std::printf("limits=%d %d %d %d %d %d\n", b[0], b[1], b[2], g[0], g[1], g[2]);
    std::printf("attributes=%d %d %d %d %d %d\n", values[0], values[1], values[2], values[3], values[4], values[5]);
}
