/* Sorts, all of them stable, merges, and searches in sorted ranges. */
#ifndef MUSA_THRUST_DETAIL_SORTING_H
#define MUSA_THRUST_DETAIL_SORTING_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/dispatch.h>
#include <thrust/functional.h>

namespace thrust {
namespace detail {

/* Merges [a, a_end) and [b, b_end); of equal elements those of a come first. */
template <class A, class B, class Out, class Compare>
__host__ __device__ Out merge_ranges(A a, A a_end, B b, B b_end, Out out, Compare compare) {
    for (; a != a_end && b != b_end; ++out) {
        if (compare(detail::deref(b), detail::deref(a))) {
            detail::deref(out) = detail::deref(b);
            ++b;
        } else {
            detail::deref(out) = detail::deref(a);
            ++a;
        }
    }
    for (; a != a_end; ++a, ++out) detail::deref(out) = detail::deref(a);
    for (; b != b_end; ++b, ++out) detail::deref(out) = detail::deref(b);
    return out;
}

/* Sorts n elements with as many again as room; returns the one of both that holds the result. */
template <class T, class Compare>
__host__ __device__ T *merge_sort(T *from, T *to, std::ptrdiff_t n, Compare compare) {
    for (std::ptrdiff_t width = 1; width < n; width *= 2) {
        for (std::ptrdiff_t begin = 0; begin < n; begin += 2 * width) {
            const std::ptrdiff_t middle = begin + width < n ? begin + width : n;
            const std::ptrdiff_t end = begin + 2 * width < n ? begin + 2 * width : n;
            detail::merge_ranges(from + begin, from + middle, from + middle, from + end, to + begin, compare);
        }
        T *const before = from;
        from = to;
        to = before;
    }
    return from;
}

struct sort_algorithm {
    template <class It>
    __host__ __device__ void operator()(It first, It last) const {
        (*this)(first, last, less<value_t<It>>());
    }
    template <class It, class Compare>
    __host__ __device__ void operator()(It first, It last, Compare compare) const {
        const std::ptrdiff_t n = last - first;
        if (n < 2) return;
        auto *room = new value_t<It>[2 * n];
        for (std::ptrdiff_t i = 0; i < n; ++i) room[i] = detail::deref(first + i);
        const auto *sorted = detail::merge_sort(room, room + n, n, compare);
        for (std::ptrdiff_t i = 0; i < n; ++i) detail::deref(first + i) = sorted[i];
        delete[] room;
    }
};
using stable_sort_algorithm = sort_algorithm;

struct sort_by_key_algorithm {
    template <class Keys, class Values>
    __host__ __device__ void operator()(Keys first, Keys last, Values values) const {
        (*this)(first, last, values, less<value_t<Keys>>());
    }
    template <class Keys, class Values, class Compare>
    __host__ __device__ void operator()(Keys first, Keys last, Values values, Compare compare) const {
        struct Item {
            value_t<Keys> key;
            value_t<Values> value;
        };
        const std::ptrdiff_t n = last - first;
        if (n < 2) return;
        auto *room = new Item[2 * n];
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            room[i].key = detail::deref(first + i);
            room[i].value = detail::deref(values + i);
        }
        const Item *sorted =
            detail::merge_sort(room, room + n, n, [=] __host__ __device__(const Item &a, const Item &b) mutable {
                return compare(a.key, b.key);
            });
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            detail::deref(first + i) = sorted[i].key;
            detail::deref(values + i) = sorted[i].value;
        }
        delete[] room;
    }
};
using stable_sort_by_key_algorithm = sort_by_key_algorithm;

struct is_sorted_algorithm {
    template <class In>
    __host__ __device__ bool operator()(In first, In last) const {
        return (*this)(first, last, less<value_t<In>>());
    }
    template <class In, class Compare>
    __host__ __device__ bool operator()(In first, In last, Compare compare) const {
        for (const std::ptrdiff_t n = last - first; n > 1 && first + 1 != last; ++first) {
            if (compare(detail::deref(first + 1), detail::deref(first))) return false;
        }
        return true;
    }
};

struct merge_algorithm {
    template <class A, class B, class Out>
    __host__ __device__ Out operator()(A a, A a_end, B b, B b_end, Out out) const {
        return (*this)(a, a_end, b, b_end, out, less<value_t<A>>());
    }
    template <class A, class B, class Out, class Compare>
    __host__ __device__ Out operator()(A a, A a_end, B b, B b_end, Out out, Compare compare) const {
        return detail::merge_ranges(a, a_end, b, b_end, out, compare);
    }
};

/* The first element for which the test, true for a beginning of the range, is false. */
template <class In, class Test>
__host__ __device__ In partition_point(In first, In last, Test test) {
    std::ptrdiff_t n = last - first;
    while (n > 0) {
        const std::ptrdiff_t half = n / 2;
        if (test(detail::deref(first + half))) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

struct partition_point_algorithm {
    template <class In, class Test>
    __host__ __device__ In operator()(In first, In last, Test test) const {
        return detail::partition_point(first, last, test);
    }
};

/* For one value, return its position; for a range of values [v, v_end), write the distances from `first` to `out`. */
struct lower_bound_algorithm {
    template <class In, class T>
    __host__ __device__ In operator()(In first, In last, T value) const {
        return (*this)(first, last, value, less<>());
    }
    template <class In, class T, class Compare, musa_sim_detail::enable_if_t<!std::is_same<T, Compare>::value, int> = 0>
    __host__ __device__ In operator()(In first, In last, T value, Compare compare) const {
        return detail::partition_point(first, last, [&](const value_t<In> &x) { return compare(x, value); });
    }
    template <class In, class Values, class Out>
    __host__ __device__ Out operator()(In first, In last, Values v, Values v_end, Out out) const {
        return (*this)(first, last, v, v_end, out, less<>());
    }
    template <class In, class Values, class Out, class Compare>
    __host__ __device__ Out operator()(In first, In last, Values v, Values v_end, Out out, Compare compare) const {
        for (; v != v_end; ++v, ++out) detail::deref(out) = (*this)(first, last, value_t<Values>(detail::deref(v)), compare) - first;
        return out;
    }
};

struct upper_bound_algorithm {
    template <class In, class T>
    __host__ __device__ In operator()(In first, In last, T value) const {
        return (*this)(first, last, value, less<>());
    }
    template <class In, class T, class Compare, musa_sim_detail::enable_if_t<!std::is_same<T, Compare>::value, int> = 0>
    __host__ __device__ In operator()(In first, In last, T value, Compare compare) const {
        return detail::partition_point(first, last, [&](const value_t<In> &x) { return !compare(value, x); });
    }
    template <class In, class Values, class Out>
    __host__ __device__ Out operator()(In first, In last, Values v, Values v_end, Out out) const {
        return (*this)(first, last, v, v_end, out, less<>());
    }
    template <class In, class Values, class Out, class Compare>
    __host__ __device__ Out operator()(In first, In last, Values v, Values v_end, Out out, Compare compare) const {
        for (; v != v_end; ++v, ++out) detail::deref(out) = (*this)(first, last, value_t<Values>(detail::deref(v)), compare) - first;
        return out;
    }
};

struct binary_search_algorithm {
    template <class In, class T>
    __host__ __device__ bool operator()(In first, In last, T value) const {
        const In at = lower_bound_algorithm()(first, last, value);
        return at != last && !(value < detail::deref(at));
    }
    template <class In, class Values, class Out>
    __host__ __device__ Out operator()(In first, In last, Values v, Values v_end, Out out) const {
        for (; v != v_end; ++v, ++out) detail::deref(out) = (*this)(first, last, value_t<Values>(detail::deref(v)));
        return out;
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(sort)
MUSA_THRUST_ALGORITHM(stable_sort)
MUSA_THRUST_ALGORITHM(sort_by_key)
MUSA_THRUST_ALGORITHM(stable_sort_by_key)
MUSA_THRUST_ALGORITHM(is_sorted)
MUSA_THRUST_ALGORITHM(merge)
MUSA_THRUST_ALGORITHM(lower_bound)
MUSA_THRUST_ALGORITHM(partition_point)
MUSA_THRUST_ALGORITHM(upper_bound)
MUSA_THRUST_ALGORITHM(binary_search)

}  // namespace thrust

#endif
