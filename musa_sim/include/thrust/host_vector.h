/* host_vector: a std::vector that can be filled from device memory. */
#ifndef MUSA_THRUST_HOST_VECTOR_H
#define MUSA_THRUST_HOST_VECTOR_H

#include <thrust/device_allocator.h>

#include <vector>

namespace thrust {

template <class T, class Allocator = device_allocator<T>>
class device_vector;

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
public:
    using std::vector<T, Allocator>::vector;

    host_vector() = default;
    host_vector(const std::vector<T, Allocator> &other) : std::vector<T, Allocator>(other) {}
    template <class Other>
    host_vector(const device_vector<T, Other> &other) {
        *this = other;
    }
    host_vector(device_ptr<T> first, device_ptr<T> last) { copy_from(first.get(), last - first); }
    template <class Other>
    host_vector &operator=(const device_vector<T, Other> &other) {
        copy_from(raw_pointer_cast(other.data()), static_cast<std::ptrdiff_t>(other.size()));
        return *this;
    }

private:
    void copy_from(const T *from, std::ptrdiff_t count) {
        this->resize(static_cast<std::size_t>(count));
        detail::check(musaMemcpy(this->data(), from, static_cast<std::size_t>(count) * sizeof(T),
                                 musaMemcpyDeviceToHost),
                      "copying device memory to a host_vector");
    }
};

}  // namespace thrust

#endif
