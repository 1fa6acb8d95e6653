// libraries mudnn
// headers mudnn.h
// refuted by compile-error
// expect SUCCESS=0
// expect NOT_SUPPORTED=4
// expect FLOAT=0
// expect NHWC=3
// expect DIM_MAX=8
// expect ADD=0
// expect no_descriptor=MUDNN_STATUS_INVALID_PARAMETER
// expect sum=11
// expect product=6
#include <mudnn.h>

#include "probe.h"
void must(mudnnStatus_t status) {
    if (status != MUDNN_STATUS_SUCCESS) undecided(mudnnGetErrorString(status));
}
int main() {
    float* values = managed<float>(4);
    values[0] = 1, values[1] = 10;
    fact("SUCCESS", static_cast<long long>(MUDNN_STATUS_SUCCESS));
    fact("NOT_SUPPORTED", static_cast<long long>(MUDNN_STATUS_NOT_SUPPORTED));
    fact("FLOAT", static_cast<long long>(MUDNN_DATA_FLOAT));
    fact("NHWC", static_cast<long long>(MUDNN_TENSOR_NHWC));
    fact("DIM_MAX", static_cast<long long>(MUDNN_DIM_MAX));
    fact("ADD", static_cast<long long>(MUDNN_BINARY_ADD));
    mudnnHandle_t handle = nullptr;
    mudnnTensorDescriptor_t one = nullptr;
    mudnnBinaryDescriptor_t add = nullptr;
    must(mudnnCreate(&handle));
    must(mudnnSetStream(handle, nullptr));
    must(mudnnCreateTensorDescriptor(&one));
    must(mudnnCreateBinaryDescriptor(&add));
    const int64_t size = 1;
    must(mudnnSetTensorNdDescriptorWithScale(one, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 1, &size, &size, 1.0f));
    must(mudnnSetBinaryDescriptor(add, MUDNN_BINARY_ADD, MUDNN_PARAM_DATA_NONE, nullptr, MUDNN_PARAM_DATA_NONE, nullptr));
    must(mudnnBinary(handle, add, one, values + 2, one, values, one, values + 1));
    CHECK(musaDeviceSynchronize());
    fact("sum", static_cast<long long>(values[2]));
    values[0] = 2, values[1] = 3;
    mudnnTensorDescriptor_t matrix = nullptr;
    mudnnBatchMatMulDescriptor_t product = nullptr;
    const int64_t sizes[] = {1, 1, 1};
    must(mudnnCreateTensorDescriptor(&matrix));
    must(mudnnSetTensorNdDescriptorWithScale(matrix, MUDNN_TENSOR_NCHW, MUDNN_DATA_FLOAT, 3, sizes, sizes, 1.0f));
    must(mudnnCreateBatchMatMulDescriptor(&product));
    must(mudnnSetBatchMatMulDescriptorEx(product, MUDNN_FMA_MATH, false, false, false, MUDNN_MATMULLT_EPILOGUE_DEFAULT, 0, 1.0,
                                         0.0, 1.0));
    size_t bytes = 0;
    must(mudnnBatchMatmulGetWorkspaceSize(handle, product, matrix, matrix, matrix, matrix, &bytes));
    char* workspace = managed<char>(static_cast<int>(bytes) + 1);
    must(mudnnBatchMatMulBias(handle, product, matrix, values, matrix, values + 1, matrix, values + 3, matrix, values + 3,
                              nullptr, nullptr, workspace, bytes));
    CHECK(musaDeviceSynchronize());
    fact("product", static_cast<long long>(values[3]));
    fact("no_descriptor", mudnnGetErrorString(mudnnBinary(handle, nullptr, one, values, one, values, one, values)));
}
