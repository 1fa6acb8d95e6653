// Signs, rounding, bits, and what is no number.

#include <ATen/native/TensorCompare.h>

#include "torch_musa/csrc/aten/ops/musa/Unary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

MUSA_UNARY(abs, math::absolute(x), MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(neg, -x, MUSA_INTEGRAL, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_UNARY(sign, math::direction(x), MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_UNARY(sgn, math::direction(x), MUSA_ALL_COMPLEX)
MUSA_UNARY(floor, ::floor(x), MUSA_FLOATING)
MUSA_UNARY(ceil, ::ceil(x), MUSA_FLOATING)
MUSA_UNARY(round, ::nearbyint(x), MUSA_FLOATING)
MUSA_UNARY(trunc, ::trunc(x), MUSA_FLOATING)
MUSA_UNARY(frac, x - ::trunc(x), MUSA_FLOATING)

void conj_physical_musa(TensorIteratorBase& iter) {
  if (!isComplexType(iter.common_dtype())) {
    iter.tensor(0).copy_(iter.tensor(1));
    return;
  }
  AT_DISPATCH_V2(
      iter.common_dtype(), "conj_physical_musa", AT_WRAP([&] {
        at::musa::elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          return scalar_t(x.real(), -x.imag());
        });
      }),
      MUSA_ALL_COMPLEX);
}

template <typename T>
MUSA_MATH T angle_of(T x) {
  if constexpr (c10::is_complex<T>::value) {
    return T(::atan2(x.imag(), x.real()), 0);
  } else {
    return math::is_nan(x) ? x : x < 0 ? c10::pi<T> : T(0);
  }
}
MUSA_UNARY(angle, angle_of(x), kFloat, kDouble, kHalf, kBFloat16, MUSA_ALL_COMPLEX)

void round_decimals_musa(TensorIteratorBase& iter, int64_t decimals) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "round_decimals_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const bool down = decimals < 0;
        const M power = static_cast<M>(std::pow(10, std::abs(decimals)));
        at::musa::elementwise::compute(iter, [down, power] MUSA_LAMBDA(scalar_t value) -> scalar_t {
          const M x = static_cast<M>(value);
          return static_cast<scalar_t>(down ? ::nearbyint(x / power) * power : ::nearbyint(x * power) / power);
        });
      }),
      MUSA_FLOATING);
}

void bitwise_not_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "bitwise_not_musa", AT_WRAP([&] {
        at::musa::elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          if constexpr (std::is_same_v<scalar_t, bool>) {
            return !x;
          } else {
            return static_cast<scalar_t>(~x);
          }
        });
      }),
      MUSA_INTEGRAL, kBool);
}

/// Registers a kernel whose result is true or false.
#define MUSA_PREDICATE(NAME, EXPRESSION, ...)                                                               \
  void NAME##_musa(TensorIteratorBase& iter) {                                                              \
    AT_DISPATCH_V2(                                                                                         \
        iter.dtype(1), #NAME "_musa", AT_WRAP([&] {                                                         \
          at::musa::elementwise::compute(iter, [] MUSA_LAMBDA(scalar_t x) -> bool { return EXPRESSION; });  \
        }),                                                                                                 \
        __VA_ARGS__);                                                                                       \
  }                                                                                                         \
  REGISTER_PRIVATEUSE1_DISPATCH(NAME##_stub, &NAME##_musa)

template <typename T>
MUSA_MATH bool has_minus(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < T(0);
  } else {
    return std::signbit(static_cast<at::opmath_type<T>>(x));
  }
}

template <typename T>
MUSA_MATH bool is_zero(T x) {
  using M = at::opmath_type<T>;
  return static_cast<M>(x) == M(0);
}

template <typename T>
MUSA_MATH bool is_infinity(T x, int sign) {
  return static_cast<at::opmath_type<T>>(x) == sign * std::numeric_limits<at::opmath_type<T>>::infinity();
}

MUSA_PREDICATE(logical_not, is_zero(x), MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX)
MUSA_PREDICATE(signbit, has_minus(x), MUSA_INTEGRAL, kBool, MUSA_FLOATING)
MUSA_PREDICATE(isposinf, is_infinity(x, 1), MUSA_FLOATING)
MUSA_PREDICATE(isneginf, is_infinity(x, -1), MUSA_FLOATING)

/// A number in place of one that is none, or is infinite.
template <typename T>
struct Finite {
  T nan, posinf, neginf;
  MUSA_MATH T operator()(T x) const {
    if constexpr (c10::is_complex<T>::value) {
      using V = typename T::value_type;
      const Finite<V> part{nan.real(), posinf.real(), neginf.real()};
      return T(part(x.real()), part(x.imag()));
    } else {
      using M = at::opmath_type<T>;
      const M number = static_cast<M>(x);
      return math::is_nan(number) ? nan : number == std::numeric_limits<M>::infinity() ? posinf
          : number == -std::numeric_limits<M>::infinity()                              ? neginf
                                                                                       : x;
    }
  }
};

void nan_to_num_musa(
    TensorIteratorBase& iter, std::optional<double> nan, std::optional<double> posinf, std::optional<double> neginf) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "nan_to_num_musa", AT_WRAP([&] {
        using V = typename c10::scalar_value_type<scalar_t>::type;
        const auto number = [](std::optional<double> given, V otherwise) {
          return scalar_t(given.has_value() ? static_cast<V>(*given) : otherwise);
        };
        at::musa::elementwise::compute(
            iter, Finite<scalar_t>{
                      number(nan, V(0)), number(posinf, std::numeric_limits<V>::max()),
                      number(neginf, std::numeric_limits<V>::lowest())});
      }),
      MUSA_FLOATING, MUSA_COMPLEX);
}

REGISTER_PRIVATEUSE1_DISPATCH(conj_physical_stub, &conj_physical_musa)
REGISTER_PRIVATEUSE1_DISPATCH(round_decimals_stub, &round_decimals_musa)
REGISTER_PRIVATEUSE1_DISPATCH(bitwise_not_stub, &bitwise_not_musa)
REGISTER_PRIVATEUSE1_DISPATCH(nan_to_num_stub, &nan_to_num_musa)

} // namespace

} // namespace at::native
