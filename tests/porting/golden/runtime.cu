#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cublas_v2.h>
#include <nccl.h>
#include <cub/cub.cuh>
#include <thrust/sort.h>

/* cudaMalloc in a comment */ void* allocate(size_t bytes) {
    void* pointer = nullptr;
    cudaError_t status = cudaMalloc(&pointer, bytes);  // cub/ and cudaMalloc in a comment
    if (status != cudaSuccess) throw std::runtime_error("cudaMalloc failed: see cuda.h");
    return pointer;
}

void copy(float* to, const float* from, size_t count, cudaStream_t stream) {
*to = cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

__global__ void scale(__nv_bfloat16* x, nv_bfloat162 y, __half h) { __shfl_down_sync(0xffffffff, threadIdx.x, 1); }

void libraries(cublasHandle_t handle, ncclComm_t communicator, cusparseHandle_t sparse, cufftHandle plan) {
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    cublasLtMatmul(handle, CUBLAS_OP_N, CUDA_R_16F);
    ncclCommDestroy(communicator);
    curandStatePhilox4_32_10_t state;
    CUdeviceptr address;
    cuMemAlloc(&address, CU_MEMORYTYPE_DEVICE);
    cuBLASLikeName; Accumulate(CUSTOM_INVALID, current, cu, nvidia);
    nvtxRangePush("cudaRange");
    const char* text = R"(cudaFree(p) " // not a comment)";
    cudaFree(text); int million = 1'000'000; char c = '"'; cudaFree(&c);
}
