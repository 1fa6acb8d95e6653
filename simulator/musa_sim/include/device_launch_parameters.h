/* threadIdx, blockIdx, blockDim, gridDim and warpSize. CUDA sources include this header to please editors; mcc knows
 * the names without it. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include <vector_types.h>
#if defined(__MUSACC__)
#include <musa_sim/builtin_variables.h>
#endif

#endif
