/* The function objects of Thrust. With the type void, or none, they take any type. */
#ifndef MUSA_THRUST_FUNCTIONAL_H
#define MUSA_THRUST_FUNCTIONAL_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>
#include <thrust/detail/placeholders.h>

#include <utility>

namespace thrust {

template <class Argument, class Result>
struct unary_function {
    using argument_type = Argument;
    using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
    using first_argument_type = First;
    using second_argument_type = Second;
    using result_type = Result;
};

#define MUSA_THRUST_BINARY(name, Result, expression)                                             \
    template <class T = void>                                                                    \
    struct name : binary_function<T, T, Result> {                                                \
        __host__ __device__ constexpr Result operator()(const T &x, const T &y) const {          \
            return expression;                                                                   \
        }                                                                                        \
    };                                                                                           \
    template <>                                                                                  \
    struct name<void> {                                                                          \
        template <class X, class Y>                                                              \
        __host__ __device__ constexpr auto operator()(const X &x, const Y &y) const              \
            -> musa_sim_detail::decay_t<decltype(expression)> {                                \
            return expression;                                                                   \
        }                                                                                        \
    };

MUSA_THRUST_BINARY(plus, T, x + y)
MUSA_THRUST_BINARY(minus, T, x - y)
MUSA_THRUST_BINARY(multiplies, T, x *y)
MUSA_THRUST_BINARY(divides, T, x / y)
MUSA_THRUST_BINARY(modulus, T, x % y)
MUSA_THRUST_BINARY(bit_and, T, x &y)
MUSA_THRUST_BINARY(bit_or, T, x | y)
MUSA_THRUST_BINARY(bit_xor, T, x ^ y)
MUSA_THRUST_BINARY(maximum, T, x < y ? y : x)
MUSA_THRUST_BINARY(minimum, T, y < x ? y : x)
MUSA_THRUST_BINARY(equal_to, bool, x == y)
MUSA_THRUST_BINARY(not_equal_to, bool, x != y)
MUSA_THRUST_BINARY(greater, bool, x > y)
MUSA_THRUST_BINARY(less, bool, x < y)
MUSA_THRUST_BINARY(greater_equal, bool, x >= y)
MUSA_THRUST_BINARY(less_equal, bool, x <= y)
MUSA_THRUST_BINARY(logical_and, bool, x &&y)
MUSA_THRUST_BINARY(logical_or, bool, x || y)
#undef MUSA_THRUST_BINARY

#define MUSA_THRUST_UNARY(name, Result, expression)                                                         \
    template <class T = void>                                                                               \
    struct name : unary_function<T, Result> {                                                               \
        __host__ __device__ constexpr Result operator()(const T &x) const { return expression; }            \
    };                                                                                                      \
    template <>                                                                                             \
    struct name<void> {                                                                                     \
        template <class X>                                                                                  \
        __host__ __device__ constexpr auto operator()(const X &x) const                                     \
            -> musa_sim_detail::decay_t<decltype(expression)> {                                           \
            return expression;                                                                              \
        }                                                                                                   \
    };

MUSA_THRUST_UNARY(negate, T, -x)
MUSA_THRUST_UNARY(square, T, x *x)
MUSA_THRUST_UNARY(logical_not, bool, !x)
MUSA_THRUST_UNARY(identity, T, x)
#undef MUSA_THRUST_UNARY

template <class First = void, class Second = First>
struct project1st {
    __host__ __device__ constexpr First operator()(const First &x, const Second &) const { return x; }
};
template <class First = void, class Second = First>
struct project2nd {
    __host__ __device__ constexpr Second operator()(const First &, const Second &y) const { return y; }
};

template <class Predicate>
struct not_fn_t {
    Predicate predicate;
    template <class... T>
    __host__ __device__ bool operator()(const T &...values) const {
        return !predicate(values...);
    }
};
template <class Predicate>
__host__ __device__ not_fn_t<Predicate> not_fn(Predicate predicate) {
    return {predicate};
}
template <class Predicate>
__host__ __device__ not_fn_t<Predicate> not1(Predicate predicate) {
    return {predicate};
}
template <class Predicate>
__host__ __device__ not_fn_t<Predicate> not2(Predicate predicate) {
    return {predicate};
}

}  // namespace thrust

#endif
