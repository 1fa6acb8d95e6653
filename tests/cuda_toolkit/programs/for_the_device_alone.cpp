// NVRTC compiles for the device alone, and finds functions by expressions: overloads by casts, templates, variables.
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>
#include <nvrtc.h>

#define CHECK(call) \
    if (const int status = (call)) return std::printf("%s: %d\n", #call, status), 1

static const char source[] = R"(
#ifndef __CUDA_ARCH__
#error this text is for the device
#endif
template <class T> struct Box { T first, second; };
#if __CUDA_ARCH__ >= 300
struct Pair { int a; double b; };
#endif
__device__ int arch() { return __CUDA_ARCH__; }
__global__ void put(int *out) { *out = 1; }
__global__ void put(Box<int> *out) { out->first = 2; }
template <class T> __global__ void put_of(T *out) { *out = 3 + sizeof(T); }
template <class T> __global__ void put_of(Box<T> *out) { out->first = 20; }
template <class T> __global__ void size_of(int *out) { *out = sizeof(T); }
namespace inner { template <int N> __global__ void number(int *out) { *out = N; } }
__global__ void pair(int *out, Pair p) { *out = p.a + (int)p.b + (arch() >= 300); }
__device__ int variable = 9;
__constant__ float constants[3];
)";

static const std::vector<std::pair<const char *, int>> kernels{
    {"(void (*)(int *))put", 1},
    {"static_cast<void (*)(Box<int> *)>(put)", 2},
    {"size_of<double>", 8},
    {"(void (*)(int *))put_of<int>", 7},
    {"(void (*)(Box<int> *))put_of<int>", 20},
    {"(void(*)(Box<int>*))&put_of<int>", 20},
    {"&inner::number<5>", 5},
    {"(inner::number<(6 > 2)>)", 1},
};

static int refusal(const char *text, const char *expression, const char *wanted, const char *found) {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, text, "bad.cu", 0, nullptr, nullptr));
    if (expression) CHECK(nvrtcAddNameExpression(program, expression));
    const nvrtcResult result = nvrtcCompileProgram(program, 0, nullptr);
    std::size_t size;
    CHECK(nvrtcGetProgramLogSize(program, &size));
    std::string log(size, ' ');
    CHECK(nvrtcGetProgramLog(program, log.data()));
    const std::size_t first = log.find(wanted), second = log.find(wanted, first + 1);
    const bool once = first != std::string::npos && second == std::string::npos && log.find(found) != std::string::npos;
    if (result != NVRTC_ERROR_COMPILATION || !once) return std::printf("%d: %s\n", result, log.c_str()), 1;
    return 0;
}

int main() {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, source, "device.cu", 0, nullptr, nullptr));
    for (const auto &[expression, number] : kernels) CHECK(nvrtcAddNameExpression(program, expression));
    for (const char *name : {"&variable", "constants", "pair"}) CHECK(nvrtcAddNameExpression(program, name));
    const char *options[] = {"-std=c++17"};
    CHECK(nvrtcCompileProgram(program, 1, options));
    std::size_t size;
    CHECK(nvrtcGetPTXSize(program, &size));
    std::string ptx(size, ' ');
    CHECK(nvrtcGetPTX(program, ptx.data()));
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    int number[2];
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, ptx.c_str()));
    CHECK(cuMemAlloc(&out, sizeof number));
    const char *name;
    for (const auto &[expression, expected] : kernels) {
        CHECK(nvrtcGetLoweredName(program, expression, &name));
        CHECK(cuModuleGetFunction(&function, module, name));
        void *arguments[] = {&out};
        CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK(cuMemcpyDtoH(number, out, sizeof number));
        if (number[0] != expected) return std::printf("%s: %d\n", expression, number[0]), 1;
    }
    struct { int a; double b; } pair{30, 12};
    void *arguments[] = {&out, &pair};
    CHECK(nvrtcGetLoweredName(program, "pair", &name));
    CHECK(cuModuleGetFunction(&function, module, name));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(number, out, sizeof(int)));
    if (number[0] != 43) return std::printf("pair: %d\n", number[0]), 1;
    for (const auto &[variable, bytes] : {std::pair("&variable", sizeof(int)), std::pair("constants", 3 * sizeof(float))}) {
        CHECK(nvrtcGetLoweredName(program, variable, &name));
        CUdeviceptr address;
        CHECK(cuModuleGetGlobal(&address, &size, module, name));
        if (size != bytes) return std::printf("%s: %zu\n", variable, size), 1;
    }
    // An error is reported once.
    if (refusal("__global__ void k(int *p) { *p = nothing; }", nullptr, "identifier 'nothing'", "bad.cu:1:34: error")) return 1;
    if (refusal("__global__ void k() {}", "none<int>", "identifier 'none'", "name expressions:1:")) return 1;
    if (refusal("__global__ void k() {}\n#if __CUDA_ARCH__\n#error no\n#endif", "k", "error: no", "bad.cu:3")) return 1;
    std::puts("right");
}
