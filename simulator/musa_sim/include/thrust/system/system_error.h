/* system_error */
#include <thrust/system_error.h>
