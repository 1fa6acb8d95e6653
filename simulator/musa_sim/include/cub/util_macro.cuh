/* CUB_MIN, CUB_MAX, CUB_QUOTIENT_CEILING and their kin */
#include <cub/config.cuh>
