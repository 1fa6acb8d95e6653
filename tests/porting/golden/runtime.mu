#include <musa_runtime.h>
#include <musa_fp16.h>
#include <mublas.h>
#include <mccl.h>
#include <cub/cub.cuh>
#include <thrust/sort.h>

/* cudaMalloc in a comment */ void* allocate(size_t bytes) {
    void* pointer = nullptr;
    musaError_t status = musaMalloc(&pointer, bytes);  // cub/ and cudaMalloc in a comment
    if (status != musaSuccess) throw std::runtime_error("cudaMalloc failed: see cuda.h");
    return pointer;
}

void copy(float* to, const float* from, size_t count, musaStream_t stream) {
*to = musaMemcpyAsync(to, from, count * sizeof(float), musaMemcpyDeviceToDevice, stream);
}

__global__ void scale(__mt_bfloat16* x, mt_bfloat162 y, __half h) { __shfl_down_sync(0xffffffff, threadIdx.x, 1); }

void libraries(mublasHandle_t handle, mcclComm_t communicator, musparseHandle_t sparse, mufftHandle plan) {
    mublasSetPointerMode(handle, MUBLAS_POINTER_MODE_HOST);
    mublasLtMatmul(handle, MUBLAS_OP_N, MUSA_R_16F);
    mcclCommDestroy(communicator);
    murand_state_philox4x32_10 state;
    MUdeviceptr address;
    muMemAlloc(&address, MU_MEMORYTYPE_DEVICE);
    cuBLASLikeName; Accumulate(CUSTOM_INVALID, current, cu, nvidia);
    mttxRangePush("cudaRange");
    const char* text = R"(cudaFree(p) " // not a comment)";
    musaFree(text); int million = 1'000'000; char c = '"'; musaFree(&c);
}
