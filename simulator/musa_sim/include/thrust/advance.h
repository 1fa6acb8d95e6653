/* advance is defined beside distance. */
#include <thrust/distance.h>
