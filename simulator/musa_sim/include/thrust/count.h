/* count, count_if */
#include <thrust/detail/reductions.h>
