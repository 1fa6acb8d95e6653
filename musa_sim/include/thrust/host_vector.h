/* host_vector: a std::vector that can be filled from device memory. */
#ifndef MUSA_THRUST_HOST_VECTOR_H
#define MUSA_THRUST_HOST_VECTOR_H

#include <thrust/device_ptr.h>

#include <vector>

namespace thrust {

template <class T>
class device_vector;

template <class T>
class host_vector : public std::vector<T> {
public:
    using std::vector<T>::vector;

    host_vector() = default;
    host_vector(const std::vector<T> &other) : std::vector<T>(other) {}
    host_vector(const device_vector<T> &other) { *this = other; }
    host_vector(device_ptr<T> first, device_ptr<T> last) { copy_from(first.get(), last - first); }
    host_vector &operator=(const device_vector<T> &other) {
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
