/* The traits of C++14 and C++17 that the headers use: programs are compiled as C++11 too, where the standard library lacks
 * them. Nothing is added to std.
 *
 * clang takes `if constexpr`, fold expressions, inline variables and variable templates in C++11. It takes no deduced return
 * type, no generic lambda and no deduction guide there. A class whose members have initial values is no aggregate, and a
 * constexpr member function is const.
 */
#ifndef MUSA_SIM_TYPE_TRAITS_H
#define MUSA_SIM_TYPE_TRAITS_H

#if defined(__cplusplus)
#include <cstddef>
#include <type_traits>
#include <utility>
#endif

/* For functions that C++11 takes as constexpr with one statement and const only. */
#if __cplusplus >= 201402L
#define MUSA_SIM_CONSTEXPR_14 constexpr
#else
#define MUSA_SIM_CONSTEXPR_14
#endif

namespace musa_sim_detail {

template <bool Condition, class T = void>
using enable_if_t = typename std::enable_if<Condition, T>::type;
template <bool Condition, class Then, class Else>
using conditional_t = typename std::conditional<Condition, Then, Else>::type;
template <class T>
using decay_t = typename std::decay<T>::type;
template <class T>
using remove_cv_t = typename std::remove_cv<T>::type;
template <class T>
using remove_const_t = typename std::remove_const<T>::type;
template <class T>
using make_unsigned_t = typename std::make_unsigned<T>::type;
template <class... T>
using common_type_t = typename std::common_type<T...>::type;
template <std::size_t Index, class T>
using tuple_element_t = typename std::tuple_element<Index, T>::type;
template <bool Value>
using bool_constant = std::integral_constant<bool, Value>;

template <class...>
struct make_void {
    using type = void;
};
template <class... T>
using void_t = typename make_void<T...>::type;

/* The type that a call returns. A name in it, and no expression: demanglers refuse some expressions in kernels' names. */
template <class Function, class... Arguments>
struct call_result {
    using type = decltype(std::declval<Function>()(std::declval<Arguments>()...));
};

template <class Nothing, class Function, class... Arguments>
struct is_callable_if : std::false_type {};
template <class Function, class... Arguments>
struct is_callable_if<void_t<decltype(std::declval<Function>()(std::declval<Arguments>()...))>, Function, Arguments...>
    : std::true_type {};
template <class Function, class... Arguments>
using is_callable = is_callable_if<void, Function, Arguments...>;

#if __cplusplus >= 201402L
template <std::size_t... Index>
using index_sequence = std::index_sequence<Index...>;
template <std::size_t Count>
using make_index_sequence = std::make_index_sequence<Count>;
#else
template <std::size_t... Index>
struct index_sequence {};
template <std::size_t Count, std::size_t... Index>
struct indices_below : indices_below<Count - 1, Count - 1, Index...> {};
template <std::size_t... Index>
struct indices_below<0, Index...> {
    using type = index_sequence<Index...>;
};
template <std::size_t Count>
using make_index_sequence = typename indices_below<Count>::type;
#endif
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

}  // namespace musa_sim_detail

#endif
