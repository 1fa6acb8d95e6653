/* The types of the driver API that other headers mention. The driver's functions themselves (mu...)
 * are not implemented by the simulator and therefore not declared.
 */
#ifndef MUSA_H
#define MUSA_H

#include <driver_types.h>

/* major * 10000 + minor * 100 + patch */
#define MUSA_VERSION 50100

typedef int MUdevice;
typedef unsigned long long MUdeviceptr;
typedef struct MUctx_st* MUcontext;
typedef struct MUmod_st* MUmodule;
typedef struct MUfunc_st* MUfunction;
typedef struct MUstream_st* MUstream;
typedef struct MUevent_st* MUevent;

#endif
