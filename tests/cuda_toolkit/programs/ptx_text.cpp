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

// Every text that is not whole is refused, with a message.
static int refusals(const std::string &ptx) {
    const std::size_t middle = ptx.find("//= ", ptx.size() / 2) + 20;
    std::string swapped = ptx, replaced = ptx;
    std::size_t other = middle + 1;
    while (swapped[other] == swapped[middle]) ++other;
    std::swap(swapped[middle], swapped[other]);
    replaced[middle] = '!';
    const std::string line = ptx.substr(0, ptx.find("//= ", middle)) + ptx.substr(ptx.find("//= ", middle + 100));
    const std::string others[] = {
        ptx.substr(0, ptx.size() / 2), swapped, replaced, line, ".version 7.0\n.target sm_80\n.address_size 64\n", "// nothing",
    };
    for (const std::string &text : others) {
        char log[200] = "old";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
        CUmodule module;
        CUlinkState state;
        const CUresult loaded = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
        const CUresult plain = cuModuleLoadData(&module, text.c_str());
        std::ofstream("damaged.ptx") << text;
        const CUresult of_file = cuModuleLoad(&module, "damaged.ptx");
        CHECK(cuLinkCreate(0, nullptr, nullptr, &state));
        const CUresult linked =
            cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)text.c_str(), text.size() + 1, "k", 0, nullptr, nullptr);
        CHECK(cuLinkDestroy(state));
        for (const CUresult result : {loaded, plain, of_file, linked}) {
            if (result != CUDA_ERROR_INVALID_PTX) return std::printf("%.20s: %d\n", text.c_str(), result), 1;
        }
        if (!std::strstr(log, "PTX") || reinterpret_cast<std::size_t>(values[1]) != std::strlen(log) + 1) {
            return std::printf("log: %s\n", log), 1;
        }
    }
    return 0;
}

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
    CHECK(refusals(ptx));
    std::string carriage;
    for (const char letter : ptx) carriage += letter == '\n' ? "\r\n" : std::string(1, letter);
    for (int way = 0; way < 6; ++way) {
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
        if (way == 4) CHECK(cuModuleLoadData(&module, ("\n/* of a cache */\n\n" + ptx + "\n\n").c_str()));
        if (way == 5) CHECK(cuModuleLoadData(&module, carriage.c_str()));
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
        if (values[i] != 64 * i + 40 * 63) return std::printf("%d: %g\n", i, values[i]), 1;
    }
    return std::puts("agrees"), 0;
}
