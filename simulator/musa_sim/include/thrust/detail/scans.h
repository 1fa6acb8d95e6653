/* Prefix sums. Input and output may be the same. */
#ifndef MUSA_THRUST_DETAIL_SCANS_H
#define MUSA_THRUST_DETAIL_SCANS_H

#include <musa_sim/type_traits.h>
#include <thrust/detail/dispatch.h>
#include <thrust/functional.h>

namespace thrust {
namespace detail {

struct inclusive_scan_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        return (*this)(first, last, out, plus<>());
    }
    template <class In, class Out, class Operation>
    __host__ __device__ Out operator()(In first, In last, Out out, Operation operation) const {
        if (first == last) return out;
        value_t<In> running = detail::deref(first);
        detail::deref(out) = running;
        for (++first, ++out; first != last; ++first, ++out) detail::deref(out) = running = operation(running, detail::deref(first));
        return out;
    }
};

struct exclusive_scan_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        return (*this)(first, last, out, value_t<In>(0));
    }
    template <class In, class Out, class T>
    __host__ __device__ Out operator()(In first, In last, Out out, T initial) const {
        return (*this)(first, last, out, initial, plus<>());
    }
    template <class In, class Out, class T, class Operation>
    __host__ __device__ Out operator()(In first, In last, Out out, T initial, Operation operation) const {
        for (; first != last; ++first, ++out) {
            const T next = operation(initial, detail::deref(first));
            detail::deref(out) = initial;
            initial = next;
        }
        return out;
    }
};

struct transform_inclusive_scan_algorithm {
    template <class In, class Out, class Function, class Operation>
    __host__ __device__ Out operator()(In first, In last, Out out, Function f, Operation operation) const {
        if (first == last) return out;
        musa_sim_detail::decay_t<decltype(f(detail::deref(first)))> running = f(detail::deref(first));
        detail::deref(out) = running;
        for (++first, ++out; first != last; ++first, ++out) detail::deref(out) = running = operation(running, f(detail::deref(first)));
        return out;
    }
};

struct transform_exclusive_scan_algorithm {
    template <class In, class Out, class Function, class T, class Operation>
    __host__ __device__ Out operator()(In first, In last, Out out, Function f, T initial, Operation operation) const {
        for (; first != last; ++first, ++out) {
            const T next = operation(initial, f(detail::deref(first)));
            detail::deref(out) = initial;
            initial = next;
        }
        return out;
    }
};

struct inclusive_scan_by_key_algorithm {
    template <class Keys, class In, class Out>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out) const {
        return (*this)(first, last, in, out, equal_to<>());
    }
    template <class Keys, class In, class Out, class Equal>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out, Equal equal) const {
        return (*this)(first, last, in, out, equal, plus<>());
    }
    template <class Keys, class In, class Out, class Equal, class Operation>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out, Equal equal, Operation operation) const {
        if (first == last) return out;
        value_t<In> running = detail::deref(in);
        value_t<Keys> before = detail::deref(first);
        detail::deref(out) = running;
        for (++first, ++in, ++out; first != last; ++first, ++in, ++out) {
            const value_t<Keys> key = detail::deref(first);
            const value_t<In> value = detail::deref(in);
            running = equal(before, key) ? static_cast<value_t<In>>(operation(running, value)) : value;
            detail::deref(out) = running;
            before = key;
        }
        return out;
    }
};

struct exclusive_scan_by_key_algorithm {
    template <class Keys, class In, class Out>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out) const {
        return (*this)(first, last, in, out, value_t<In>(0));
    }
    template <class Keys, class In, class Out, class T>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out, T initial) const {
        return (*this)(first, last, in, out, initial, equal_to<>());
    }
    template <class Keys, class In, class Out, class T, class Equal>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out, T initial, Equal equal) const {
        return (*this)(first, last, in, out, initial, equal, plus<>());
    }
    template <class Keys, class In, class Out, class T, class Equal, class Operation>
    __host__ __device__ Out operator()(Keys first, Keys last, In in, Out out, T initial, Equal equal,
                                       Operation operation) const {
        if (first == last) return out;
        T running = initial;
        value_t<Keys> before = detail::deref(first);
        for (; first != last; ++first, ++in, ++out) {
            const value_t<Keys> key = detail::deref(first);
            if (!equal(before, key)) running = initial;
            const T next = operation(running, detail::deref(in));
            detail::deref(out) = running;
            running = next;
            before = key;
        }
        return out;
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(inclusive_scan)
MUSA_THRUST_ALGORITHM(exclusive_scan)
MUSA_THRUST_ALGORITHM(transform_inclusive_scan)
MUSA_THRUST_ALGORITHM(transform_exclusive_scan)
MUSA_THRUST_ALGORITHM(inclusive_scan_by_key)
MUSA_THRUST_ALGORITHM(exclusive_scan_by_key)

}  // namespace thrust

#endif
