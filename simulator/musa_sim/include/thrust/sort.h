/* sort, stable_sort, and by key; is_sorted */
#include <thrust/detail/sorting.h>
#include <thrust/detail/rearrangements.h>
