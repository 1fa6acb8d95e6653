/* replace, replace_if */
#include <thrust/detail/elementwise.h>
