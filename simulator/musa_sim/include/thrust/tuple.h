/* thrust::tuple, for host and device. std::tuple will not do: in C++17 its assignment is host code. */
#ifndef MUSA_THRUST_TUPLE_H
#define MUSA_THRUST_TUPLE_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>
#include <thrust/pair.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace thrust {

template <class... T>
class tuple;

namespace detail {

template <std::size_t Index, class T>
struct tuple_leaf {
    T value;
};

template <class Indices, class... T>
struct tuple_base;
template <std::size_t... Index, class... T>
struct tuple_base<musa_sim_detail::index_sequence<Index...>, T...> : tuple_leaf<Index, T>... {
    tuple_base() = default;
    template <class... U>
    __host__ __device__ constexpr explicit tuple_base(int, U &&...values)
        : tuple_leaf<Index, T>{static_cast<T>(std::forward<U>(values))}... {}
};

template <std::size_t Index, class T>
__host__ __device__ constexpr T &leaf(tuple_leaf<Index, T> &element) {
    return element.value;
}
template <std::size_t Index, class T>
__host__ __device__ constexpr const T &leaf(const tuple_leaf<Index, T> &element) {
    return element.value;
}

template <class T>
struct is_tuple : std::false_type {};
template <class... T>
struct is_tuple<tuple<T...>> : std::true_type {};

template <class T>
struct make_tuple_type {
    using type = T;
};
template <class T>
struct make_tuple_type<std::reference_wrapper<T>> {
    using type = T &;
};

}  // namespace detail

template <std::size_t Index, class... T>
__host__ __device__ constexpr musa_sim_detail::tuple_element_t<Index, std::tuple<T...>> &get(tuple<T...> &values) {
    return detail::leaf<Index>(values.elements);
}
template <std::size_t Index, class... T>
__host__ __device__ constexpr const musa_sim_detail::tuple_element_t<Index, std::tuple<T...>> &get(
    const tuple<T...> &values) {
    return detail::leaf<Index>(values.elements);
}
template <std::size_t Index, class... T>
__host__ __device__ constexpr musa_sim_detail::tuple_element_t<Index, std::tuple<T...>> &&get(tuple<T...> &&values) {
    using Element = musa_sim_detail::tuple_element_t<Index, std::tuple<T...>>;
    return static_cast<Element &&>(detail::leaf<Index>(values.elements));
}

template <class... T>
class tuple {
    using Indices = musa_sim_detail::index_sequence_for<T...>;

public:
    detail::tuple_base<Indices, T...> elements;  // read with get<>()

    tuple() = default;
    tuple(const tuple &) = default;
    tuple(tuple &&) = default;

    template <class... U,
              class = musa_sim_detail::enable_if_t<
                  sizeof...(U) == sizeof...(T) && sizeof...(T) != 0 &&
                  !(sizeof...(U) == 1 && (detail::is_tuple<musa_sim_detail::decay_t<U>>::value && ...)) &&
                  (std::is_constructible<T, U>::value && ...)>>
    __host__ __device__ constexpr tuple(U &&...values) : elements(0, std::forward<U>(values)...) {}
    template <class... U, class = musa_sim_detail::enable_if_t<sizeof...(U) == sizeof...(T) &&
                                                               (std::is_constructible<T, const U &>::value && ...)>>
    __host__ __device__ constexpr tuple(const tuple<U...> &other) : tuple(other, Indices()) {}

    /* By element, also where the elements are references. */
    __host__ __device__ tuple &operator=(const tuple &other) { return assign(other, Indices()); }
    template <class... U>
    __host__ __device__ tuple &operator=(const tuple<U...> &other) {
        return assign(other, Indices());
    }

    /* Of two elements, from a pair: `thrust::tie(a, b) = thrust::make_pair(1, 2)` */
    template <class A, class B>
    __host__ __device__ tuple &operator=(const pair<A, B> &other) {
        return assign_pair(other);
    }
    template <class A, class B>
    __host__ __device__ tuple &operator=(const std::pair<A, B> &other) {
        return assign_pair(other);
    }

    template <std::size_t Index>
    __host__ __device__ MUSA_SIM_CONSTEXPR_14 musa_sim_detail::tuple_element_t<Index, std::tuple<T...>> &get() {
        return thrust::get<Index>(*this);
    }
    template <std::size_t Index>
    __host__ __device__ constexpr const musa_sim_detail::tuple_element_t<Index, std::tuple<T...>> &get() const {
        return thrust::get<Index>(*this);
    }

private:
    template <class Other, std::size_t... Index>
    __host__ __device__ constexpr tuple(const Other &other, musa_sim_detail::index_sequence<Index...>)
        : elements(0, thrust::get<Index>(other)...) {}
    template <class Other, std::size_t... Index>
    __host__ __device__ tuple &assign(const Other &other, musa_sim_detail::index_sequence<Index...>) {
        ((thrust::get<Index>(*this) = thrust::get<Index>(other)), ...);
        return *this;
    }
    template <class Pair>
    __host__ __device__ tuple &assign_pair(const Pair &other) {
        static_assert(sizeof...(T) == 2, "a pair has two elements");
        thrust::get<0>(*this) = other.first;
        thrust::get<1>(*this) = other.second;
        return *this;
    }
};

#if __cplusplus >= 201703L
template <class... T>
tuple(T...) -> tuple<T...>;
#endif

template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t Index, class T>
struct tuple_element;
template <std::size_t Index, class... T>
struct tuple_element<Index, tuple<T...>> : std::tuple_element<Index, std::tuple<T...>> {};

template <class... T>
__host__ __device__ constexpr tuple<typename detail::make_tuple_type<musa_sim_detail::decay_t<T>>::type...> make_tuple(
    T &&...values) {
    return tuple<typename detail::make_tuple_type<musa_sim_detail::decay_t<T>>::type...>(std::forward<T>(values)...);
}
/* References, to be assigned to together. */
template <class... T>
__host__ __device__ constexpr tuple<T &...> tie(T &...values) {
    return tuple<T &...>(values...);
}

namespace detail {

template <std::size_t Index, class A, class B>
__host__ __device__ constexpr bool tuple_equal(const A &a, const B &b) {
    if constexpr (Index == tuple_size<A>::value) {
        return true;
    } else {
        return thrust::get<Index>(a) == thrust::get<Index>(b) && tuple_equal<Index + 1>(a, b);
    }
}
template <std::size_t Index, class A, class B>
__host__ __device__ constexpr bool tuple_less(const A &a, const B &b) {
    if constexpr (Index == tuple_size<A>::value) {
        return false;
    } else {
        return thrust::get<Index>(a) < thrust::get<Index>(b) || (!(thrust::get<Index>(b) < thrust::get<Index>(a)) && tuple_less<Index + 1>(a, b));
    }
}

}  // namespace detail

template <class... T, class... U>
__host__ __device__ constexpr bool operator==(const tuple<T...> &a, const tuple<U...> &b) {
    static_assert(sizeof...(T) == sizeof...(U), "tuples of different lengths");
    return detail::tuple_equal<0>(a, b);
}
template <class... T, class... U>
__host__ __device__ constexpr bool operator!=(const tuple<T...> &a, const tuple<U...> &b) {
    return !(a == b);
}
template <class... T, class... U>
__host__ __device__ constexpr bool operator<(const tuple<T...> &a, const tuple<U...> &b) {
    static_assert(sizeof...(T) == sizeof...(U), "tuples of different lengths");
    return detail::tuple_less<0>(a, b);
}
template <class... T, class... U>
__host__ __device__ constexpr bool operator>(const tuple<T...> &a, const tuple<U...> &b) {
    return b < a;
}
template <class... T, class... U>
__host__ __device__ constexpr bool operator<=(const tuple<T...> &a, const tuple<U...> &b) {
    return !(b < a);
}
template <class... T, class... U>
__host__ __device__ constexpr bool operator>=(const tuple<T...> &a, const tuple<U...> &b) {
    return !(a < b);
}

}  // namespace thrust

/* For structured bindings */
template <class... T>
struct std::tuple_size<thrust::tuple<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t Index, class... T>
struct std::tuple_element<Index, thrust::tuple<T...>> : std::tuple_element<Index, std::tuple<T...>> {};

#endif
