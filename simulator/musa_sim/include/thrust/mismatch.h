/* mismatch */
#include <thrust/detail/rearrangements.h>
