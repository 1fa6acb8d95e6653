/* counting_iterator: n, n + 1, n + 2 ... */
#ifndef MUSA_THRUST_COUNTING_ITERATOR_H
#define MUSA_THRUST_COUNTING_ITERATOR_H

#include <thrust/detail/iterator_facade.h>

namespace thrust {

template <class T>
class counting_iterator : public detail::iterator_facade<counting_iterator<T>, T, T> {
public:
    __host__ __device__ counting_iterator() : value_() {}
    __host__ __device__ explicit counting_iterator(T value) : value_(value) {}
    __host__ __device__ T base() const { return value_; }
    __host__ __device__ T deref_at(std::ptrdiff_t n) const { return static_cast<T>(value_ + static_cast<T>(n)); }
    __host__ __device__ void advance(std::ptrdiff_t n) { value_ = deref_at(n); }
    __host__ __device__ std::ptrdiff_t distance_to(const counting_iterator &other) const {
        return static_cast<std::ptrdiff_t>(other.value_) - static_cast<std::ptrdiff_t>(value_);
    }

private:
    T value_;
};

template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T value) {
    return counting_iterator<T>(value);
}

namespace detail {
template <class T>
struct is_placeless<counting_iterator<T>> : std::true_type {};
}  // namespace detail

}  // namespace thrust

#endif
