/* musaProfilerStart and musaProfilerStop, which musa_runtime_api.h declares. */
#ifndef MUSA_PROFILER_API_H
#define MUSA_PROFILER_API_H

#include <musa_runtime_api.h>

#endif
