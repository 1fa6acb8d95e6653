/* zip_iterator: tuples of references to what several iterators point to. */
#ifndef MUSA_THRUST_ZIP_ITERATOR_H
#define MUSA_THRUST_ZIP_ITERATOR_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/iterator_facade.h>
#include <thrust/tuple.h>

namespace thrust {

template <class Iterators>
class zip_iterator;

template <class... Iterators>
class zip_iterator<tuple<Iterators...>>
    : public detail::iterator_facade<zip_iterator<tuple<Iterators...>>, tuple<detail::value_t<Iterators>...>,
                                     tuple<detail::deref_t<Iterators>...>> {
    using All = musa_sim_detail::index_sequence_for<Iterators...>;

public:
    using iterator_tuple = tuple<Iterators...>;

    __host__ __device__ explicit zip_iterator(iterator_tuple iterators) : iterators_(iterators) {}
    __host__ __device__ const iterator_tuple &get_iterator_tuple() const { return iterators_; }
    __host__ __device__ tuple<detail::deref_t<Iterators>...> deref_at(std::ptrdiff_t n) const {
        return deref_all(n, All());
    }
    __host__ __device__ void advance(std::ptrdiff_t n) { advance_all(n, All()); }
    __host__ __device__ std::ptrdiff_t distance_to(const zip_iterator &other) const {
        return thrust::get<0>(other.iterators_) - thrust::get<0>(iterators_);
    }

private:
    template <std::size_t... Index>
    __host__ __device__ tuple<detail::deref_t<Iterators>...> deref_all(
        std::ptrdiff_t n, musa_sim_detail::index_sequence<Index...>) const {
        return tuple<detail::deref_t<Iterators>...>(detail::deref(thrust::get<Index>(iterators_) + n)...);
    }
    template <std::size_t... Index>
    __host__ __device__ void advance_all(std::ptrdiff_t n, musa_sim_detail::index_sequence<Index...>) {
        ((thrust::get<Index>(iterators_) += n), ...);
    }

    iterator_tuple iterators_;
};

template <class... Iterators>
__host__ __device__ zip_iterator<tuple<Iterators...>> make_zip_iterator(tuple<Iterators...> iterators) {
    return zip_iterator<tuple<Iterators...>>(iterators);
}
template <class First, class Second, class... More>
__host__ __device__ zip_iterator<tuple<First, Second, More...>> make_zip_iterator(First first, Second second,
                                                                                  More... more) {
    return zip_iterator<tuple<First, Second, More...>>(tuple<First, Second, More...>(first, second, more...));
}

/* A function of several arguments as one of a tuple. */
template <class Function>
struct zip_function {
    Function function;

    __host__ __device__ explicit zip_function(Function f) : function(f) {}
    template <class... T>
    __host__ __device__ auto operator()(const tuple<T...> &values) const
        -> decltype(std::declval<const Function &>()(std::declval<const T &>()...)) {
        return call(values, musa_sim_detail::index_sequence_for<T...>());
    }

private:
    template <class Tuple, std::size_t... Index>
    __host__ __device__ auto call(const Tuple &values, musa_sim_detail::index_sequence<Index...>) const
        -> decltype(std::declval<const Function &>()(thrust::get<Index>(values)...)) {
        return function(thrust::get<Index>(values)...);
    }
};
template <class Function>
__host__ __device__ zip_function<Function> make_zip_function(Function function) {
    return zip_function<Function>(function);
}

namespace detail {
template <class... Iterators>
struct is_device<zip_iterator<tuple<Iterators...>>>
    : musa_sim_detail::bool_constant<(is_device<Iterators>::value || ...)> {};
template <class... Iterators>
struct is_placeless<zip_iterator<tuple<Iterators...>>>
    : musa_sim_detail::bool_constant<(is_placeless<Iterators>::value && ...)> {};
}  // namespace detail

}  // namespace thrust

#endif
