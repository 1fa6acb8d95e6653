/* sequence */
#include <thrust/detail/elementwise.h>
