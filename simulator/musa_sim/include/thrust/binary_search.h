/* lower_bound, upper_bound, binary_search */
#include <thrust/detail/sorting.h>
#include <thrust/detail/rearrangements.h>
