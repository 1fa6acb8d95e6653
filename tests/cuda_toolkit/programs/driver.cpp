#include <cstdio>
#include <cuda.h>
int main(int, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, 0, device);
    if (cuModuleLoad(&module, argv[1]) != CUDA_SUCCESS) return 1;
    if (cuModuleGetFunction(&function, module, "seven") != CUDA_SUCCESS) return 2;
    cuMemAlloc(&out, sizeof(int));
    void *arguments[] = {&out};
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    int value = 0;
    cuMemcpyDtoH(&value, out, sizeof(int));
    printf("%d\n", value);
}
