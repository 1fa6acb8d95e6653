/* transform_output_iterator: what is written goes through a function first. */
#ifndef MUSA_THRUST_TRANSFORM_OUTPUT_ITERATOR_H
#define MUSA_THRUST_TRANSFORM_OUTPUT_ITERATOR_H

#include <thrust/detail/iterator_facade.h>

namespace thrust {
namespace detail {

template <class Function, class Iterator>
struct transforming_reference {
    Iterator at;
    Function function;

    template <class T>
    __host__ __device__ const transforming_reference &operator=(const T &value) const {
        Function call = function;
        detail::deref(at) = call(value);
        return *this;
    }
};

}  // namespace detail

template <class Function, class Iterator>
class transform_output_iterator
    : public detail::iterator_facade<transform_output_iterator<Function, Iterator>, detail::value_t<Iterator>,
                                     detail::transforming_reference<Function, Iterator>> {
public:
    __host__ __device__ transform_output_iterator(Iterator at, Function function) : at_(at), function_(function) {}
    __host__ __device__ detail::transforming_reference<Function, Iterator> deref_at(std::ptrdiff_t n) const {
        return {at_ + n, function_};
    }
    __host__ __device__ void advance(std::ptrdiff_t n) { at_ += n; }
    __host__ __device__ std::ptrdiff_t distance_to(const transform_output_iterator &other) const {
        return other.at_ - at_;
    }

private:
    Iterator at_;
    Function function_;
};

template <class Function, class Iterator>
__host__ __device__ transform_output_iterator<Function, Iterator> make_transform_output_iterator(Iterator at,
                                                                                                 Function function) {
    return {at, function};
}

namespace detail {
template <class Function, class Iterator>
struct is_device<transform_output_iterator<Function, Iterator>> : is_device<Iterator> {};
template <class Function, class Iterator>
struct is_placeless<transform_output_iterator<Function, Iterator>> : is_placeless<Iterator> {};
}  // namespace detail

}  // namespace thrust

#endif
