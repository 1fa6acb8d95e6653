// Compiles a kernel at run time and launches it, as NVIDIA's samples do.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        const int status = static_cast<int>(call);                               \
        if (status) return std::printf("%s: %d\n", #call, status), status;       \
    } while (false)


namespace app {
struct Pair {};
}  // namespace app

static const char *const source = R"(
namespace app { struct Pair { float a, b; }; }
template <class T> __global__ void sums(const T *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = WEIGHT * in[i].a + in[i].b;
}
)";

int main() {
    nvrtcProgram program;
    CHECK(nvrtcCreateProgram(&program, source, "sums.cu", 0, nullptr, nullptr));
    std::string type;
    CHECK(nvrtcGetTypeName<app::Pair>(&type));
    const std::string expression = "sums<" + type + ">";
    CHECK(nvrtcAddNameExpression(program, expression.c_str()));
    CUdevice device;
    CUcontext context;
    int major, minor;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    CHECK(cuCtxCreate(&context, 0, device));
    const std::string arch = "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor);
    const char *options[] = {arch.c_str(), "--std=c++17", "-DWEIGHT=2"};
    CHECK(nvrtcCompileProgram(program, 3, options));
    size_t size;
    CHECK(nvrtcGetCUBINSize(program, &size));
    std::vector<char> image(size);
    CHECK(nvrtcGetCUBIN(program, image.data()));
    const char *name;
    CHECK(nvrtcGetLoweredName(program, expression.c_str(), &name));
    CUmodule module;
    CUfunction function;
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&function, module, name));
    CHECK(nvrtcDestroyProgram(&program));
    int n;
    if (std::scanf("%d", &n) != 1) return 1;
    std::vector<float> pairs(2 * n), sums(n);
    for (float &value : pairs)
        if (std::scanf("%f", &value) != 1) return 1;
    CUdeviceptr in, out;
    CHECK(cuMemAlloc(&in, 2 * n * sizeof(float)));
    CHECK(cuMemAlloc(&out, n * sizeof(float)));
    CHECK(cuMemcpyHtoD(in, pairs.data(), 2 * n * sizeof(float)));
    void *arguments[] = {&in, &out, &n};
    CHECK(cuLaunchKernel(function, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(sums.data(), out, n * sizeof(float)));
    for (float value : sums) std::printf("%g ", value);
}
