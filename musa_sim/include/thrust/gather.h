/* gather */
#include <thrust/detail/elementwise.h>
