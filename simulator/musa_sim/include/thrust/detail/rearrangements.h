/* Copies that leave out, turn round, exchange or part, and what tells whether and where a range is in order. */
#ifndef MUSA_THRUST_DETAIL_REARRANGEMENTS_H
#define MUSA_THRUST_DETAIL_REARRANGEMENTS_H

#include <thrust/detail/selections.h>
#include <thrust/detail/sorting.h>

namespace thrust {
namespace detail {

struct remove_copy_algorithm {
    template <class In, class Out, class T>
    __host__ __device__ Out operator()(In first, In last, Out out, T value) const {
        for (; first != last; ++first) {
            const value_t<In> item = detail::deref(first);
            if (item == value) continue;
            detail::deref(out) = item;
            ++out;
        }
        return out;
    }
};

struct replace_copy_if_algorithm {
    template <class In, class Out, class Predicate, class T>
    __host__ __device__ Out operator()(In first, In last, Out out, Predicate predicate, T value) const {
        return (*this)(first, last, first, out, predicate, value);
    }
    template <class In, class Stencil, class Out, class Predicate, class T>
    __host__ __device__ Out operator()(In first, In last, Stencil stencil, Out out, Predicate predicate,
                                       T value) const {
        for (; first != last; ++first, ++stencil, ++out) {
            detail::deref(out) = predicate(detail::deref(stencil)) ? static_cast<value_t<In>>(value)
                                                                   : static_cast<value_t<In>>(detail::deref(first));
        }
        return out;
    }
};
struct replace_copy_algorithm {
    template <class In, class Out, class T>
    __host__ __device__ Out operator()(In first, In last, Out out, T old, T value) const {
        for (; first != last; ++first, ++out) {
            const value_t<In> item = detail::deref(first);
            detail::deref(out) = item == old ? static_cast<value_t<In>>(value) : item;
        }
        return out;
    }
};

struct reverse_copy_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        for (; first != last; ++out) detail::deref(out) = detail::deref(--last);
        return out;
    }
};

struct swap_ranges_algorithm {
    template <class A, class B>
    __host__ __device__ B operator()(A first, A last, B other) const {
        for (; first != last; ++first, ++other) {
            const value_t<A> value = detail::deref(first);
            detail::deref(first) = detail::deref(other);
            detail::deref(other) = value;
        }
        return other;
    }
};

struct stable_partition_copy_algorithm {
    template <class In, class Yes, class No, class Predicate>
    __host__ __device__ pair<Yes, No> operator()(In first, In last, Yes yes, No no, Predicate predicate) const {
        return (*this)(first, last, first, yes, no, predicate);
    }
    template <class In, class Stencil, class Yes, class No, class Predicate>
    __host__ __device__ pair<Yes, No> operator()(In first, In last, Stencil stencil, Yes yes, No no,
                                                 Predicate predicate) const {
        for (; first != last; ++first, ++stencil) {
            if (predicate(detail::deref(stencil))) {
                detail::deref(yes) = detail::deref(first);
                ++yes;
            } else {
                detail::deref(no) = detail::deref(first);
                ++no;
            }
        }
        return {yes, no};
    }
};
using partition_copy_algorithm = stable_partition_copy_algorithm;

struct is_partitioned_algorithm {
    template <class In, class Predicate>
    __host__ __device__ bool operator()(In first, In last, Predicate predicate) const {
        while (first != last && predicate(detail::deref(first))) ++first;
        while (first != last && !predicate(detail::deref(first))) ++first;
        return first == last;
    }
};

struct is_sorted_until_algorithm {
    template <class In>
    __host__ __device__ In operator()(In first, In last) const {
        return (*this)(first, last, less<value_t<In>>());
    }
    template <class In, class Compare>
    __host__ __device__ In operator()(In first, In last, Compare compare) const {
        if (first == last) return last;
        In next = first;
        for (++next; next != last && !compare(detail::deref(next), detail::deref(first)); ++next) first = next;
        return next;
    }
};

struct find_if_not_algorithm {
    template <class In, class Predicate>
    __host__ __device__ In operator()(In first, In last, Predicate predicate) const {
        while (first != last && predicate(detail::deref(first))) ++first;
        return first;
    }
};

struct mismatch_algorithm {
    template <class A, class B>
    __host__ __device__ pair<A, B> operator()(A first, A last, B other) const {
        return (*this)(first, last, other, equal_to<>());
    }
    template <class A, class B, class Equal>
    __host__ __device__ pair<A, B> operator()(A first, A last, B other, Equal equal) const {
        while (first != last && equal(detail::deref(first), detail::deref(other))) {
            ++first;
            ++other;
        }
        return {first, other};
    }
};

struct unique_count_algorithm {
    template <class In>
    __host__ __device__ difference_t<In> operator()(In first, In last) const {
        return (*this)(first, last, equal_to<>());
    }
    template <class In, class Equal>
    __host__ __device__ difference_t<In> operator()(In first, In last, Equal equal) const {
        if (first == last) return 0;
        difference_t<In> count = 1;
        for (In next = first + 1; next != last; ++first, ++next) count += !equal(detail::deref(first), detail::deref(next));
        return count;
    }
};

struct unique_by_key_copy_algorithm {
    template <class Keys, class Values, class KeysOut, class ValuesOut>
    __host__ __device__ pair<KeysOut, ValuesOut> operator()(Keys first, Keys last, Values values, KeysOut keys_out,
                                                            ValuesOut values_out) const {
        return (*this)(first, last, values, keys_out, values_out, equal_to<>());
    }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
    __host__ __device__ pair<KeysOut, ValuesOut> operator()(Keys first, Keys last, Values values, KeysOut keys_out,
                                                            ValuesOut values_out, Equal equal) const {
        while (first != last) {
            const value_t<Keys> key = detail::deref(first);
            detail::deref(keys_out) = key;
            detail::deref(values_out) = detail::deref(values);
            ++keys_out;
            ++values_out;
            do {
                ++first;
                ++values;
            } while (first != last && equal(key, detail::deref(first)));
        }
        return {keys_out, values_out};
    }
};

struct is_true {
    template <class T>
    __host__ __device__ bool operator()(const T &flag) const {
        return static_cast<bool>(flag);
    }
};

struct gather_if_algorithm {
    template <class Map, class Stencil, class In, class Out>
    __host__ __device__ Out operator()(Map map, Map map_end, Stencil stencil, In in, Out out) const {
        return (*this)(map, map_end, stencil, in, out, is_true());
    }
    template <class Map, class Stencil, class In, class Out, class Predicate>
    __host__ __device__ Out operator()(Map map, Map map_end, Stencil stencil, In in, Out out,
                                       Predicate predicate) const {
        for (; map != map_end; ++map, ++stencil, ++out) {
            if (predicate(detail::deref(stencil))) detail::deref(out) = detail::deref(in + detail::deref(map));
        }
        return out;
    }
};

struct scatter_if_algorithm {
    template <class In, class Map, class Stencil, class Out>
    __host__ __device__ void operator()(In first, In last, Map map, Stencil stencil, Out out) const {
        (*this)(first, last, map, stencil, out, is_true());
    }
    template <class In, class Map, class Stencil, class Out, class Predicate>
    __host__ __device__ void operator()(In first, In last, Map map, Stencil stencil, Out out,
                                        Predicate predicate) const {
        for (; first != last; ++first, ++map, ++stencil) {
            if (predicate(detail::deref(stencil))) detail::deref(out + detail::deref(map)) = detail::deref(first);
        }
    }
};

struct generate_n_algorithm {
    template <class Out, class Size, class Generator>
    __host__ __device__ Out operator()(Out out, Size n, Generator generator) const {
        for (Size i = 0; i < n; ++i, ++out) detail::deref(out) = generator();
        return out;
    }
};

struct equal_range_algorithm {
    template <class In, class T>
    __host__ __device__ pair<In, In> operator()(In first, In last, T value) const {
        return (*this)(first, last, value, less<>());
    }
    template <class In, class T, class Compare>
    __host__ __device__ pair<In, In> operator()(In first, In last, T value, Compare compare) const {
        return {lower_bound_algorithm()(first, last, value, compare), upper_bound_algorithm()(first, last, value, compare)};
    }
};

struct uninitialized_copy_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        for (; first != last; ++first, ++out) detail::deref(out) = detail::deref(first);
        return out;
    }
};
struct uninitialized_fill_algorithm {
    template <class Out, class T>
    __host__ __device__ void operator()(Out first, Out last, T value) const {
        for (; first != last; ++first) detail::deref(first) = value;
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(remove_copy)
MUSA_THRUST_ALGORITHM(replace_copy_if)
MUSA_THRUST_ALGORITHM(replace_copy)
MUSA_THRUST_ALGORITHM(reverse_copy)
MUSA_THRUST_ALGORITHM(swap_ranges)
MUSA_THRUST_ALGORITHM(stable_partition_copy)
MUSA_THRUST_ALGORITHM(partition_copy)
MUSA_THRUST_ALGORITHM(is_partitioned)
MUSA_THRUST_ALGORITHM(is_sorted_until)
MUSA_THRUST_ALGORITHM(find_if_not)
MUSA_THRUST_ALGORITHM(mismatch)
MUSA_THRUST_ALGORITHM(unique_count)
MUSA_THRUST_ALGORITHM(unique_by_key_copy)
MUSA_THRUST_ALGORITHM(gather_if)
MUSA_THRUST_ALGORITHM(scatter_if)
MUSA_THRUST_ALGORITHM(generate_n)
MUSA_THRUST_ALGORITHM(equal_range)
MUSA_THRUST_ALGORITHM(uninitialized_copy)
MUSA_THRUST_ALGORITHM(uninitialized_fill)

}  // namespace thrust

#endif
