/* transform_iterator: what a function makes of another iterator's values. */
#ifndef MUSA_THRUST_TRANSFORM_ITERATOR_H
#define MUSA_THRUST_TRANSFORM_ITERATOR_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/iterator_facade.h>

namespace thrust {

template <class Function, class Iterator,
          class Reference = musa_sim_detail::decay_t<
              decltype(std::declval<Function>()(std::declval<detail::deref_t<Iterator>>()))>,
          class Value = musa_sim_detail::decay_t<Reference>>
class transform_iterator
    : public detail::iterator_facade<transform_iterator<Function, Iterator, Reference, Value>, Value, Reference> {
public:
    __host__ __device__ transform_iterator(Iterator base, Function function) : base_(base), function_(function) {}
    __host__ __device__ explicit transform_iterator(Iterator base) : base_(base) {}
    __host__ __device__ const Iterator &base() const { return base_; }
    __host__ __device__ Function functor() const { return function_; }
    __host__ __device__ Reference deref_at(std::ptrdiff_t n) const {
        Function function = function_;
        return function(detail::deref(base_ + n));
    }
    __host__ __device__ void advance(std::ptrdiff_t n) { base_ += n; }
    __host__ __device__ std::ptrdiff_t distance_to(const transform_iterator &other) const {
        return other.base_ - base_;
    }

private:
    Iterator base_;
    Function function_;
};

template <class Function, class Iterator>
__host__ __device__ transform_iterator<Function, Iterator> make_transform_iterator(Iterator base, Function function) {
    return transform_iterator<Function, Iterator>(base, function);
}

namespace detail {
template <class Function, class Iterator, class Reference, class Value>
struct is_device<transform_iterator<Function, Iterator, Reference, Value>> : is_device<Iterator> {};
template <class Function, class Iterator, class Reference, class Value>
struct is_placeless<transform_iterator<Function, Iterator, Reference, Value>> : is_placeless<Iterator> {};
}  // namespace detail

}  // namespace thrust

#endif
