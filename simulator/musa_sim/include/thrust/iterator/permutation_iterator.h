/* permutation_iterator: elements[indices[0]], elements[indices[1]] ... */
#ifndef MUSA_THRUST_PERMUTATION_ITERATOR_H
#define MUSA_THRUST_PERMUTATION_ITERATOR_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/iterator_facade.h>

namespace thrust {

template <class Elements, class Indices>
class permutation_iterator
    : public detail::iterator_facade<permutation_iterator<Elements, Indices>, detail::value_t<Elements>,
                                     detail::deref_t<Elements>> {
public:
    __host__ __device__ permutation_iterator(Elements elements, Indices indices)
        : elements_(elements), indices_(indices) {}
    __host__ __device__ const Indices &base() const { return indices_; }
    __host__ __device__ detail::deref_t<Elements> deref_at(std::ptrdiff_t n) const {
        return detail::deref(elements_ + static_cast<std::ptrdiff_t>(detail::deref(indices_ + n)));
    }
    __host__ __device__ void advance(std::ptrdiff_t n) { indices_ += n; }
    __host__ __device__ std::ptrdiff_t distance_to(const permutation_iterator &other) const {
        return other.indices_ - indices_;
    }

private:
    Elements elements_;
    Indices indices_;
};

template <class Elements, class Indices>
__host__ __device__ permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements,
                                                                                      Indices indices) {
    return {elements, indices};
}

namespace detail {
template <class Elements, class Indices>
struct is_device<permutation_iterator<Elements, Indices>>
    : musa_sim_detail::bool_constant<is_device<Elements>::value || is_device<Indices>::value> {};
template <class Elements, class Indices>
struct is_placeless<permutation_iterator<Elements, Indices>>
    : musa_sim_detail::bool_constant<is_placeless<Elements>::value && is_placeless<Indices>::value> {};
}  // namespace detail

}  // namespace thrust

#endif
