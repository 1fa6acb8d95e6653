/* fill, fill_n */
#include <thrust/detail/elementwise.h>
