/* device_new and device_delete: objects in device memory, constructed by a kernel. */
#ifndef MUSA_THRUST_DEVICE_NEW_H
#define MUSA_THRUST_DEVICE_NEW_H

#include <thrust/device_malloc.h>
#include <thrust/uninitialized_fill.h>

namespace thrust {

template <class T>
device_ptr<T> device_new(device_ptr<void> memory, const T &value, std::size_t count = 1) {
    const device_ptr<T> objects(static_cast<T *>(memory.get()));
    thrust::uninitialized_fill_n(objects, count, value);
    return objects;
}
template <class T>
device_ptr<T> device_new(device_ptr<void> memory, std::size_t count = 1) {
    return thrust::device_new<T>(memory, T(), count);
}
template <class T>
device_ptr<T> device_new(std::size_t count = 1) {
    return thrust::device_new<T>(thrust::device_malloc(count * sizeof(T)), count);
}

/* Objects whose destructor does something are refused: kernels of ours run none. */
template <class T>
void device_delete(device_ptr<T> objects, std::size_t = 1) {
    static_assert(std::is_trivially_destructible<T>::value, "device_delete of a class with a destructor");
    device_free(objects);
}

}  // namespace thrust

#endif
