/* muProfilerStart and muProfilerStop, which musa.h declares. */
#ifndef MUSA_PROFILER_H
#define MUSA_PROFILER_H

#include <musa.h>

#endif
