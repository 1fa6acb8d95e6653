/* device_malloc_allocator and device_new_allocator: names of device_allocator. */
#ifndef MUSA_THRUST_DEVICE_MALLOC_ALLOCATOR_H
#define MUSA_THRUST_DEVICE_MALLOC_ALLOCATOR_H

#include <thrust/device_allocator.h>

namespace thrust {

template <class T>
using device_malloc_allocator = device_allocator<T>;
template <class T>
using device_new_allocator = device_allocator<T>;

}  // namespace thrust

#endif
