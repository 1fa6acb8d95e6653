/* equal */
#include <thrust/detail/reductions.h>
