/* device_vector */
#include <thrust/device_vector.h>
