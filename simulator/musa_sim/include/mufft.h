/* muFFT: Fourier transforms of one to three dimensions, batched, of float and double.
 *
 * The signatures are cuFFT's, renamed; so are the numbers of status and types. Transforms are not scaled: forth and back
 * multiplies by the number of elements. They are computed in double precision and rounded once. Work areas are the
 * library's own business: a plan's size is 0, and an area that the caller sets is not used. Callbacks, several devices
 * and half precision are not there.
 */
#ifndef _MUFFT_H_
#define _MUFFT_H_

#include <library_types.h>
#include <muComplex.h>
#include <musa_runtime_api.h>
#include <stddef.h>

#define MUFFT_VER_MAJOR 1
#define MUFFT_VER_MINOR 12
#define MUFFT_VER_PATCH 0
#define MUFFT_VERSION (MUFFT_VER_MAJOR * 10000 + MUFFT_VER_MINOR * 100 + MUFFT_VER_PATCH)

#ifndef MUFFTAPI
#define MUFFTAPI
#endif

#define MUFFT_FORWARD -1
#define MUFFT_INVERSE 1

typedef enum mufftResult_t {
    MUFFT_SUCCESS = 0,
    MUFFT_INVALID_PLAN = 1,
    MUFFT_ALLOC_FAILED = 2,
    MUFFT_INVALID_TYPE = 3,
    MUFFT_INVALID_VALUE = 4,
    MUFFT_INTERNAL_ERROR = 5,
    MUFFT_EXEC_FAILED = 6,
    MUFFT_SETUP_FAILED = 7,
    MUFFT_INVALID_SIZE = 8,
    MUFFT_UNALIGNED_DATA = 9,
    MUFFT_INCOMPLETE_PARAMETER_LIST = 10,
    MUFFT_INVALID_DEVICE = 11,
    MUFFT_PARSE_ERROR = 12,
    MUFFT_NO_WORKSPACE = 13,
    MUFFT_NOT_IMPLEMENTED = 14,
    MUFFT_LICENSE_ERROR = 15,
    MUFFT_NOT_SUPPORTED = 16,
    MUFFT_MISSING_DEPENDENCY = 17,
    MUFFT_MTRTC_FAILURE = 18,
    MUFFT_MTJITLINK_FAILURE = 19,
    MUFFT_MTSHMEM_FAILURE = 20
} mufftResult;

typedef enum mufftType_t {
    MUFFT_R2C = 0x2a,
    MUFFT_C2R = 0x2c,
    MUFFT_C2C = 0x29,
    MUFFT_D2Z = 0x6a,
    MUFFT_Z2D = 0x6c,
    MUFFT_Z2Z = 0x69
} mufftType;

typedef int mufftHandle;
typedef float mufftReal;
typedef double mufftDoubleReal;
typedef muComplex mufftComplex;
typedef muDoubleComplex mufftDoubleComplex;

#ifdef __cplusplus
extern "C" {
#endif

mufftResult mufftPlan1d(mufftHandle *plan, int nx, mufftType type, int batch);
mufftResult mufftPlan2d(mufftHandle *plan, int nx, int ny, mufftType type);
mufftResult mufftPlan3d(mufftHandle *plan, int nx, int ny, int nz, mufftType type);
/* Element (b, x, y, z) of a batch lies at b * dist + ((x * embed[1] + y) * embed[2] + z) * stride. Without inembed, or
 * without onembed, both sides are dense and their strides and distances are not looked at. */
mufftResult mufftPlanMany(mufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, mufftType type, int batch);

/* The same plans in two steps */
mufftResult mufftCreate(mufftHandle *plan);
mufftResult mufftMakePlan1d(mufftHandle plan, int nx, mufftType type, int batch, size_t *work_size);
mufftResult mufftMakePlan2d(mufftHandle plan, int nx, int ny, mufftType type, size_t *work_size);
mufftResult mufftMakePlan3d(mufftHandle plan, int nx, int ny, int nz, mufftType type, size_t *work_size);
mufftResult mufftMakePlanMany(mufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, mufftType type, int batch, size_t *work_size);

mufftResult mufftMakePlanMany64(mufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, long long int *onembed,
                                long long int ostride, long long int odist, mufftType type, long long int batch,
                                size_t *work_size);

/* The work area of a plan that would be made so: the size is 0. */
mufftResult mufftEstimate1d(int nx, mufftType type, int batch, size_t *work_size);
mufftResult mufftEstimate2d(int nx, int ny, mufftType type, size_t *work_size);
mufftResult mufftEstimate3d(int nx, int ny, int nz, mufftType type, size_t *work_size);
mufftResult mufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                              int odist, mufftType type, int batch, size_t *work_size);
mufftResult mufftGetSize1d(mufftHandle plan, int nx, mufftType type, int batch, size_t *work_size);
mufftResult mufftGetSize2d(mufftHandle plan, int nx, int ny, mufftType type, size_t *work_size);
mufftResult mufftGetSize3d(mufftHandle plan, int nx, int ny, int nz, mufftType type, size_t *work_size);
mufftResult mufftGetSizeMany(mufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                             int ostride, int odist, mufftType type, int batch, size_t *work_size);
mufftResult mufftGetSizeMany64(mufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, long long int *onembed,
                               long long int ostride, long long int odist, mufftType type, long long int batch,
                               size_t *work_size);

mufftResult mufftGetProperty(libraryPropertyType type, int *value);
mufftResult mufftDestroy(mufftHandle plan);
mufftResult mufftGetVersion(int *version);
mufftResult mufftGetSize(mufftHandle plan, size_t *work_size);
mufftResult mufftSetStream(mufftHandle plan, musaStream_t stream);
mufftResult mufftSetAutoAllocation(mufftHandle plan, int auto_allocate);
mufftResult mufftSetWorkArea(mufftHandle plan, void *work_area);

/* From and to device memory, which may be the same. Real data in place is padded: each row of n real numbers takes
 * 2 * (n / 2 + 1). Of the complex side of a real transform only n / 2 + 1 elements of a row exist. */
mufftResult mufftExecC2C(mufftHandle plan, mufftComplex *input, mufftComplex *output, int direction);
mufftResult mufftExecZ2Z(mufftHandle plan, mufftDoubleComplex *input, mufftDoubleComplex *output, int direction);
mufftResult mufftExecR2C(mufftHandle plan, mufftReal *input, mufftComplex *output);
mufftResult mufftExecD2Z(mufftHandle plan, mufftDoubleReal *input, mufftDoubleComplex *output);
mufftResult mufftExecC2R(mufftHandle plan, mufftComplex *input, mufftReal *output);
mufftResult mufftExecZ2D(mufftHandle plan, mufftDoubleComplex *input, mufftDoubleReal *output);

#ifdef __cplusplus
}
#endif

#endif
