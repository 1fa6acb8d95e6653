// libraries mtrtc musa
// headers mtrtc.h
// refuted by compile-error
// expect found=0
// expect size=4
// expect value=7
#include <musa.h>

#include <mtrtc.h>

#include <string>

#include "probe.h"
int main() {
    musaDeviceProp properties;
    musaGetDeviceProperties(&properties, 0);
    const std::string arch = "--gpu-architecture=mp_" + std::to_string(properties.major * 10 + properties.minor);
    const char* options[] = {arch.c_str()};
    const char* text =
        "static __constant__ int constant;\n"
        "extern \"C\" __global__ void read(int* out) { *out = constant; }\n";
    mtrtcProgram program;
    mtrtcCreateProgram(&program, text, "k.mu", 0, nullptr, nullptr);
    mtrtcCompileProgram(program, 1, options);
    size_t size = 0;
    mtrtcGetFatBinSize(program, &size);
    std::string image(size, '\0');
    mtrtcGetFatBin(program, &image[0]);
    int* out = managed<int>(1);
    MUmodule module;
    MUfunction function;
    MUdeviceptr constant = 0;
    muModuleLoadData(&module, image.data());
    const MUresult found = muModuleGetGlobal(&constant, &size, module, "_ZL8constant");
    fact("found", static_cast<long long>(found));
    if (found != MUSA_SUCCESS) return 0;
    fact("size", static_cast<long long>(size));
    const int seven = 7;
    muMemcpyHtoD(constant, &seven, sizeof seven);
    void* arguments[] = {&out};
    muModuleGetFunction(&function, module, "read");
    muLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    CHECK(ended());
    fact("value", static_cast<long long>(*out));
}
