/* CUB_MIN, CUB_MAX, CUB_QUOTIENT_CEILING and the other macros of arithmetic */
#include <cub/config.cuh>
