/* muFFT's plans by the types of their data, with sizes of 64 bits. Signatures are cuFFT's, renamed. Half precision:
 * MUFFT_NOT_SUPPORTED. */
#ifndef _MUFFTXT_H_
#define _MUFFTXT_H_

#include <mufft.h>

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

#ifdef __cplusplus
}
#endif

#endif
