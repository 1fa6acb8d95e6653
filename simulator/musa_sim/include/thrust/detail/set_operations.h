/* Set operations on sorted ranges, and merges of values by their keys.
 *
 * Of equal elements, m in the first range and n in the second: a union has max(m, n), an intersection min(m, n), a
 * difference max(m - n, 0), a symmetric difference |m - n|; the first range's come first, and are taken where there is a choice.
 */
#ifndef MUSA_THRUST_DETAIL_SET_OPERATIONS_H
#define MUSA_THRUST_DETAIL_SET_OPERATIONS_H

#include <thrust/detail/sorting.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/pair.h>

namespace thrust {
namespace detail {

/* The result for an element of the first range alone, the second alone, or both. */
template <bool KeepsFirst, bool KeepsSecond, bool KeepsBoth>
struct SetOperation {
    template <class KeysA, class KeysB, class ValuesA, class ValuesB, class KeysOut, class ValuesOut, class Compare>
    __host__ __device__ static pair<KeysOut, ValuesOut> by_key(KeysA a, KeysA a_end, KeysB b, KeysB b_end,
                                                               ValuesA values_a, ValuesB values_b, KeysOut keys,
                                                               ValuesOut values, Compare compare) {
        while (a != a_end || b != b_end) {
            const bool a_first = b == b_end || (a != a_end && compare(detail::deref(a), detail::deref(b)));
            const bool b_first = !a_first && (a == a_end || compare(detail::deref(b), detail::deref(a)));
            if (b_first ? KeepsSecond : a_first ? KeepsFirst : KeepsBoth) {
                if (b_first) {
                    detail::deref(keys) = detail::deref(b);
                    detail::deref(values) = detail::deref(values_b);
                } else {
                    detail::deref(keys) = detail::deref(a);
                    detail::deref(values) = detail::deref(values_a);
                }
                ++keys;
                ++values;
            }
            if (!b_first) {
                ++a;
                ++values_a;
            }
            if (!a_first) {
                ++b;
                ++values_b;
            }
        }
        return {keys, values};
    }
    template <class A, class B, class Out, class Compare>
    __host__ __device__ static Out of_keys(A a, A a_end, B b, B b_end, Out out, Compare compare) {
        const constant_iterator<int> none(0);
        return by_key(a, a_end, b, b_end, none, none, out, discard_iterator<>(), compare).first;
    }
};

#define MUSA_THRUST_SET_OPERATION(name, KeepsFirst, KeepsSecond, KeepsBoth)                                           \
    struct name##_algorithm {                                                                                         \
        template <class A, class B, class Out>                                                                        \
        __host__ __device__ Out operator()(A a, A a_end, B b, B b_end, Out out) const {                               \
            return (*this)(a, a_end, b, b_end, out, less<>());                                                        \
        }                                                                                                             \
        template <class A, class B, class Out, class Compare>                                                         \
        __host__ __device__ Out operator()(A a, A a_end, B b, B b_end, Out out, Compare compare) const {              \
            return SetOperation<KeepsFirst, KeepsSecond, KeepsBoth>::of_keys(a, a_end, b, b_end, out, compare);       \
        }                                                                                                             \
    };
MUSA_THRUST_SET_OPERATION(set_union, true, true, true)
MUSA_THRUST_SET_OPERATION(set_intersection, false, false, true)
MUSA_THRUST_SET_OPERATION(set_difference, true, false, false)
MUSA_THRUST_SET_OPERATION(set_symmetric_difference, true, true, false)
#undef MUSA_THRUST_SET_OPERATION

#define MUSA_THRUST_SET_OPERATION_BY_KEY(name, KeepsFirst, KeepsSecond, KeepsBoth)                                    \
    struct name##_algorithm {                                                                                         \
        template <class A, class B, class VA, class VB, class Keys, class Values>                                     \
        __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, VB values_b,       \
                                                          Keys keys, Values values) const {                           \
            return (*this)(a, a_end, b, b_end, values_a, values_b, keys, values, less<>());                           \
        }                                                                                                             \
        template <class A, class B, class VA, class VB, class Keys, class Values, class Compare>                      \
        __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, VB values_b,       \
                                                          Keys keys, Values values, Compare compare) const {          \
            return SetOperation<KeepsFirst, KeepsSecond, KeepsBoth>::by_key(a, a_end, b, b_end, values_a, values_b,   \
                                                                            keys, values, compare);                   \
        }                                                                                                             \
    };
MUSA_THRUST_SET_OPERATION_BY_KEY(set_union_by_key, true, true, true)
MUSA_THRUST_SET_OPERATION_BY_KEY(set_difference_by_key, true, false, false)
MUSA_THRUST_SET_OPERATION_BY_KEY(set_symmetric_difference_by_key, true, true, false)
#undef MUSA_THRUST_SET_OPERATION_BY_KEY

/* The second range has no values: they would never be taken. */
struct set_intersection_by_key_algorithm {
    template <class A, class B, class VA, class Keys, class Values>
    __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, Keys keys,
                                                      Values values) const {
        return (*this)(a, a_end, b, b_end, values_a, keys, values, less<>());
    }
    template <class A, class B, class VA, class Keys, class Values, class Compare>
    __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, Keys keys, Values values,
                                                      Compare compare) const {
        return SetOperation<false, false, true>::by_key(a, a_end, b, b_end, values_a, values_a, keys, values, compare);
    }
};

struct merge_by_key_algorithm {
    template <class A, class B, class VA, class VB, class Keys, class Values>
    __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, VB values_b, Keys keys,
                                                      Values values) const {
        return (*this)(a, a_end, b, b_end, values_a, values_b, keys, values, less<>());
    }
    template <class A, class B, class VA, class VB, class Keys, class Values, class Compare>
    __host__ __device__ pair<Keys, Values> operator()(A a, A a_end, B b, B b_end, VA values_a, VB values_b, Keys keys,
                                                      Values values, Compare compare) const {
        while (a != a_end || b != b_end) {
            if (a == a_end || (b != b_end && compare(detail::deref(b), detail::deref(a)))) {
                detail::deref(keys) = detail::deref(b);
                detail::deref(values) = detail::deref(values_b);
                ++b;
                ++values_b;
            } else {
                detail::deref(keys) = detail::deref(a);
                detail::deref(values) = detail::deref(values_a);
                ++a;
                ++values_a;
            }
            ++keys;
            ++values;
        }
        return {keys, values};
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(set_union)
MUSA_THRUST_ALGORITHM(set_intersection)
MUSA_THRUST_ALGORITHM(set_difference)
MUSA_THRUST_ALGORITHM(set_symmetric_difference)
MUSA_THRUST_ALGORITHM(set_union_by_key)
MUSA_THRUST_ALGORITHM(set_intersection_by_key)
MUSA_THRUST_ALGORITHM(set_difference_by_key)
MUSA_THRUST_ALGORITHM(set_symmetric_difference_by_key)
MUSA_THRUST_ALGORITHM(merge_by_key)

}  // namespace thrust

#endif
