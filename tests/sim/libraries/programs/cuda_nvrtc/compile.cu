// compile CASE: a CUDA program that compiles at run time; it says facts, one a line.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#define CHECK(call)                                                          \
    if (int result = static_cast<int>(call); result != 0) {                  \
        std::fprintf(stderr, "%s: %d\n", #call, result);                     \
        std::exit(3);                                                        \
    }

std::string log_of(nvrtcProgram program) {
    size_t size = 0;
    CHECK(nvrtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    CHECK(nvrtcGetProgramLog(program, &log[0]));
    return log.c_str();
}

std::string image_of(nvrtcProgram program) {
    size_t size = 0;
    CHECK(nvrtcGetPTXSize(program, &size));
    std::string image(size, '\0');
    CHECK(nvrtcGetPTX(program, &image[0]));
    return image;
}

const char* const kSource = R"(
#include "shapes/factor.h"
namespace app {
__constant__ float offset[2];
static __constant__ float more = 8;
namespace {
__device__ float hidden[2];
}
template <class T, int kTimes> __global__ void scale(T* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = T(kTimes) * T(FACTOR) * x[i] + T(offset[1]) + T(ADDED) + T(more) + T(hidden[1]);
}
}  // namespace app
extern "C" __global__ void which(int* answer) { *answer = __MUSACC_RTC__ + 40; }
)";
const char* const kHeader = "#pragma once\n#define FACTOR 0.5\n";

void run() {
    const char* headers[] = {kHeader};
    const char* names[] = {"shapes/factor.h"};
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, kSource, "scale.cu", 1, headers, names));
    CHECK(nvrtcAddNameExpression(program, "app::scale<double, 4>"));
    CHECK(nvrtcAddNameExpression(program, "&app::offset"));
    CHECK(nvrtcAddNameExpression(program, "&app::more"));
    CHECK(nvrtcAddNameExpression(program, "app::hidden"));
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    int major = 0, minor = 0;
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    const std::string arch = "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor);
    const char* options[] = {arch.c_str(), "--std=c++17", "-D", "ADDED=100", "--fmad=false", "-lineinfo"};
    if (nvrtcCompileProgram(program, 6, options) != NVRTC_SUCCESS) {
        std::fprintf(stderr, "%s\n", log_of(program).c_str());
        std::exit(3);
    }
    const char *kernel_name, *variable_name;
    CHECK(nvrtcGetLoweredName(program, "app::scale<double, 4>", &kernel_name));
    CHECK(nvrtcGetLoweredName(program, "&app::offset", &variable_name));
    std::printf("kernel=%s\nvariable=%s\nlog=%s\n", kernel_name, variable_name, log_of(program).c_str());

    CHECK(cuCtxCreate(&context, 0, device));
    CUmodule module;
    CUfunction scale, which;
    CUdeviceptr offset, x;
    size_t size = 0;
    CHECK(cuModuleLoadData(&module, image_of(program).data()));
    CHECK(cuModuleGetFunction(&scale, module, kernel_name));
    CHECK(cuModuleGetFunction(&which, module, "which"));
    CHECK(cuModuleGetGlobal(&offset, &size, module, variable_name));
    // static ones, too: their values are not known before
    for (const auto& [name, value] : {std::pair{"&app::more", 0.25f}, std::pair{"app::hidden", 0.125f}}) {
        const char* lowered;
        const float values[] = {value, value};
        CHECK(nvrtcGetLoweredName(program, name, &lowered));
        CHECK(cuModuleGetGlobal(&x, &size, module, lowered));
        CHECK(cuMemcpyHtoD(x, values, size));
    }
    CHECK(cuModuleGetGlobal(&offset, &size, module, variable_name));
    const float offsets[] = {7, 1000};
    CHECK(cuMemcpyHtoD(offset, offsets, sizeof offsets));
    std::vector<double> values{1, 2, 3};
    CHECK(cuMemAlloc(&x, sizeof(double) * values.size()));
    CHECK(cuMemcpyHtoD(x, values.data(), sizeof(double) * values.size()));
    int n = 3;
    void* arguments[] = {&x, &n};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(values.data(), x, sizeof(double) * values.size()));
    std::printf("values=%g %g %g\n", values[0], values[1], values[2]);
    void* answer[] = {&x};
    CHECK(cuLaunchKernel(which, 1, 1, 1, 1, 1, 1, 0, nullptr, answer, nullptr));
    CHECK(cuMemcpyDtoH(&n, x, sizeof n));
    std::printf("which=%d\nsize=%zu\n", n, size);
    CHECK(nvrtcDestroyProgram(&program));
    std::printf("destroyed=%d\n", program == nullptr);
}

std::string result_of(const char* source, std::vector<const char*> options, const char* expression = nullptr) {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, source, "bad.cu", 0, nullptr, nullptr));
    if (expression) CHECK(nvrtcAddNameExpression(program, expression));
    const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::string message = log_of(program);
    message = message.substr(0, message.find('\n'));
    size_t size = 0;
    if (result != NVRTC_SUCCESS && nvrtcGetPTXSize(program, &size) != NVRTC_ERROR_INVALID_PROGRAM) message += " has an image";
    CHECK(nvrtcDestroyProgram(&program));
    return std::string(nvrtcGetErrorString(result)) + ": " + message;
}

void refusals() {
    const char* good = "template <class T> __global__ void k(T* p) { *p = 1; }";
    std::printf("syntax=%s\n", result_of("__global__ void k() { nowhere(); }", {}).c_str());
    std::printf("option=%s\n", result_of(good, {"--no-such-option"}).c_str());
    std::printf("arch=%s\n", result_of(good, {"--gpu-architecture=compute_75"}).c_str());
    std::printf("expression=%s\n", result_of(good, {}, "absent<int>").c_str());
    std::printf("warning=%s\n", result_of("#warning careful\n", {}).c_str());
    nvrtcProgram program = nullptr;
    const char* outside[] = {"../factor.h"};
    std::printf("header=%s\n", nvrtcGetErrorString(nvrtcCreateProgram(&program, good, nullptr, 1, &good, outside)));
    CHECK(nvrtcCreateProgram(&program, good, nullptr, 0, nullptr, nullptr));
    const char* name;
    std::printf("early=%s\n", nvrtcGetErrorString(nvrtcGetLoweredName(program, "k<int>", &name)));
    CHECK(nvrtcCompileProgram(program, 0, nullptr));
    std::printf("late=%s\n", nvrtcGetErrorString(nvrtcAddNameExpression(program, "k<int>")));
    std::printf("unknown=%s\n", nvrtcGetErrorString(nvrtcGetLoweredName(program, "k<int>", &name)));
}

int main(int, char** arguments) {
    if (!std::strcmp(arguments[1], "run")) run();
    if (!std::strcmp(arguments[1], "refusals")) refusals();
}
