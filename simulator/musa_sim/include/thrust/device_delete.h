/* device_delete is defined beside device_new. */
#include <thrust/device_new.h>
