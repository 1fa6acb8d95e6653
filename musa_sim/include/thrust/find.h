/* find, find_if */
#include <thrust/detail/reductions.h>
