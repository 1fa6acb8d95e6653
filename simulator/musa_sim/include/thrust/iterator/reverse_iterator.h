/* reverse_iterator: from the element before the base, backwards. */
#ifndef MUSA_THRUST_REVERSE_ITERATOR_H
#define MUSA_THRUST_REVERSE_ITERATOR_H

#include <thrust/detail/iterator_facade.h>

namespace thrust {

template <class Iterator>
class reverse_iterator
    : public detail::iterator_facade<reverse_iterator<Iterator>, detail::value_t<Iterator>, detail::deref_t<Iterator>> {
public:
    reverse_iterator() = default;
    __host__ __device__ explicit reverse_iterator(Iterator base) : base_(base) {}
    __host__ __device__ const Iterator &base() const { return base_; }
    __host__ __device__ detail::deref_t<Iterator> deref_at(std::ptrdiff_t n) const {
        return detail::deref(base_ + (-1 - n));
    }
    __host__ __device__ void advance(std::ptrdiff_t n) { base_ -= n; }
    __host__ __device__ std::ptrdiff_t distance_to(const reverse_iterator &other) const { return base_ - other.base_; }

private:
    Iterator base_;
};

template <class Iterator>
__host__ __device__ reverse_iterator<Iterator> make_reverse_iterator(Iterator base) {
    return reverse_iterator<Iterator>(base);
}

namespace detail {
template <class Iterator>
struct is_device<reverse_iterator<Iterator>> : is_device<Iterator> {};
template <class Iterator>
struct is_placeless<reverse_iterator<Iterator>> : is_placeless<Iterator> {};
}  // namespace detail

}  // namespace thrust

#endif
