/* inclusive_scan, exclusive_scan, and by key */
#include <thrust/detail/scans.h>
