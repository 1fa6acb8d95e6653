// Compiled by the host compiler: it shares types with ops.cu, and calls a library.
#include <cublas_v2.h>

#include "ops.h"

int six_times(float *host, int n) {
    float *values;
    const float two = 2;
    cudaStream_t stream;
    cublasHandle_t handle;
    if (cudaStreamCreate(&stream) != cudaSuccess || cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    cublasSetStream(handle, stream);
    cudaMalloc(reinterpret_cast<void **>(&values), n * sizeof(float));
    cudaMemcpyAsync(values, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    triple(stream, values, n);
    cublasSscal(handle, n, &two, values, 1);
    cudaMemcpyAsync(host, values, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    const cudaError_t error = cudaStreamSynchronize(stream);
    cublasDestroy(handle);
    cudaFree(values);
    return error;
}
