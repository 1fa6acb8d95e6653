/* threadIdx, blockIdx, blockDim, gridDim and warpSize. CUDA sources include this header for editors; mcc needs no
 * header for them. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include <vector_types.h>
#if defined(__MUSACC__)
#include <musa_sim/builtin_variables.h>
#endif

#endif
