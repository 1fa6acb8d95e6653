// headers musa.h muComplex.h musa_fp16.h musa_bf16.h mublas.h mufft.h murand.h musparse.h musolver_common.h
// expect __MUSA_RUNTIME_H__=1
// expect __MUSA_RUNTIME_API_H__=1
// expect __DRIVER_TYPES_H__=1
// expect __HOST_DEFINES_H__=1
// expect __VECTOR_TYPES_H__=1
// expect __musa_musa_h__=1
// expect MU_COMPLEX_H_=1
// expect __MUSA_FP16_H__=1
// expect __MUSA_BF16_H__=1
// expect MUBLAS_API_H_=1
// expect _MUFFT_H_=1
// expect MURAND_H_=1
// expect MUSPARSE_H_=1
// expect MUSPARSEAPI=1
// expect MUSOLVER_COMMON_H_=1
#include <muComplex.h>
#include <mublas.h>
#include <mufft.h>
#include <murand.h>
#include <musa.h>
#include <musa_bf16.h>
#include <musa_fp16.h>
#include <musolver_common.h>
#include <musparse.h>

#include <cstring>

#include "probe.h"
#define TEXT(x) #x
// a macro without a value expands to nothing, one that does not exist to its own name
#define DEFINED(name) fact(#name, std::strcmp(TEXT_OF(name), #name) != 0)
#define TEXT_OF(x) TEXT(x)
int main() {
    DEFINED(__MUSA_RUNTIME_H__);
    DEFINED(__MUSA_RUNTIME_API_H__);
    DEFINED(__DRIVER_TYPES_H__);
    DEFINED(__HOST_DEFINES_H__);
    DEFINED(__VECTOR_TYPES_H__);
    DEFINED(__musa_musa_h__);
    DEFINED(MU_COMPLEX_H_);
    DEFINED(__MUSA_FP16_H__);
    DEFINED(__MUSA_BF16_H__);
    DEFINED(MUBLAS_API_H_);
    DEFINED(_MUFFT_H_);
    DEFINED(MURAND_H_);
    DEFINED(MUSPARSE_H_);
    DEFINED(MUSPARSEAPI);
    DEFINED(MUSOLVER_COMMON_H_);
}
