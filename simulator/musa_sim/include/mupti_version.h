/* The version of MUPTI's interface. */
#ifndef _MUPTI_VERSION_H_
#define _MUPTI_VERSION_H_

#include <mupti_result.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number that MooreThreads/kineto compares with. */
#define MUPTI_API_VERSION 14

MUptiResult MUPTIAPI muptiGetVersion(uint32_t* version);

#ifdef __cplusplus
}
#endif

#endif
