/* partition, stable_partition */
#include <thrust/detail/selections.h>
