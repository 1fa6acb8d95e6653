// The parts of CUDA that packages use, in one program; porting turns it into MUSA's.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cstdio>

__global__ void add_all(const int *x, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = i < n ? x[i] : 0;
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
__global__ void others(float *out) {
    const __half2 h = __hadd2(__floats2half2_rn(1.0f, 2.0f), __floats2half2_rn(0.5f, 1.0f));
    int lanes = threadIdx.x;
    for (int step = 1; step < 32; step *= 2) lanes += __shfl_xor_sync(0xffffffffu, lanes, step);
    curandStatePhilox4_32_10_t state;
    curand_init(1234, threadIdx.x, 0, &state);
    const float drawn = curand_uniform(&state);
    if (threadIdx.x == 0) {
        out[0] = __high2float(h);
        out[1] = lanes;
        out[2] = drawn > 0.0f && drawn <= 1.0f;
    }
}

int main() {
    int *x, *sum;
    float *out, *a;
    cudaStream_t stream;
    cudaMallocManaged(&x, 100 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    cudaMallocManaged(&out, 4 * sizeof(float));
    cudaMallocManaged(&a, 4 * sizeof(float));
    for (int i = 0; i < 100; ++i) x[i] = i;
    *sum = 0;
    a[0] = 1, a[1] = 2, a[2] = 3, a[3] = 4;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add_all<<<1, 128, 0, stream>>>(x, sum, 100);
    others<<<1, 32, 0, stream>>>(out);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    std::printf("launched=%s\n", cudaGetErrorName(error));
    std::printf("sum=%d\nhalf=%g\nwarp=%g\ndrawn=%g\n", *sum, out[0], out[1], out[2]);
    cublasHandle_t handle;
    float dot = 0;
    cublasCreate(&handle);
    cublasSdot(handle, 2, a, 1, a + 2, 1, &dot);
    cublasDestroy(handle);
    std::printf("blas=%g\n", dot);
}
