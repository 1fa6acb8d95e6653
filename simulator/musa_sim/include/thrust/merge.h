/* merge, merge_by_key */
#include <thrust/detail/set_operations.h>
