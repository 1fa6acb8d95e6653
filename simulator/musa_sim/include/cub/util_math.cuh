/* DivideAndRoundUp */
#include <cub/util_type.cuh>
