#pragma once

#include "../../core/MUSAException.h"

#include <ATen/Context.h>
#include <c10/macros/Export.h>
#include <mublas.h>
#include <musolver_common.h>
#include <musparse.h>

#define AT_MUSA_CHECK(EXPR) C10_MUSA_CHECK(EXPR)

/// These throw c10::Error with the library's own words if the call does not succeed.
#define TORCH_MUSABLAS_CHECK(EXPR)                                                                      \
  do {                                                                                                  \
    const auto status_of_call = (EXPR);                                                                 \
    TORCH_CHECK(status_of_call == MUBLAS_STATUS_SUCCESS,                                                \
                "muBLAS error: ", mublasGetStatusString(status_of_call), ", when calling `" #EXPR "`"); \
  } while (0)

namespace at::musa::blas {
// As in ATen/cuda/Exceptions.h, where the namespace is declared for all that include it.
inline const char* _mublasGetErrorEnum(mublasStatus_t error) {
  return mublasGetStatusString(error);
}
} // namespace at::musa::blas

#define TORCH_MUSASPARSE_CHECK(EXPR)                                                                        \
  do {                                                                                                      \
    const auto status_of_call = (EXPR);                                                                     \
    TORCH_CHECK(status_of_call == MUSPARSE_STATUS_SUCCESS,                                                  \
                "muSPARSE error: ", musparseGetErrorString(status_of_call), ", when calling `" #EXPR "`"); \
  } while (0)

namespace at::musa::solver {
inline const char* musolverGetErrorMessage(musolverStatus_t status) {
  switch (status) {
    case MUSOLVER_STATUS_SUCCESS:
      return "MUSOLVER_STATUS_SUCCESS";
    case MUSOLVER_STATUS_NOT_INITIALIZED:
      return "MUSOLVER_STATUS_NOT_INITIALIZED";
    case MUSOLVER_STATUS_ALLOC_FAILED:
      return "MUSOLVER_STATUS_ALLOC_FAILED";
    case MUSOLVER_STATUS_INVALID_VALUE:
      return "MUSOLVER_STATUS_INVALID_VALUE";
    case MUSOLVER_STATUS_ARCH_MISMATCH:
      return "MUSOLVER_STATUS_ARCH_MISMATCH";
    case MUSOLVER_STATUS_EXECUTION_FAILED:
      return "MUSOLVER_STATUS_EXECUTION_FAILED";
    case MUSOLVER_STATUS_INTERNAL_ERROR:
      return "MUSOLVER_STATUS_INTERNAL_ERROR";
    case MUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
      return "MUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED";
    default:
      return "an unknown muSOLVER status";
  }
}
} // namespace at::musa::solver

#define TORCH_MUSOLVER_CHECK(EXPR)                                                                             \
  do {                                                                                                         \
    const auto status_of_call = (EXPR);                                                                        \
    TORCH_CHECK(status_of_call == MUSOLVER_STATUS_SUCCESS,                                                     \
                "muSOLVER error ", static_cast<int>(status_of_call), ", when calling `" #EXPR "`");            \
  } while (0)

#define AT_MUSA_DRIVER_CHECK(EXPR)                                                               \
  do {                                                                                           \
    const MUresult status_of_call = (EXPR);                                                      \
    if (status_of_call != MUSA_SUCCESS) {                                                        \
      const char* text_of_status = nullptr;                                                      \
      if (muGetErrorString(status_of_call, &text_of_status) != MUSA_SUCCESS) {                   \
        text_of_status = "unknown error";                                                        \
      }                                                                                          \
      TORCH_CHECK(false, "MUSA driver error: ", text_of_status, ", when calling `" #EXPR "`");  \
    }                                                                                            \
  } while (0)
