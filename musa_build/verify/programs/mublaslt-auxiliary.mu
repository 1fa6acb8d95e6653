// libraries mublasLt
// headers mublasLt.h
// refuted by compile-error
// expect mask_status=0
// expect mask=41
// expect input_status=0
// expect input=-2.000000
#include <mublasLt.h>

#include "probe.h"
template <class T>
void set(mublasLtMatmulDesc_t product, mublasLtMatmulDescAttributes_t attribute, T value) {
    if (mublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value) != MUBLAS_STATUS_SUCCESS)
        undecided("an attribute was refused");
}
int main() {
    const float elements[8] = {1, 0, -1, 2, 0, 3, -2, -0.5f};  // bits 0, 3 and 5 are above zero
    float* values = managed<float>(17);
    float* kept = managed<float>(128);
    for (int i = 0; i < 8; ++i) values[i] = elements[i];
    values[8] = 1;
    mublasLtHandle_t handle;
    mublasLtMatmulDesc_t product;
    mublasLtMatrixLayout_t column, one;
    if (mublasLtCreate(&handle) != MUBLAS_STATUS_SUCCESS) undecided("mublasLtCreate failed");
    if (mublasLtMatmulDescCreate(&product, MUBLAS_COMPUTE_32F, MUSA_R_32F) != MUBLAS_STATUS_SUCCESS ||
        mublasLtMatrixLayoutCreate(&column, MUSA_R_32F, 8, 1, 8) != MUBLAS_STATUS_SUCCESS ||
        mublasLtMatrixLayoutCreate(&one, MUSA_R_32F, 1, 1, 1) != MUBLAS_STATUS_SUCCESS)
        undecided("a description was refused");
    const auto multiply = [&](mublasLtEpilogue_t epilogue, long long ld) {
        const float alpha = 1, beta = 0;
        set(product, MUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        set(product, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(kept));
        set(product, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, static_cast<int64_t>(ld));
        const mublasStatus_t status = mublasLtMatmul(handle, product, &alpha, values, column, values + 8, one, &beta,
                                                     values + 9, column, values + 9, column, nullptr, nullptr, 0, nullptr);
        CHECK(musaDeviceSynchronize());
        return static_cast<long long>(status);
    };
    fact("mask_status", multiply(MUBLASLT_EPILOGUE_RELU_AUX, 128));
    fact("mask", static_cast<long long>(*reinterpret_cast<unsigned char*>(kept)));
    fact("input_status", multiply(MUBLASLT_EPILOGUE_GELU_AUX, 8));
    std::printf("input=%f\n", kept[6]);
}
