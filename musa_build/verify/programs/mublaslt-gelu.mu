// libraries mublasLt
// headers mublasLt.h
// refuted by compile-error
// expect status=0
// expect gelu=0.841192
// by erf, it would be 0.841345
#include <mublasLt.h>

#include "probe.h"
int main() {
    float* values = managed<float>(3);
    values[0] = values[1] = 1;
    mublasLtHandle_t handle;
    mublasLtMatmulDesc_t product;
    mublasLtMatrixLayout_t one;
    if (mublasLtCreate(&handle) != MUBLAS_STATUS_SUCCESS) undecided("mublasLtCreate failed");
    const mublasLtEpilogue_t epilogue = MUBLASLT_EPILOGUE_GELU;
    if (mublasLtMatmulDescCreate(&product, MUBLAS_COMPUTE_32F, MUSA_R_32F) != MUBLAS_STATUS_SUCCESS ||
        mublasLtMatmulDescSetAttribute(product, MUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) !=
            MUBLAS_STATUS_SUCCESS ||
        mublasLtMatrixLayoutCreate(&one, MUSA_R_32F, 1, 1, 1) != MUBLAS_STATUS_SUCCESS)
        undecided("a description was refused");
    const float alpha = 1, beta = 0;
    fact("status", static_cast<long long>(mublasLtMatmul(handle, product, &alpha, values, one, values + 1, one, &beta,
                                                         values + 2, one, values + 2, one, nullptr, nullptr, 0,
                                                         nullptr)));
    CHECK(musaDeviceSynchronize());
    std::printf("gelu=%f\n", values[2]);
}
