/* device_free stands with device_malloc. */
#include <thrust/device_malloc.h>
