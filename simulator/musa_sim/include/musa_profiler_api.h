/* musaProfilerStart and musaProfilerStop, which musa_runtime_api.h declares. */
#ifndef __MUSA_PROFILER_API_H__
#define __MUSA_PROFILER_API_H__

#include <musa_runtime_api.h>

#endif
