/* uninitialized_copy */
#include <thrust/detail/rearrangements.h>
