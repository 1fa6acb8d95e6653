/* raw_pointer_cast is defined beside device_ptr. */
#include <thrust/device_ptr.h>
