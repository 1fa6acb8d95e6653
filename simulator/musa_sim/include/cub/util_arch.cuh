/* CUB_WARP_THREADS and the other numbers of an architecture */
#include <cub/config.cuh>
