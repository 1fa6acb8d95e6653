/* find, find_if */
#include <thrust/detail/reductions.h>
#include <thrust/detail/rearrangements.h>
