/* CUB_NAMESPACE_BEGIN and the other macros of cub's namespace */
#include <cub/config.cuh>
