/* thrust::pair, for host and device. */
#ifndef MUSA_THRUST_PAIR_H
#define MUSA_THRUST_PAIR_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>

#include <utility>

namespace thrust {

template <class First, class Second>
struct pair {
    using first_type = First;
    using second_type = Second;

    First first;
    Second second;

    constexpr pair() = default;
    __host__ __device__ constexpr pair(const First &x, const Second &y) : first(x), second(y) {}
    template <class A, class B>
    __host__ __device__ constexpr pair(const pair<A, B> &other) : first(other.first), second(other.second) {}
    template <class A, class B>
    __host__ __device__ constexpr pair(const std::pair<A, B> &other) : first(other.first), second(other.second) {}
};

#if __cplusplus >= 201703L
template <class A, class B>
pair(A, B) -> pair<A, B>;
#endif

template <class A, class B>
__host__ __device__ constexpr pair<musa_sim_detail::decay_t<A>, musa_sim_detail::decay_t<B>> make_pair(A &&first,
                                                                                                   B &&second) {
    return {std::forward<A>(first), std::forward<B>(second)};
}

template <class A, class B>
__host__ __device__ constexpr bool operator==(const pair<A, B> &x, const pair<A, B> &y) {
    return x.first == y.first && x.second == y.second;
}
template <class A, class B>
__host__ __device__ constexpr bool operator!=(const pair<A, B> &x, const pair<A, B> &y) {
    return !(x == y);
}
template <class A, class B>
__host__ __device__ constexpr bool operator<(const pair<A, B> &x, const pair<A, B> &y) {
    return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <class A, class B>
__host__ __device__ constexpr bool operator>(const pair<A, B> &x, const pair<A, B> &y) {
    return y < x;
}
template <class A, class B>
__host__ __device__ constexpr bool operator<=(const pair<A, B> &x, const pair<A, B> &y) {
    return !(y < x);
}
template <class A, class B>
__host__ __device__ constexpr bool operator>=(const pair<A, B> &x, const pair<A, B> &y) {
    return !(x < y);
}

template <class A, class B>
__host__ __device__ void swap(pair<A, B> &x, pair<A, B> &y) {
    const pair<A, B> before = x;
    x = y;
    y = before;
}

template <std::size_t Index, class A, class B>
__host__ __device__ constexpr musa_sim_detail::tuple_element_t<Index, std::pair<A, B>> &get(pair<A, B> &values) {
    if constexpr (Index == 0) {
        return values.first;
    } else {
        return values.second;
    }
}
template <std::size_t Index, class A, class B>
__host__ __device__ constexpr const musa_sim_detail::tuple_element_t<Index, std::pair<A, B>> &get(
    const pair<A, B> &values) {
    if constexpr (Index == 0) {
        return values.first;
    } else {
        return values.second;
    }
}

}  // namespace thrust

/* For structured bindings */
template <class A, class B>
struct std::tuple_size<thrust::pair<A, B>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Index, class A, class B>
struct std::tuple_element<Index, thrust::pair<A, B>> : std::tuple_element<Index, std::pair<A, B>> {};

#endif
