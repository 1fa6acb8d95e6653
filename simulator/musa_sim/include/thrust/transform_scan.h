/* transform_inclusive_scan, transform_exclusive_scan */
#include <thrust/detail/scans.h>
