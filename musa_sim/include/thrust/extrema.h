/* min_element, max_element, minmax_element */
#include <thrust/detail/reductions.h>
