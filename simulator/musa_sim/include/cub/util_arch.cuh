/* CUB_WARP_THREADS and its kin */
#include <cub/config.cuh>
