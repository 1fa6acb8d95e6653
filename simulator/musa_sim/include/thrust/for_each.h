/* for_each, for_each_n */
#include <thrust/detail/elementwise.h>
