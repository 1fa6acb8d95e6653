/* partition, stable_partition */
#include <thrust/detail/selections.h>
#include <thrust/detail/rearrangements.h>
