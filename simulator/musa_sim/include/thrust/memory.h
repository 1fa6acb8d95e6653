/* raw_pointer_cast, device_malloc, device_free */
#include <thrust/device_malloc.h>
