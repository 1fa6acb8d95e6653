/* thrust::pair, for host and device. */
#ifndef MUSA_THRUST_PAIR_H
#define MUSA_THRUST_PAIR_H

#include <musa_runtime.h>

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

template <class A, class B>
pair(A, B) -> pair<A, B>;

template <class A, class B>
__host__ __device__ constexpr pair<std::decay_t<A>, std::decay_t<B>> make_pair(A &&first, B &&second) {
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

}  // namespace thrust

#endif
