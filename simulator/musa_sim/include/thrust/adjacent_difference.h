/* adjacent_difference */
#include <thrust/detail/elementwise.h>
