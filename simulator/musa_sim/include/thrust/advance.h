/* advance stands with distance. */
#include <thrust/distance.h>
