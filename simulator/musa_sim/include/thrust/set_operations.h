/* set_union, set_intersection, set_difference, set_symmetric_difference, also by key */
#include <thrust/detail/set_operations.h>
