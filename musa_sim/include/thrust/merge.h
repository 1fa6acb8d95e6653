/* merge */
#include <thrust/detail/sorting.h>
