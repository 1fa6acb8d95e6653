// PTX as programs pass it on: a string that strlen measures, in a cache that is a text file.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <cuda.h>
#include <nvrtc.h>

#define CHECK(call) \
    if (const int status = (call)) return std::printf("%s: %d\n", #call, status), 1

static const char source[] =
    "extern \"C\" __global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }\n"
    "template <int N> __global__ void add(float *x) { x[threadIdx.x] += N; }\n";

int main() {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, source, "kernels.cu", 0, nullptr, nullptr));
    CHECK(nvrtcAddNameExpression(program, "add<40>"));
    CHECK(nvrtcCompileProgram(program, 0, nullptr));
    std::size_t size = 0;
    CHECK(nvrtcGetPTXSize(program, &size));
    std::vector<char> buffer(size);
    CHECK(nvrtcGetPTX(program, buffer.data()));
    const std::string ptx = buffer.data();
    if (ptx.size() + 1 != size) return std::printf("%zu of %zu\n", ptx.size(), size), 1;
    std::ofstream("cache.ptx") << ptx;
    std::stringstream cached;
    for (auto [file, line] = std::pair(std::ifstream("cache.ptx"), std::string()); std::getline(file, line);) {
        cached << line << '\n';
    }
    const char *added = nullptr;
    CHECK(nvrtcGetLoweredName(program, "add<40>", &added));
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CUdeviceptr memory;
    float values[32];
    for (int i = 0; i < 32; ++i) values[i] = i;
    CHECK(cuMemAlloc(&memory, sizeof values));
    CHECK(cuMemcpyHtoD(memory, values, sizeof values));
    for (int way = 0; way < 4; ++way) {
        CUmodule module;
        CUfunction scale, add;
        CUlinkState state;
        if (way == 0) CHECK(cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr));
        if (way == 1) CHECK(cuModuleLoadData(&module, cached.str().c_str()));
        if (way == 2) CHECK(cuModuleLoad(&module, "cache.ptx"));
        if (way == 3) {
            void *linked = nullptr;
            CHECK(cuLinkCreate(0, nullptr, nullptr, &state));
            CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)ptx.c_str(), ptx.size(), "k", 0, nullptr, nullptr));
            CHECK(cuLinkComplete(state, &linked, &size));
            CHECK(cuModuleLoadData(&module, linked));
            CHECK(cuLinkDestroy(state));
        }
        CHECK(cuModuleGetFunction(&scale, module, "scale"));
        CHECK(cuModuleGetFunction(&add, module, added));
        float by = 2;
        void *of_scale[] = {&memory, &by}, *of_add[] = {&memory};
        CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, of_scale, nullptr));
        CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, of_add, nullptr));
        CHECK(cuCtxSynchronize());
        CHECK(cuModuleUnload(module));
    }
    CHECK(cuMemcpyDtoH(values, memory, sizeof values));
    for (int i = 0; i < 32; ++i) {
        if (values[i] != 16 * i + 40 * 15) return std::printf("%d: %g\n", i, values[i]), 1;
    }
    return std::puts("agrees"), 0;
}
