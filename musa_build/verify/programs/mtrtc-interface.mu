// libraries mtrtc
// headers mtrtc.h
// refuted by compile-error
// expect success=0
// expect compilation=6
// expect not_valid=10
// expect compiled=0
// expect lowered=_Z5scaleIfEvPT_
// expect image=1
#include <mtrtc.h>

#include <string>

#include "probe.h"
int main() {
    fact("success", MTRTC_SUCCESS);
    fact("compilation", MTRTC_ERROR_COMPILATION);
    fact("not_valid", MTRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    musaDeviceProp properties;
    musaGetDeviceProperties(&properties, 0);
    const std::string arch = "--gpu-architecture=mp_" + std::to_string(properties.major * 10 + properties.minor);
    const char* options[] = {arch.c_str(), "-DTWO=2"};
    mtrtcProgram program;
    mtrtcCreateProgram(&program, "template <class T> __global__ void scale(T* x) { *x *= TWO; }", "k.mu", 0, nullptr, nullptr);
    mtrtcAddNameExpression(program, "scale<float>");
    fact("compiled", mtrtcCompileProgram(program, 2, options));
    const char* name = "?";
    mtrtcGetLoweredName(program, "scale<float>", &name);
    fact("lowered", name);
    size_t size = 0;
    mtrtcGetFatBinSize(program, &size);
    fact("image", size > 0);
}
