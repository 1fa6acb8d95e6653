/* uninitialized_fill */
#include <thrust/detail/rearrangements.h>
