/* device_reference */
#include <thrust/device_ptr.h>
