/* transform, transform_if */
#include <thrust/detail/elementwise.h>
