/* reverse */
#include <thrust/detail/elementwise.h>
#include <thrust/detail/rearrangements.h>
