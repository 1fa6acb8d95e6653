/* device_malloc and device_free. */
#ifndef MUSA_THRUST_DEVICE_MALLOC_H
#define MUSA_THRUST_DEVICE_MALLOC_H

#include <thrust/device_ptr.h>

namespace thrust {

template <class T>
device_ptr<T> device_malloc(std::size_t count) {
    void *memory = nullptr;
    detail::check(musaMalloc(&memory, count * sizeof(T)), "device_malloc");
    return device_ptr<T>(static_cast<T *>(memory));
}
/* Memory without a type: the count is of bytes. */
inline device_ptr<void> device_malloc(std::size_t bytes) {
    void *memory = nullptr;
    detail::check(musaMalloc(&memory, bytes), "device_malloc");
    return device_ptr<void>(memory);
}
template <class T>
void device_free(device_ptr<T> memory) {
    detail::check(musaFree(memory.get()), "device_free");
}

}  // namespace thrust

#endif
