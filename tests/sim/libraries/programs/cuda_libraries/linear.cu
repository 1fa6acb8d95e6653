// A CUDA program that calls cuSOLVER, cuSPARSE, cuBLASLt, textures and wmma: ported by musa-build, it runs on the simulator.
#include <cublasLt.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                        \
    do {                                                                   \
        if (int status = static_cast<int>(call)) {                         \
            std::fprintf(stderr, "line %d: status %d\n", __LINE__, status); \
            std::exit(1);                                                  \
        }                                                                  \
    } while (0)

template <class T>
T* on_device(const std::vector<T>& values) {
    T* memory = nullptr;
    CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, size_t count) {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// [2 1; 1 3] x = [3; 5]
void solve(cudaStream_t stream) {
    cusolverDnHandle_t handle;
    CHECK(cusolverDnCreate(&handle));
    CHECK(cusolverDnSetStream(handle, stream));
    double* a = on_device<double>({2, 1, 1, 3});
    double* b = on_device<double>({3, 5});
    int *pivots, *info, size = 0;
    CHECK(cudaMalloc(&pivots, 2 * sizeof(int)));
    CHECK(cudaMalloc(&info, sizeof(int)));
    CHECK(cusolverDnDgetrf_bufferSize(handle, 2, 2, a, 2, &size));
    double* work;
    CHECK(cudaMalloc(&work, size * sizeof(double)));
    CHECK(cusolverDnDgetrf(handle, 2, 2, a, 2, work, pivots, info));
    CHECK(cusolverDnDgetrs(handle, CUBLAS_OP_N, 2, 1, a, 2, pivots, b, 2, info));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("x=%.3f %.3f, info %d\n", on_host(b, 2)[0], on_host(b, 2)[1], on_host(info, 1)[0]);
    CHECK(cusolverDnDestroy(handle));
}

void multiply_sparse(cudaStream_t stream) {
    cusparseHandle_t handle;
    CHECK(cusparseCreate(&handle));
    CHECK(cusparseSetStream(handle, stream));
    int* offsets = on_device<int>({0, 1, 3});
    int* columns = on_device<int>({1, 0, 1});
    float* values = on_device<float>({2, 3, 4});
    float* x = on_device<float>({1, 10});
    float* y = on_device<float>({0, 0});
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    CHECK(cusparseCreateCsr(&matrix, 2, 2, 3, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&from, 2, x, CUDA_R_32F));
    CHECK(cusparseCreateDnVec(&to, 2, y, CUDA_R_32F));
    const float alpha = 1, beta = 0;
    size_t size = 0;
    CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, from, &beta, to, CUDA_R_32F,
                                  CUSPARSE_SPMV_ALG_DEFAULT, &size));
    void* buffer = nullptr;
    CHECK(cudaMalloc(&buffer, size));
    CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, from, &beta, to, CUDA_R_32F,
                       CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("y=%g %g\n", on_host(y, 2)[0], on_host(y, 2)[1]);
    CHECK(cusparseDestroySpMat(matrix));
    CHECK(cusparseDestroy(handle));
}

// relu([1 2; 3 4] I + bias)
void multiply_dense(cudaStream_t stream) {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t layout;
    CHECK(cublasLtCreate(&handle));
    CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 2, 2, 2));
    float* a = on_device<float>({1, 3, 2, 4});
    float* b = on_device<float>({1, 0, 0, 1});
    float* c = on_device<float>({0, 0, 0, 0});
    float* bias = on_device<float>({-2, 1});
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    const float alpha = 1, beta = 0;
    CHECK(cublasLtMatmul(handle, desc, &alpha, a, layout, b, layout, &beta, c, layout, c, layout, nullptr, nullptr, 0,
                         stream));
    CHECK(cudaStreamSynchronize(stream));
    const std::vector<float> d = on_host(c, 4);
    std::printf("d=%g %g %g %g\n", d[0], d[1], d[2], d[3]);
    CHECK(cublasLtDestroy(handle));
}

using namespace nvcuda;

__global__ void square(const half* a, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}

__global__ void sample(cudaTextureObject_t image, float* out) { out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 1.0f, 0.5f); }

void kernels(cudaStream_t stream) {
    std::vector<half> identity(256);
    for (int i = 0; i < 256; ++i) identity[i] = __float2half(i % 17 == 0 ? 3.0f : 0.0f);
    half* a = on_device(identity);
    float* c = on_device(std::vector<float>(256));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, square, static_cast<const half*>(a), c));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("c=%g %g\n", on_host(c, 256)[17], on_host(c, 256)[18]);

    cudaArray_t array;
    const cudaChannelFormatDesc element = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &element, 4, 1));
    const float pixels[4] = {0, 1, 4, 9};
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof pixels, sizeof pixels, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    cudaTextureDesc how;
    std::memset(&resource, 0, sizeof resource);
    std::memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t image;
    CHECK(cudaCreateTextureObject(&image, &resource, &how, nullptr));
    sample<<<1, 4, 0, stream>>>(image, c);
    CHECK(cudaStreamSynchronize(stream));
    const std::vector<float> read = on_host(c, 4);
    std::printf("texture=%g %g %g %g\n", read[0], read[1], read[2], read[3]);
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaFreeArray(array));
}

int main() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaProfilerStart());
    solve(stream);
    multiply_sparse(stream);
    multiply_dense(stream);
    kernels(stream);
    CHECK(cudaProfilerStop());
}
