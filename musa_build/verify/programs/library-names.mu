// headers mufft.h musparse.h musolver.h mublasLt.h
// refuted by compile-error
// expect MUFFT_R2C=42
// expect MUFFT_C2R=44
// expect MUFFT_C2C=41
// expect MUFFT_D2Z=106
// expect MUFFT_Z2D=108
// expect MUFFT_Z2Z=105
// expect MUFFT_FORWARD=-1
// expect MUFFT_SUCCESS=0
// expect MUSPARSE_STATUS_SUCCESS=0
// expect MUSOLVER_STATUS_SUCCESS=0
// expect MUSPARSE_INDEX_BASE_ONE=1
#include <mublasLt.h>
#include <mufft.h>
#include <musolver.h>
#include <musparse.h>

#include "probe.h"
#define VALUE(name) fact(#name, static_cast<long long>(name))
// the names that porting writes, with cuBLASLt's and cuSOLVER's meanings
using Handle = mublasLtHandle_t;
using Solver = musolverDnHandle_t;
using Sparse = musparseHandle_t;
int main() {
    VALUE(MUFFT_R2C);
    VALUE(MUFFT_C2R);
    VALUE(MUFFT_C2C);
    VALUE(MUFFT_D2Z);
    VALUE(MUFFT_Z2D);
    VALUE(MUFFT_Z2Z);
    VALUE(MUFFT_FORWARD);
    VALUE(MUFFT_SUCCESS);
    VALUE(MUSPARSE_STATUS_SUCCESS);
    VALUE(MUSOLVER_STATUS_SUCCESS);
    VALUE(MUSPARSE_INDEX_BASE_ONE);
}
