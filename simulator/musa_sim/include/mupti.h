/* MUPTI, which tells profilers what the devices do. CUPTI's counterpart; in the SDK it lies in extras/MUPTI.
 *
 * Records and callbacks work (mupti_activity.h, mupti_callbacks.h); events, metrics and the range profiler do not: a CPU
 * has no such counters. Names are those that MooreThreads/kineto uses, numbers and layouts CUPTI's (docs/unverified.md:
 * mupti).
 */
#ifndef _MUPTI_H_
#define _MUPTI_H_

#include <musa.h>
#include <mupti_activity.h>
#include <mupti_callbacks.h>
#include <mupti_events.h>
#include <mupti_metrics.h>
#include <mupti_result.h>
#include <mupti_version.h>

#endif
