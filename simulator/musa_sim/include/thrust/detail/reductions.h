/* Algorithms that make one value of many. */
#ifndef MUSA_THRUST_DETAIL_REDUCTIONS_H
#define MUSA_THRUST_DETAIL_REDUCTIONS_H

#include <thrust/detail/dispatch.h>
#include <thrust/functional.h>
#include <thrust/pair.h>

namespace thrust {
namespace detail {

struct reduce_algorithm {
    template <class In>
    __host__ __device__ value_t<In> operator()(In first, In last) const {
        return (*this)(first, last, value_t<In>());
    }
    template <class In, class T>
    __host__ __device__ T operator()(In first, In last, T initial) const {
        return (*this)(first, last, initial, plus<T>());
    }
    template <class In, class T, class Operation>
    __host__ __device__ T operator()(In first, In last, T initial, Operation operation) const {
        for (; first != last; ++first) initial = operation(initial, detail::deref(first));
        return initial;
    }
};

struct transform_reduce_algorithm {
    template <class In, class Function, class T, class Operation>
    __host__ __device__ T operator()(In first, In last, Function f, T initial, Operation operation) const {
        for (; first != last; ++first) initial = operation(initial, f(detail::deref(first)));
        return initial;
    }
};

struct inner_product_algorithm {
    template <class A, class B, class T>
    __host__ __device__ T operator()(A first, A last, B second, T initial) const {
        return (*this)(first, last, second, initial, plus<>(), multiplies<>());
    }
    template <class A, class B, class T, class Operation, class Product>
    __host__ __device__ T operator()(A first, A last, B second, T initial, Operation operation, Product product) const {
        for (; first != last; ++first, ++second) initial = operation(initial, product(detail::deref(first), detail::deref(second)));
        return initial;
    }
};

struct count_if_algorithm {
    template <class In, class Predicate>
    __host__ __device__ difference_t<In> operator()(In first, In last, Predicate predicate) const {
        difference_t<In> count = 0;
        for (; first != last; ++first) count += predicate(detail::deref(first)) ? 1 : 0;
        return count;
    }
};

struct count_algorithm {
    template <class In, class T>
    __host__ __device__ difference_t<In> operator()(In first, In last, T value) const {
        difference_t<In> count = 0;
        for (; first != last; ++first) count += detail::deref(first) == value ? 1 : 0;
        return count;
    }
};

struct find_if_algorithm {
    template <class In, class Predicate>
    __host__ __device__ In operator()(In first, In last, Predicate predicate) const {
        while (first != last && !predicate(detail::deref(first))) ++first;
        return first;
    }
};

struct find_algorithm {
    template <class In, class T>
    __host__ __device__ In operator()(In first, In last, T value) const {
        while (first != last && !(detail::deref(first) == value)) ++first;
        return first;
    }
};

struct all_of_algorithm {
    template <class In, class Predicate>
    __host__ __device__ bool operator()(In first, In last, Predicate predicate) const {
        return find_if_algorithm()(first, last, not_fn(predicate)) == last;
    }
};

struct any_of_algorithm {
    template <class In, class Predicate>
    __host__ __device__ bool operator()(In first, In last, Predicate predicate) const {
        return find_if_algorithm()(first, last, predicate) != last;
    }
};

struct none_of_algorithm {
    template <class In, class Predicate>
    __host__ __device__ bool operator()(In first, In last, Predicate predicate) const {
        return find_if_algorithm()(first, last, predicate) == last;
    }
};

struct equal_algorithm {
    template <class A, class B>
    __host__ __device__ bool operator()(A first, A last, B second) const {
        return (*this)(first, last, second, equal_to<>());
    }
    template <class A, class B, class Predicate>
    __host__ __device__ bool operator()(A first, A last, B second, Predicate predicate) const {
        for (; first != last; ++first, ++second) {
            if (!predicate(detail::deref(first), detail::deref(second))) return false;
        }
        return true;
    }
};

/* The first of the least elements. */
struct min_element_algorithm {
    template <class In>
    __host__ __device__ In operator()(In first, In last) const {
        return (*this)(first, last, less<value_t<In>>());
    }
    template <class In, class Compare>
    __host__ __device__ In operator()(In first, In last, Compare compare) const {
        In best = first;
        for (; first != last; ++first) {
            if (compare(detail::deref(first), detail::deref(best))) best = first;
        }
        return best;
    }
};

/* The first of the greatest elements. */
struct max_element_algorithm {
    template <class In>
    __host__ __device__ In operator()(In first, In last) const {
        return (*this)(first, last, less<value_t<In>>());
    }
    template <class In, class Compare>
    __host__ __device__ In operator()(In first, In last, Compare compare) const {
        In best = first;
        for (; first != last; ++first) {
            if (compare(detail::deref(best), detail::deref(first))) best = first;
        }
        return best;
    }
};

struct minmax_element_algorithm {
    template <class In>
    __host__ __device__ pair<In, In> operator()(In first, In last) const {
        return {min_element_algorithm()(first, last), max_element_algorithm()(first, last)};
    }
    template <class In, class Compare>
    __host__ __device__ pair<In, In> operator()(In first, In last, Compare compare) const {
        return {min_element_algorithm()(first, last, compare), max_element_algorithm()(first, last, compare)};
    }
};

}  // namespace detail

MUSA_THRUST_ALGORITHM(reduce)
MUSA_THRUST_ALGORITHM(transform_reduce)
MUSA_THRUST_ALGORITHM(inner_product)
MUSA_THRUST_ALGORITHM(count)
MUSA_THRUST_ALGORITHM(count_if)
MUSA_THRUST_ALGORITHM(find)
MUSA_THRUST_ALGORITHM(find_if)
MUSA_THRUST_ALGORITHM(all_of)
MUSA_THRUST_ALGORITHM(any_of)
MUSA_THRUST_ALGORITHM(none_of)
MUSA_THRUST_ALGORITHM(equal)
MUSA_THRUST_ALGORITHM(min_element)
MUSA_THRUST_ALGORITHM(max_element)
MUSA_THRUST_ALGORITHM(minmax_element)

}  // namespace thrust

#endif
