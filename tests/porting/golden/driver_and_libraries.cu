#include <cuda.h>
#include <cublasLt.h>
#include <cusolverDn.h>
#include <curand_kernel.h>
#include <curand_philox4x32_x.h>
#include <cuda_bf16.h>
#include <device_launch_parameters.h>
#include <cudnn.h>
#include <cooperative_groups.h>
#include <thrust/device_vector.h>

CUresult check(CUdeviceptr pointer, CUstream stream, CUcontext context) {
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    cuCtxSynchronize(); cuInit(0);
    return CUDA_SUCCESS == CUDA_ERROR_OUT_OF_MEMORY ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
void libraries(cublasLtHandle_t lt, cusolverDnHandle_t solver, cusparseSpMatDescr_t sparse, cufftHandle fft) {
    cublasGemmEx(h, CUBLAS_OP_T, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
    cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;
    cusolverDnSgetrf(solver); cusparseSpMM(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_SPMM_ALG_DEFAULT);
    cufftExecC2C(fft, CUFFT_FORWARD); curand_init(1, 2, 3, &state); float x = curand_uniform4(&state).x;
    curandStatePhilox4_32_10_t philox; curandState_t xorwow; CURAND_CHECK_OWN(x);
    ncclAllReduce(a, b, n, ncclFloat, ncclSum, comm, stream); ncclResult_t r = ncclSuccess; NCCL_VERSION_CODE;
    nvrtcCreateProgram(&program); NVRTC_SUCCESS; nvtxRangePop(); nvjpegCreate(&j);
    __nv_bfloat162 pair; nv_bfloat16 one; __nv_fp8_e4m3 eight; cuComplex c = make_cuComplex(1, 2); cuuint32_t u;
    cudnnCreate(&dnn); CUDNN_STATUS_SUCCESS; at::cuda::blas::gemm; cuda::std::complex<float> z;
    cudaDeviceProp prop; cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
}
