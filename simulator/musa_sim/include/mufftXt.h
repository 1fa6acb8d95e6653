/* muFFT's plans by the types of their data, with sizes of 64 bits, and data on several devices. Signatures are cuFFT's, renamed.
 * Half precision: MUFFT_NOT_SUPPORTED. */
#ifndef _MUFFTXT_H_
#define _MUFFTXT_H_

#include <mufft.h>
#include <musalibxt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The types of input and output, which have the precision of executiontype, determine the type of the plan. */
mufftResult mufftXtMakePlanMany(mufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, musaDataType inputtype,
                                long long int *onembed, long long int ostride, long long int odist,
                                musaDataType outputtype, long long int batch, size_t *workSize,
                                musaDataType executiontype);
mufftResult mufftXtGetSizeMany(mufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, musaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               musaDataType outputtype, long long int batch, size_t *workSize,
                               musaDataType executiontype);
typedef enum mufftXtWorkAreaPolicy_t {
    MUFFT_WORKAREA_MINIMAL = 0,
    MUFFT_WORKAREA_USER = 1,
    MUFFT_WORKAREA_PERFORMANCE = 2
} mufftXtWorkAreaPolicy;
/* Work areas are not used: all policies suit. */
mufftResult mufftXtSetWorkAreaPolicy(mufftHandle plan, mufftXtWorkAreaPolicy policy, size_t *workSize);
mufftResult mufftXtSetWorkArea(mufftHandle plan, void **workArea);
/* The direction applies to complex transforms. */
mufftResult mufftXtExec(mufftHandle plan, void *input, void *output, int direction);

/* Data on several devices, for complex transforms. Each device has a part of the batches, or of the slowest dimension; the
 * order is the natural one in every format. ExecDescriptor returns when the result is there. */
typedef enum mufftXtSubFormat_t {
    MUFFT_XT_FORMAT_INPUT = 0x00,
    MUFFT_XT_FORMAT_OUTPUT = 0x01,
    MUFFT_XT_FORMAT_INPLACE = 0x02,
    MUFFT_XT_FORMAT_INPLACE_SHUFFLED = 0x03,
    MUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 0x04,
    MUFFT_FORMAT_UNDEFINED = 0x05
} mufftXtSubFormat;
typedef enum mufftXtCopyType_t {
    MUFFT_COPY_HOST_TO_DEVICE = 0x00,
    MUFFT_COPY_DEVICE_TO_HOST = 0x01,
    MUFFT_COPY_DEVICE_TO_DEVICE = 0x02,
    MUFFT_COPY_UNDEFINED = 0x03
} mufftXtCopyType;
typedef enum mufftXtQueryType_t { MUFFT_QUERY_1D_FACTORS = 0x00, MUFFT_QUERY_UNDEFINED = 0x01 } mufftXtQueryType;
/* Before the plan is made; its work sizes are then one for each device */
mufftResult mufftXtSetGPUs(mufftHandle handle, int nGPUs, int *whichGPUs);
mufftResult mufftXtMalloc(mufftHandle plan, musaLibXtDesc **descriptor, mufftXtSubFormat format);
mufftResult mufftXtFree(musaLibXtDesc *descriptor);
mufftResult mufftXtMemcpy(mufftHandle plan, void *dstPointer, void *srcPointer, mufftXtCopyType type);
mufftResult mufftXtExecDescriptor(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output, int direction);
mufftResult mufftXtExecDescriptorC2C(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output, int direction);
mufftResult mufftXtExecDescriptorZ2Z(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output, int direction);
/* MUFFT_NOT_SUPPORTED */
mufftResult mufftXtExecDescriptorR2C(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output);
mufftResult mufftXtExecDescriptorD2Z(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output);
mufftResult mufftXtExecDescriptorC2R(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output);
mufftResult mufftXtExecDescriptorZ2D(mufftHandle plan, musaLibXtDesc *input, musaLibXtDesc *output);
mufftResult mufftXtQueryPlan(mufftHandle plan, void *queryStruct, mufftXtQueryType queryType);

#ifdef __cplusplus
}
#endif

#endif
