/* device_new_allocator is defined beside device_malloc_allocator. */
#include <thrust/device_malloc_allocator.h>
