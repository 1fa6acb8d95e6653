/* thrust::musa::par */
#include <thrust/execution_policy.h>
