/* device_allocator: a name; device_vector takes its memory from musaMalloc, whatever allocator it is given. */
#ifndef MUSA_THRUST_DEVICE_ALLOCATOR_H
#define MUSA_THRUST_DEVICE_ALLOCATOR_H

#include <thrust/device_malloc.h>

namespace thrust {

template <class T>
class device_allocator {
public:
    using value_type = T;
    using pointer = device_ptr<T>;
    using const_pointer = device_ptr<const T>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    template <class U>
    struct rebind {
        using other = device_allocator<U>;
    };

    pointer allocate(size_type count) { return device_malloc<T>(count); }
    void deallocate(pointer memory, size_type) { device_free(memory); }
};

}  // namespace thrust

#endif
