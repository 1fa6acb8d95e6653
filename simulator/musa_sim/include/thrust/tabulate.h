/* tabulate */
#include <thrust/detail/elementwise.h>
