// libraries mublas
// headers mublas.h
// refuted by compile-error
// expect status=0
// expect product=6
#include <mublas.h>

#include "probe.h"
int main() {
    float* x = managed<float>(3);
    x[0] = 2, x[1] = 3;
    mublasHandle_t handle;
    if (mublasCreate_v2(&handle) != MUBLAS_STATUS_SUCCESS) undecided("mublasCreate_v2 failed");
    const float one = 1, zero = 0;
    fact("status", static_cast<long long>(mublasGemmEx(handle, MUBLAS_OP_N, MUBLAS_OP_N, 1, 1, 1, &one, x, MUSA_R_32F, 1,
                                                       x + 1, MUSA_R_32F, 1, &zero, x + 2, MUSA_R_32F, 1, MUSA_R_32F,
                                                       MUBLAS_GEMM_DEFAULT)));
    CHECK(musaDeviceSynchronize());
    fact("product", static_cast<long long>(x[2]));
}
