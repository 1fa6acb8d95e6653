/* muProfilerInitialize, muProfilerStart and muProfilerStop, which musa.h declares. */
#ifndef musa_profiler_H
#define musa_profiler_H

#include <musa.h>

#endif
