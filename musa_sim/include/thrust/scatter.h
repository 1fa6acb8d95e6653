/* scatter */
#include <thrust/detail/elementwise.h>
