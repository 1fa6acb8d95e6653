// Link files by the driver, and compare what their kernels compute: `main FILE...`. A .cu is compiled by NVRTC first.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <cuda.h>
#include <nvrtc.h>

#define CHECK(call) \
    if (const int status = (call)) return std::printf("%s: %d\n", #call, status), 1

static std::string content(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

static int compile(const std::string &path, std::string &ptx) {
    const char *options[] = {"--relocatable-device-code=true", "-std=c++17"};
    nvrtcProgram program;
    std::size_t size = 0;
    CHECK(nvrtcCreateProgram(&program, content(path).c_str(), path.c_str(), 0, nullptr, nullptr));
    CHECK(nvrtcCompileProgram(program, 2, options));
    CHECK(nvrtcGetPTXSize(program, &size));
    ptx.resize(size);
    CHECK(nvrtcGetPTX(program, ptx.data()));
    CHECK(nvrtcDestroyProgram(&program));
    return 0;
}

static int add(CUlinkState state, const std::string &path) {
    static const std::map<std::string, CUjitInputType> types{
        {"ptx", CU_JIT_INPUT_PTX}, {"cubin", CU_JIT_INPUT_CUBIN}, {"fatbin", CU_JIT_INPUT_FATBINARY},
        {"o", CU_JIT_INPUT_OBJECT}, {"a", CU_JIT_INPUT_LIBRARY},
    };
    const std::string suffix = path.substr(path.rfind('.') + 1);
    if (suffix != "cu") {
        CHECK(cuLinkAddFile(state, types.at(suffix), path.c_str(), 0, nullptr, nullptr));
        return 0;
    }
    std::string ptx;
    if (compile(path, ptx)) return 1;
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, ptx.data(), ptx.size(), path.c_str(), 0, nullptr, nullptr));
    return 0;
}

// Compare the kernels of a module with the same arithmetic on the host.
static int compare(CUmodule module) {
    CUfunction apply, set_factor;
    CUdeviceptr in, out;
    CHECK(cuModuleGetFunction(&apply, module, "apply"));
    CHECK(cuModuleGetFunction(&set_factor, module, "set_factor"));
    int n = 1000;
    std::mt19937 random(7);
    std::vector<float> numbers(n), results(n);
    for (float &number : numbers) number = static_cast<float>(random() % 1000);
    CHECK(cuMemAlloc(&in, n * sizeof(float)));
    CHECK(cuMemAlloc(&out, n * sizeof(float)));
    CHECK(cuMemcpyHtoD(in, numbers.data(), n * sizeof(float)));
    for (float factor : {3.0f, 5.0f}) {
        void *of_apply[] = {&in, &out, &n}, *of_set[] = {&factor};
        if (factor != 3) CHECK(cuLaunchKernel(set_factor, 1, 1, 1, 1, 1, 1, 0, nullptr, of_set, nullptr));
        CHECK(cuLaunchKernel(apply, 4, 1, 1, 256, 1, 1, 0, nullptr, of_apply, nullptr));
        CHECK(cuMemcpyDtoH(results.data(), out, n * sizeof(float)));
        for (int i = 0; i < n; ++i) {
            if (results[i] != numbers[i] / 2 * factor + factor) return std::printf("wrong at %d: %g\n", i, results[i]), 1;
        }
    }
    std::puts("right");
    return 0;
}

int main(int count, char **files) {
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CUmodule module;
    if (count == 2 && !std::strstr(files[1], ".cu")) {  // without a link
        CHECK(cuModuleLoad(&module, files[1]));
        return compare(module);
    }
    static char log[4000];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log), reinterpret_cast<void *>(-1)};
    CUlinkState state;
    CHECK(cuLinkCreate(3, options, values, &state));
    for (int i = 1; i < count; ++i) {
        if (add(state, files[i])) return 1;
    }
    void *image;
    std::size_t size;
    if (const int status = cuLinkComplete(state, &image, &size)) {
        if (reinterpret_cast<std::size_t>(values[1]) != std::strlen(log) + 1) return 3;
        return std::printf("%d: %s\n", status, log), 2;
    }
    float milliseconds;
    std::memcpy(&milliseconds, &values[2], sizeof milliseconds);
    if (values[1] || !(milliseconds >= 0)) return std::printf("%p bytes, %g ms\n", values[1], milliseconds), 1;
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(state));
    return compare(module);
}
