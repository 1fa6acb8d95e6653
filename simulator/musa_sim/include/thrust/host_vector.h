/* host_vector: a std::vector that can be filled from device memory. */
#ifndef MUSA_THRUST_HOST_VECTOR_H
#define MUSA_THRUST_HOST_VECTOR_H

#include <musa_sim/type_traits.h>
#include <thrust/device_allocator.h>

#include <iterator>
#include <memory>
#include <vector>

namespace thrust {

namespace detail {

/* A copy of device memory, or of a range of the host, in an array of the host (which a std::vector<bool> is not). */
template <class T>
class HostCopy {
public:
    template <class U>
    HostCopy(device_ptr<U> first, device_ptr<U> last) : HostCopy(static_cast<std::size_t>(last - first)) {
        if (size_ == 0) return;
        detail::check(musaMemcpy(values_.get(), first.get(), bytes(), musaMemcpyDeviceToHost),
                      "copying from the device");
    }
    template <class Iterator>
    HostCopy(Iterator first, Iterator last) : HostCopy(static_cast<std::size_t>(std::distance(first, last))) {
        for (T *to = values_.get(); first != last; ++first, ++to) *to = static_cast<T>(*first);
    }
    HostCopy(std::size_t count, const T &value) : HostCopy(count) {
        for (std::size_t i = 0; i < count; ++i) values_[i] = value;
    }
    const T *begin() const { return values_.get(); }
    const T *end() const { return values_.get() + size_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    explicit HostCopy(std::size_t size) : values_(new T[size]), size_(size) {}

    std::unique_ptr<T[]> values_;
    std::size_t size_;
};

}  // namespace detail

template <class T, class Allocator = device_allocator<T>>
class device_vector;

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
public:
    using std::vector<T, Allocator>::vector;

    host_vector() = default;
    host_vector(const std::vector<T, Allocator> &other) : std::vector<T, Allocator>(other) {}
    template <class U, class Other>
    host_vector(const std::vector<U, Other> &other) : std::vector<T, Allocator>(other.begin(), other.end()) {}
    template <class U, class Other>
    host_vector(const device_vector<U, Other> &other) : host_vector(other.begin(), other.end()) {}
    template <class U>
    host_vector(device_ptr<U> first, device_ptr<U> last) {
        const detail::HostCopy<musa_sim_detail::remove_cv_t<U>> values(first, last);
        this->assign(values.begin(), values.end());
    }
    template <class U, class Other>
    host_vector &operator=(const device_vector<U, Other> &other) {
        return *this = host_vector(other);
    }
    template <class U, class Other>
    host_vector &operator=(const std::vector<U, Other> &other) {
        this->assign(other.begin(), other.end());
        return *this;
    }
};

}  // namespace thrust

#endif
