/* thrust::placeholders: `_1 + 2 * _2` is a function object. */
#ifndef MUSA_THRUST_DETAIL_PLACEHOLDERS_H
#define MUSA_THRUST_DETAIL_PLACEHOLDERS_H

#include <musa_runtime.h>
#include <musa_sim/type_traits.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace thrust {
namespace detail {
namespace placeholder {

/* Expression is called with all arguments. */
template <class Expression>
struct Actor;

template <std::size_t Index>
struct Argument {
    template <class First, class... More>
    __host__ __device__ constexpr musa_sim_detail::tuple_element_t<Index, std::tuple<First &, More &...>> operator()(
        First &first, More &...more) const {
        if constexpr (Index == 0) {
            return first;
        } else {
            return Argument<Index - 1>()(more...);
        }
    }
};

template <class T>
struct Constant {
    T value;
    template <class... Arguments>
    __host__ __device__ constexpr T operator()(Arguments &...) const {
        return value;
    }
};

template <class T>
__host__ __device__ constexpr Actor<Constant<T>> actor_of(const T &value) {
    return {{value}};
}
template <class Expression>
__host__ __device__ constexpr Actor<Expression> actor_of(const Actor<Expression> &actor) {
    return actor;
}
template <class T>
using actor_of_t = decltype(placeholder::actor_of(std::declval<const T &>()));

template <class T>
struct is_actor : std::false_type {};
template <class Expression>
struct is_actor<Actor<Expression>> : std::true_type {};
template <class... T>
using if_any_is_actor = musa_sim_detail::enable_if_t<(is_actor<T>::value || ...), int>;

template <class Operation, class... Operands>
struct Applied;
template <class Operation, class Operand>
struct Applied<Operation, Operand> {
    Operand operand;
    template <class... Arguments>
    __host__ __device__ constexpr auto operator()(Arguments &...arguments) const
        -> decltype(Operation()(std::declval<const Operand &>()(arguments...))) {
        return Operation()(operand(arguments...));
    }
};
template <class Operation, class Left, class Right>
struct Applied<Operation, Left, Right> {
    Left left;
    Right right;
    template <class... Arguments>
    __host__ __device__ constexpr auto operator()(Arguments &...arguments) const
        -> decltype(Operation()(std::declval<const Left &>()(arguments...),
                                std::declval<const Right &>()(arguments...))) {
        return Operation()(left(arguments...), right(arguments...));
    }
};

#define MUSA_THRUST_OPERATION(name, symbol)                                                  \
    struct name {                                                                            \
        template <class Left, class Right>                                                   \
        __host__ __device__ constexpr auto operator()(Left &&x, Right &&y) const             \
            -> decltype(x symbol y) {                                                        \
            return x symbol y;                                                               \
        }                                                                                    \
    };
#define MUSA_THRUST_ASSIGNMENT(name, symbol)                                                         \
    MUSA_THRUST_OPERATION(name, symbol)                                                              \
    template <class T>                                                                               \
    __host__ __device__ constexpr Actor<Applied<name, Actor, actor_of_t<T>>> operator symbol(        \
        const T &value) const {                                                                      \
        return {{*this, placeholder::actor_of(value)}};                                              \
    }

template <class Expression>
struct Actor {
    Expression expression;

    template <class... Arguments>
    __host__ __device__ constexpr auto operator()(Arguments &&...arguments) const
        -> decltype(std::declval<const Expression &>()(arguments...)) {
        return expression(arguments...);
    }
    MUSA_THRUST_ASSIGNMENT(Assign, =)
    MUSA_THRUST_ASSIGNMENT(AddTo, +=)
    MUSA_THRUST_ASSIGNMENT(SubtractFrom, -=)
    MUSA_THRUST_ASSIGNMENT(MultiplyBy, *=)
    MUSA_THRUST_ASSIGNMENT(DivideBy, /=)
    MUSA_THRUST_ASSIGNMENT(TakeRest, %=)
    MUSA_THRUST_ASSIGNMENT(AndWith, &=)
    MUSA_THRUST_ASSIGNMENT(OrWith, |=)
    MUSA_THRUST_ASSIGNMENT(XorWith, ^=)
};
#undef MUSA_THRUST_ASSIGNMENT

#define MUSA_THRUST_BINARY_OPERATOR(name, symbol)                                                             \
    MUSA_THRUST_OPERATION(name, symbol)                                                                       \
    template <class Left, class Right, if_any_is_actor<Left, Right> = 0>                                      \
    __host__ __device__ constexpr Actor<Applied<name, actor_of_t<Left>, actor_of_t<Right>>> operator symbol(  \
        const Left &x, const Right &y) {                                                                      \
        return {{placeholder::actor_of(x), placeholder::actor_of(y)}};                                        \
    }
MUSA_THRUST_BINARY_OPERATOR(Add, +)
MUSA_THRUST_BINARY_OPERATOR(Subtract, -)
MUSA_THRUST_BINARY_OPERATOR(Multiply, *)
MUSA_THRUST_BINARY_OPERATOR(Divide, /)
MUSA_THRUST_BINARY_OPERATOR(Rest, %)
MUSA_THRUST_BINARY_OPERATOR(Equal, ==)
MUSA_THRUST_BINARY_OPERATOR(NotEqual, !=)
MUSA_THRUST_BINARY_OPERATOR(Less, <)
MUSA_THRUST_BINARY_OPERATOR(Greater, >)
MUSA_THRUST_BINARY_OPERATOR(LessEqual, <=)
MUSA_THRUST_BINARY_OPERATOR(GreaterEqual, >=)
MUSA_THRUST_BINARY_OPERATOR(LogicalAnd, &&)
MUSA_THRUST_BINARY_OPERATOR(LogicalOr, ||)
MUSA_THRUST_BINARY_OPERATOR(BitAnd, &)
MUSA_THRUST_BINARY_OPERATOR(BitOr, |)
MUSA_THRUST_BINARY_OPERATOR(BitXor, ^)
MUSA_THRUST_BINARY_OPERATOR(ShiftLeft, <<)
MUSA_THRUST_BINARY_OPERATOR(ShiftRight, >>)
#undef MUSA_THRUST_BINARY_OPERATOR
#undef MUSA_THRUST_OPERATION

#define MUSA_THRUST_UNARY_OPERATOR(name, symbol)                                              \
    struct name {                                                                             \
        template <class T>                                                                    \
        __host__ __device__ constexpr auto operator()(const T &x) const                       \
            -> musa_sim_detail::decay_t<decltype(symbol x)> {                               \
            return symbol x;                                                                  \
        }                                                                                     \
    };                                                                                        \
    template <class Expression>                                                               \
    __host__ __device__ constexpr Actor<Applied<name, Actor<Expression>>> operator symbol(    \
        const Actor<Expression> &x) {                                                         \
        return {{x}};                                                                         \
    }
MUSA_THRUST_UNARY_OPERATOR(Plus, +)
MUSA_THRUST_UNARY_OPERATOR(Negate, -)
MUSA_THRUST_UNARY_OPERATOR(Not, !)
MUSA_THRUST_UNARY_OPERATOR(Complement, ~)
#undef MUSA_THRUST_UNARY_OPERATOR

}  // namespace placeholder
}  // namespace detail

namespace placeholders {
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<0>> _1{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<1>> _2{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<2>> _3{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<3>> _4{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<4>> _5{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<5>> _6{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<6>> _7{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<7>> _8{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<8>> _9{};
inline constexpr detail::placeholder::Actor<detail::placeholder::Argument<9>> _10{};
}  // namespace placeholders

}  // namespace thrust

#endif
