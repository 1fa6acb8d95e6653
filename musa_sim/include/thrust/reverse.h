/* reverse */
#include <thrust/detail/elementwise.h>
