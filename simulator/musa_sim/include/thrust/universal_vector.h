/* universal_vector: a std::vector in managed memory, which kernels reach too. Algorithms on it run on the host, unless a
 * policy says otherwise.
 */
#ifndef MUSA_THRUST_UNIVERSAL_VECTOR_H
#define MUSA_THRUST_UNIVERSAL_VECTOR_H

#include <thrust/device_ptr.h>

#include <vector>

namespace thrust {

template <class T>
class universal_allocator {
public:
    using value_type = T;

    universal_allocator() = default;
    template <class U>
    universal_allocator(const universal_allocator<U> &) {}
    T *allocate(std::size_t count) {
        void *memory = nullptr;
        detail::check(musaMallocManaged(&memory, count * sizeof(T)), "managed memory for a universal_vector");
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t) { musaFree(memory); }
    template <class U>
    bool operator==(const universal_allocator<U> &) const {
        return true;
    }
    template <class U>
    bool operator!=(const universal_allocator<U> &) const {
        return false;
    }
};

template <class T, class Allocator = universal_allocator<T>>
using universal_vector = std::vector<T, Allocator>;

}  // namespace thrust

#endif
