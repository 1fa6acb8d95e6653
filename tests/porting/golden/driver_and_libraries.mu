#include <musa.h>
#include <mublasLt.h>
#include <musolver.h>
#include <murand_kernel.h>
#include <murand_philox4x32_10.h>
#include <musa_bf16.h>
#include <musa_runtime.h>
#include <cudnn.h>
#include <cooperative_groups.h>
#include <thrust/device_vector.h>

MUresult check(MUdeviceptr pointer, MUstream stream, MUcontext context) {
    MUmemorytype type = MU_MEMORYTYPE_DEVICE;
    muPointerGetAttribute(&type, MU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
    muLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    muCtxSynchronize(); muInit(0);
    return MUSA_SUCCESS == MUSA_ERROR_OUT_OF_MEMORY ? MUSA_SUCCESS : MUSA_ERROR_UNKNOWN;
}
void libraries(mublasLtHandle_t lt, musolverDnHandle_t solver, musparseSpMatDescr_t sparse, mufftHandle fft) {
    mublasGemmEx(h, MUBLAS_OP_T, MUSA_R_16BF, MUBLAS_COMPUTE_32F, MUBLAS_GEMM_DEFAULT_TENSOR_OP);
    mublasStatus_t status = MUBLAS_STATUS_NOT_IMPLEMENTED;
    musolverDnSgetrf(solver); musparseSpMM(sparse, MUSPARSE_OPERATION_NON_TRANSPOSE, MUSPARSE_SPMM_ALG_DEFAULT);
    mufftExecC2C(fft, MUFFT_FORWARD); murand_init(1, 2, 3, &state); float x = murand_uniform4(&state).x;
    murand_state_philox4x32_10 philox; murandState_t xorwow; CURAND_CHECK_OWN(x);
    mcclAllReduce(a, b, n, mcclFloat, mcclSum, comm, stream); mcclResult_t r = mcclSuccess; MCCL_VERSION_CODE;
    mtrtcCreateProgram(&program); MTRTC_SUCCESS; mttxRangePop(); mtjpegCreate(&j);
    __mt_bfloat162 pair; mt_bfloat16 one; __mt_fp8_e4m3 eight; muComplex c = make_muComplex(1, 2); muuint32_t u;
    cudnnCreate(&dnn); CUDNN_STATUS_SUCCESS; at::musa::blas::gemm; musa::std::complex<float> z;
    musaDeviceProp prop; musaFuncSetAttribute(k, musaFuncAttributeMaxDynamicSharedMemorySize, 1);
}
