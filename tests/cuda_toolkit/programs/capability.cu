#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void number(int *out) {
#if defined(__CUDA_ARCH__)
    *out = __CUDA_ARCH__;
#else
    (void)out;
#endif
}

int main() {
    int *out, device_code, major, minor, warp, driver_major, driver_minor;
    cudaMalloc(&out, sizeof(int));
    number<<<1, 1>>>(out);
    cudaMemcpy(&device_code, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    cuInit(0);
    cuDeviceGetAttribute(&driver_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    cuDeviceGetAttribute(&driver_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
    cudaFuncAttributes kernel;
    cudaFuncGetAttributes(&kernel, number);
    cudaFuncAttributes of_pointer;
    cudaFuncGetAttributes(&of_pointer, (const void *)number);
    cudaFunction_t function;
    cudaGetFuncBySymbol(&function, (const void *)number);
    int driver_ptx, driver_binary;
    cuFuncGetAttribute(&driver_ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
    cuFuncGetAttribute(&driver_binary, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function);
    printf("%d %d %d %d %d %d ", kernel.ptxVersion, kernel.binaryVersion, of_pointer.ptxVersion, of_pointer.binaryVersion,
           driver_ptx, driver_binary);
    printf("%d %d %d %d %d %d %d\n", device_code / 10, properties.major * 10 + properties.minor, major * 10 + minor,
           driver_major * 10 + driver_minor, properties.warpSize, warp, CUDART_VERSION);
}
