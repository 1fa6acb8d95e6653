/* device_free is defined beside device_malloc. */
#include <thrust/device_malloc.h>
