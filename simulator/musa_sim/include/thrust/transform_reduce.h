/* transform_reduce */
#include <thrust/detail/reductions.h>
