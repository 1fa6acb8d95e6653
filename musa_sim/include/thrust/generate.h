/* generate */
#include <thrust/detail/elementwise.h>
