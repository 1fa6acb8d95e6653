/* What all parts of muSOLVER share: its status. Names and numbers are cuSOLVER's, renamed. */
#ifndef MUSOLVER_COMMON_H_
#define MUSOLVER_COMMON_H_

#include <library_types.h>
#include <muComplex.h>
#include <mublas.h>
#include <musa_runtime_api.h>
#include <stdio.h>

#define MUSOLVER_VER_MAJOR 1
#define MUSOLVER_VER_MINOR 6
#define MUSOLVER_VER_PATCH 0
#define MUSOLVER_VERSION 10600

#ifndef MUSOLVERAPI
#define MUSOLVERAPI
#endif

typedef enum musolverStatus_t {
    MUSOLVER_STATUS_SUCCESS = 0,
    MUSOLVER_STATUS_NOT_INITIALIZED = 1,
    MUSOLVER_STATUS_ALLOC_FAILED = 2,
    MUSOLVER_STATUS_INVALID_VALUE = 3,
    MUSOLVER_STATUS_ARCH_MISMATCH = 4,
    MUSOLVER_STATUS_MAPPING_ERROR = 5,
    MUSOLVER_STATUS_EXECUTION_FAILED = 6,
    MUSOLVER_STATUS_INTERNAL_ERROR = 7,
    MUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    MUSOLVER_STATUS_NOT_SUPPORTED = 9,
    MUSOLVER_STATUS_ZERO_PIVOT = 10,
    MUSOLVER_STATUS_INVALID_LICENSE = 11
} musolverStatus_t;

typedef enum musolverEigMode_t { MUSOLVER_EIG_MODE_NOVECTOR = 0, MUSOLVER_EIG_MODE_VECTOR = 1 } musolverEigMode_t;

#endif
