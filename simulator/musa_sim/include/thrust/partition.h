/* partition, stable_partition, partition_point */
#include <thrust/detail/selections.h>
#include <thrust/detail/sorting.h>
#include <thrust/detail/rearrangements.h>
