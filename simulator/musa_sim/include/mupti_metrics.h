/* MUPTI's metrics. A CPU has no such counters: every function returns MUPTI_ERROR_NOT_SUPPORTED.
 *
 * Numbers and layouts are CUPTI's (docs/unverified.md: mupti).
 */
#ifndef _MUPTI_METRICS_H_
#define _MUPTI_METRICS_H_

#include <musa.h>
#include <mupti_events.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t MUpti_MetricID;

typedef enum {
    MUPTI_METRIC_ATTR_NAME = 0,
    MUPTI_METRIC_ATTR_SHORT_DESCRIPTION = 1,
    MUPTI_METRIC_ATTR_LONG_DESCRIPTION = 2,
    MUPTI_METRIC_ATTR_CATEGORY = 3,
    MUPTI_METRIC_ATTR_VALUE_KIND = 4,
    MUPTI_METRIC_ATTR_EVALUATION_MODE = 5,
    MUPTI_METRIC_ATTR_FORCE_INT = 0x7fffffff
} MUpti_MetricAttribute;

typedef enum {
    MUPTI_METRIC_EVALUATION_MODE_PER_INSTANCE = 1,
    MUPTI_METRIC_EVALUATION_MODE_AGGREGATE = 2,
    MUPTI_METRIC_EVALUATION_MODE_FORCE_INT = 0x7fffffff
} MUpti_MetricEvaluationMode;

typedef enum {
    MUPTI_METRIC_VALUE_KIND_DOUBLE = 0,
    MUPTI_METRIC_VALUE_KIND_UINT64 = 1,
    MUPTI_METRIC_VALUE_KIND_PERCENT = 2,
    MUPTI_METRIC_VALUE_KIND_THROUGHPUT = 3,
    MUPTI_METRIC_VALUE_KIND_INT64 = 4,
    MUPTI_METRIC_VALUE_KIND_UTILIZATION_LEVEL = 5,
    MUPTI_METRIC_VALUE_KIND_FORCE_INT = 0x7fffffff
} MUpti_MetricValueKind;

typedef enum {
    MUPTI_METRIC_VALUE_UTILIZATION_IDLE = 0,
    MUPTI_METRIC_VALUE_UTILIZATION_LOW = 2,
    MUPTI_METRIC_VALUE_UTILIZATION_MID = 5,
    MUPTI_METRIC_VALUE_UTILIZATION_HIGH = 8,
    MUPTI_METRIC_VALUE_UTILIZATION_MAX = 10,
    MUPTI_METRIC_VALUE_UTILIZATION_FORCE_INT = 0x7fffffff
} MUpti_MetricValueUtilizationLevel;

typedef union {
    double metricValueDouble;
    uint64_t metricValueUint64;
    int64_t metricValueInt64;
    double metricValuePercent;
    uint64_t metricValueThroughput;
    MUpti_MetricValueUtilizationLevel metricValueUtilizationLevel;
} MUpti_MetricValue;

MUptiResult MUPTIAPI muptiDeviceGetNumMetrics(MUdevice device, uint32_t* numMetrics);
MUptiResult MUPTIAPI muptiMetricGetAttribute(MUpti_MetricID metric, MUpti_MetricAttribute attrib, size_t*
    valueSize, void* value);
MUptiResult MUPTIAPI muptiMetricGetIdFromName(MUdevice device, const char* metricName, MUpti_MetricID* metric);
MUptiResult MUPTIAPI muptiMetricGetNumEvents(MUpti_MetricID metric, uint32_t* numEvents);
MUptiResult MUPTIAPI muptiMetricEnumEvents(MUpti_MetricID metric, size_t* eventIdArraySizeBytes, MUpti_EventID*
    eventIdArray);
MUptiResult MUPTIAPI muptiMetricGetValue(MUdevice device, MUpti_MetricID metric, size_t eventIdArraySizeBytes,
    MUpti_EventID* eventIdArray, size_t eventValueArraySizeBytes, uint64_t* eventValueArray, uint64_t
    timeDuration, MUpti_MetricValue* metricValue);

#ifdef __cplusplus
}
#endif

#endif
