/* Algorithms that keep some elements, in their order. */
#ifndef MUSA_THRUST_DETAIL_SELECTIONS_H
#define MUSA_THRUST_DETAIL_SELECTIONS_H

#include <thrust/detail/dispatch.h>
#include <thrust/functional.h>
#include <thrust/pair.h>

namespace thrust {
namespace detail {

struct copy_if_algorithm {
    template <class In, class Out, class Predicate>
    __host__ __device__ Out operator()(In first, In last, Out out, Predicate predicate) const {
        return (*this)(first, last, first, out, predicate);
    }
    template <class In, class Stencil, class Out, class Predicate>
    __host__ __device__ Out operator()(In first, In last, Stencil stencil, Out out, Predicate predicate) const {
        for (; first != last; ++first, ++stencil) {
            if (!predicate(detail::deref(stencil))) continue;
            detail::deref(out) = detail::deref(first);
            ++out;
        }
        return out;
    }
};

struct remove_copy_if_algorithm {
    template <class In, class Out, class Predicate>
    __host__ __device__ Out operator()(In first, In last, Out out, Predicate predicate) const {
        return copy_if_algorithm()(first, last, out, not_fn(predicate));
    }
};

struct remove_if_algorithm {
    template <class It, class Predicate>
    __host__ __device__ It operator()(It first, It last, Predicate predicate) const {
        return copy_if_algorithm()(first, last, first, not_fn(predicate));
    }
    template <class It, class Stencil, class Predicate>
    __host__ __device__ It operator()(It first, It last, Stencil stencil, Predicate predicate) const {
        return copy_if_algorithm()(first, last, stencil, first, not_fn(predicate));
    }
};

struct remove_algorithm {
    template <class It, class T>
    __host__ __device__ It operator()(It first, It last, T value) const {
        It out = first;
        for (; first != last; ++first) {
            if (detail::deref(first) == value) continue;
            detail::deref(out) = detail::deref(first);
            ++out;
        }
        return out;
    }
};

struct unique_copy_algorithm {
    template <class In, class Out>
    __host__ __device__ Out operator()(In first, In last, Out out) const {
        return (*this)(first, last, out, equal_to<>());
    }
    template <class In, class Out, class Equal>
    __host__ __device__ Out operator()(In first, In last, Out out, Equal equal) const {
        if (first == last) return out;
        value_t<In> kept = detail::deref(first);
        detail::deref(out) = kept;
        for (++first, ++out; first != last; ++first) {
            const value_t<In> value = detail::deref(first);
            if (equal(kept, value)) continue;
            detail::deref(out) = kept = value;
            ++out;
        }
        return out;
    }
};

struct unique_algorithm {
    template <class It>
    __host__ __device__ It operator()(It first, It last) const {
        return unique_copy_algorithm()(first, last, first);
    }
    template <class It, class Equal>
    __host__ __device__ It operator()(It first, It last, Equal equal) const {
        return unique_copy_algorithm()(first, last, first, equal);
    }
};

struct unique_by_key_algorithm {
    template <class Keys, class Values>
    __host__ __device__ pair<Keys, Values> operator()(Keys first, Keys last, Values values) const {
        return (*this)(first, last, values, equal_to<>());
    }
    template <class Keys, class Values, class Equal>
    __host__ __device__ pair<Keys, Values> operator()(Keys first, Keys last, Values values, Equal equal) const {
        if (first == last) return {first, values};
        Keys keys_out = first;
        Values values_out = values;
        for (++first, ++values; first != last; ++first, ++values) {
            if (equal(detail::deref(keys_out), detail::deref(first))) continue;
            detail::deref(++keys_out) = detail::deref(first);
            detail::deref(++values_out) = detail::deref(values);
        }
        return {++keys_out, ++values_out};
    }
};

struct reduce_by_key_algorithm {
    template <class Keys, class Values, class KeysOut, class ValuesOut>
    __host__ __device__ pair<KeysOut, ValuesOut> operator()(Keys first, Keys last, Values values, KeysOut keys_out,
                                                            ValuesOut values_out) const {
        return (*this)(first, last, values, keys_out, values_out, equal_to<>());
    }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
    __host__ __device__ pair<KeysOut, ValuesOut> operator()(Keys first, Keys last, Values values, KeysOut keys_out,
                                                            ValuesOut values_out, Equal equal) const {
        return (*this)(first, last, values, keys_out, values_out, equal, plus<>());
    }
    template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Operation>
    __host__ __device__ pair<KeysOut, ValuesOut> operator()(Keys first, Keys last, Values values, KeysOut keys_out,
                                                            ValuesOut values_out, Equal equal,
                                                            Operation operation) const {
        while (first != last) {
            const value_t<Keys> key = detail::deref(first);
            value_t<Values> sum = detail::deref(values);
            for (++first, ++values; first != last && equal(key, detail::deref(first)); ++first, ++values) {
                sum = operation(sum, detail::deref(values));
            }
            detail::deref(keys_out) = key;
            detail::deref(values_out) = sum;
            ++keys_out;
            ++values_out;
        }
        return {keys_out, values_out};
    }
};

/* The elements that satisfy the predicate come first; both parts keep their order. */
struct stable_partition_algorithm {
    template <class It, class Predicate>
    __host__ __device__ It operator()(It first, It last, Predicate predicate) const {
        const difference_t<It> n = last - first;
        auto *others = new value_t<It>[n > 0 ? n : 1];
        difference_t<It> count = 0;
        It out = first;
        for (; first != last; ++first) {
            const value_t<It> value = detail::deref(first);
            if (predicate(value)) {
                detail::deref(out) = value;
                ++out;
            } else {
                others[count++] = value;
            }
        }
        for (difference_t<It> i = 0; i < count; ++i) detail::deref(out + i) = others[i];
        delete[] others;
        return out;
    }
};
using partition_algorithm = stable_partition_algorithm;

}  // namespace detail

MUSA_THRUST_ALGORITHM(copy_if)
MUSA_THRUST_ALGORITHM(remove_copy_if)
MUSA_THRUST_ALGORITHM(remove_if)
MUSA_THRUST_ALGORITHM(remove)
MUSA_THRUST_ALGORITHM(unique_copy)
MUSA_THRUST_ALGORITHM(unique)
MUSA_THRUST_ALGORITHM(unique_by_key)
MUSA_THRUST_ALGORITHM(reduce_by_key)
MUSA_THRUST_ALGORITHM(stable_partition)
MUSA_THRUST_ALGORITHM(partition)

}  // namespace thrust

#endif
