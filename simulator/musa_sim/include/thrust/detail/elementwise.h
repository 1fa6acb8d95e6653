/* Algorithms that treat each element for itself. */
#ifndef MUSA_THRUST_DETAIL_ELEMENTWISE_H
#define MUSA_THRUST_DETAIL_ELEMENTWISE_H

#include <thrust/detail/dispatch.h>

namespace thrust {
namespace detail {

struct for_each_algorithm {
    template <class In, class Function>
    __host__ __device__ In operator()(In first, In last, Function f) const {
        for (; first != last; ++first) f(detail::deref(first));
        return first;
    }
};

struct for_each_n_algorithm {
    template <class In, class Size, class Function>
    __host__ __device__ In operator()(In first, Size n, Function f) const {
        return for_each_algorithm()(first, first + n, f);
    }
};

struct transform_algorithm {
    template <class In, class Out, class Function>
    __host__ __device__ Out operator()(In first, In last, Out out, Function f) const {
        for (; first != last; ++first, ++out) detail::deref(out) = f(detail::deref(first));
        return out;
    }
    template <class A, class B, class Out, class Function>
    __host__ __device__ Out operator()(A first, A last, B second, Out out, Function f) const {
        for (; first != last; ++first, ++second, ++out) detail::deref(out) = f(detail::deref(first), detail::deref(second));
        return out;
    }
};

struct transform_if_algorithm {
    template <class In, class Out, class Function, class Predicate>
    __host__ __device__ Out operator()(In first, In last, Out out, Function f, Predicate predicate) const {
        return (*this)(first, last, first, out, f, predicate);
    }
    template <class In, class Stencil, class Out, class Function, class Predicate>
    __host__ __device__ Out operator()(In first, In last, Stencil stencil, Out out, Function f,
                                       Predicate predicate) const {
        for (; first != last; ++first, ++stencil, ++out) {
            if (predicate(detail::deref(stencil))) detail::deref(out) = f(detail::deref(first));
        }
        return out;
    }
};

struct copy_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        for (; first != last; ++first, ++out) detail::deref(out) = detail::deref(first);
        return out;
    }
};

struct copy_n_algorithm {
    template <class In, class Size, class Out>
    __host__ __device__ Out operator()(In first, Size n, Out out) const {
        return copy_algorithm()(first, first + n, out);
    }
};

struct fill_algorithm {
    template <class Out, class T>
    __host__ __device__ void operator()(Out first, Out last, T value) const {
        for (; first != last; ++first) detail::deref(first) = value;
    }
};

struct fill_n_algorithm {
    template <class Out, class Size, class T>
    __host__ __device__ Out operator()(Out first, Size n, T value) const {
        fill_algorithm()(first, first + n, value);
        return first + n;
    }
};

struct sequence_algorithm {
    template <class Out>
    __host__ __device__ void operator()(Out first, Out last) const {
        (*this)(first, last, value_t<Out>(0));
    }
    template <class Out, class T>
    __host__ __device__ void operator()(Out first, Out last, T initial) const {
        (*this)(first, last, initial, T(1));
    }
    template <class Out, class T>
    __host__ __device__ void operator()(Out first, Out last, T initial, T step) const {
        for (T i = T(0); first != last; ++first, i = i + T(1)) detail::deref(first) = initial + step * i;
    }
};

struct tabulate_algorithm {
    template <class Out, class Function>
    __host__ __device__ void operator()(Out first, Out last, Function f) const {
        for (difference_t<Out> i = 0; first != last; ++first, ++i) detail::deref(first) = f(i);
    }
};

struct generate_algorithm {
    template <class Out, class Function>
    __host__ __device__ void operator()(Out first, Out last, Function f) const {
        for (; first != last; ++first) detail::deref(first) = f();
    }
};

struct gather_algorithm {
    template <class Map, class In, class Out>
    __host__ __device__ Out operator()(Map first, Map last, In in, Out out) const {
        for (; first != last; ++first, ++out) detail::deref(out) = detail::deref(in + detail::deref(first));
        return out;
    }
};

struct scatter_algorithm {
    template <class In, class Map, class Out>
    __host__ __device__ void operator()(In first, In last, Map map, Out out) const {
        for (; first != last; ++first, ++map) detail::deref(out + detail::deref(map)) = detail::deref(first);
    }
};

struct replace_algorithm {
    template <class It, class T>
    __host__ __device__ void operator()(It first, It last, T before, T after) const {
        for (; first != last; ++first) {
            if (detail::deref(first) == before) detail::deref(first) = after;
        }
    }
};

struct replace_if_algorithm {
    template <class It, class Predicate, class T>
    __host__ __device__ void operator()(It first, It last, Predicate predicate, T after) const {
        for (; first != last; ++first) {
            if (predicate(detail::deref(first))) detail::deref(first) = after;
        }
    }
};

struct reverse_algorithm {
    template <class It>
    __host__ __device__ void operator()(It first, It last) const {
        for (difference_t<It> n = last - first; n > 1; n -= 2, ++first) {
            const value_t<It> value = detail::deref(first);
            detail::deref(first) = detail::deref(first + (n - 1));
            detail::deref(first + (n - 1)) = value;
        }
    }
};

struct adjacent_difference_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        return (*this)(first, last, out, [] __host__ __device__(const value_t<In> &a, const value_t<In> &b) {
            return static_cast<value_t<In>>(a - b);
        });
    }
    template <class In, class Out, class Function>
    __host__ __device__ Out operator()(In first, In last, Out out, Function f) const {
        if (first == last) return out;
        value_t<In> before = detail::deref(first);
        detail::deref(out) = before;
        for (++first, ++out; first != last; ++first, ++out) {
            const value_t<In> value = detail::deref(first);
            detail::deref(out) = f(value, before);
            before = value;
        }
        return out;
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(for_each)
MUSA_THRUST_ALGORITHM(for_each_n)
MUSA_THRUST_ALGORITHM(transform)
MUSA_THRUST_ALGORITHM(transform_if)
MUSA_THRUST_ALGORITHM(copy)
MUSA_THRUST_ALGORITHM(copy_n)
MUSA_THRUST_ALGORITHM(fill)
MUSA_THRUST_ALGORITHM(fill_n)
MUSA_THRUST_ALGORITHM(sequence)
MUSA_THRUST_ALGORITHM(tabulate)
MUSA_THRUST_ALGORITHM(generate)
MUSA_THRUST_ALGORITHM(gather)
MUSA_THRUST_ALGORITHM(scatter)
MUSA_THRUST_ALGORITHM(replace)
MUSA_THRUST_ALGORITHM(replace_if)
MUSA_THRUST_ALGORITHM(reverse)
MUSA_THRUST_ALGORITHM(adjacent_difference)

}  // namespace thrust

#endif
