// <nv/target>: code chosen by what is compiled, in a file for nvcc.
#include <cstdio>
#include <cuda_runtime.h>
#include <nv/target>

template <class T>
__host__ __device__ int where(T value) {
    NV_IF_ELSE_TARGET(NV_IS_HOST, (int of_host[2] = {1, 0}; value += of_host[0];), (value += 10;))
    NV_IF_TARGET(NV_IS_DEVICE, (NV_IF_TARGET(NV_PROVIDES_SM_70, (value += 100;))))
    NV_IF_TARGET(NV_PROVIDES_SM_120, (value += 1000;), (value += 2000;))
    NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_35, (return -1;), NV_IS_HOST, (return value + 4;), NV_PROVIDES_SM_120, (return -2;),
                       NV_ANY_TARGET, (return value + 5;))
}
__global__ void on_device(int *value) { *value = where(*value); }

int main() {
    int *value = nullptr;
    cudaMallocManaged(&value, sizeof *value);
    *value = 0;
    on_device<<<1, 1>>>(value);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", where(0), *value);
}
