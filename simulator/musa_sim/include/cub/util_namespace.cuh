/* CUB_NAMESPACE_BEGIN and its kin */
#include <cub/config.cuh>
