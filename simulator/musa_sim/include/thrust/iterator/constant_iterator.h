/* constant_iterator: one value, however often. */
#ifndef MUSA_THRUST_CONSTANT_ITERATOR_H
#define MUSA_THRUST_CONSTANT_ITERATOR_H

#include <thrust/detail/iterator_facade.h>
#include <thrust/iterator/counting_iterator.h>

namespace thrust {

template <class T>
class constant_iterator : public detail::iterator_facade<constant_iterator<T>, T, T> {
public:
    __host__ __device__ explicit constant_iterator(T value, std::ptrdiff_t at = 0) : value_(value), at_(at) {}
    __host__ __device__ T deref_at(std::ptrdiff_t) const { return value_; }
    __host__ __device__ void advance(std::ptrdiff_t n) { at_ += n; }
    __host__ __device__ std::ptrdiff_t distance_to(const constant_iterator &other) const { return other.at_ - at_; }

private:
    T value_;
    std::ptrdiff_t at_;
};

template <class T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T value, std::ptrdiff_t at = 0) {
    return constant_iterator<T>(value, at);
}

namespace detail {
template <class T>
struct is_placeless<constant_iterator<T>> : std::true_type {};
}  // namespace detail

}  // namespace thrust

#endif
