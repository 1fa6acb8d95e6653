// Logarithms of sums of exponentials, the next number, and a number's parts.

#include <ATen/native/UnaryOps.h>

#include "torch_musa/csrc/aten/ops/musa/Binary.muh"

namespace at::native {

namespace {

namespace math = at::musa::math;

/// The logarithm of 1 + exp(x), whose base is e or 2.
template <bool kBinary, typename T>
MUSA_MATH T log_of_one_more(T x) {
  if constexpr (kBinary) {
    return ::log2(T(1) + ::exp2(x));
  } else {
    return math::log1p(math::exp(x));
  }
}

template <bool kBinary, typename T>
MUSA_MATH T log_add_exp(T a, T b) {
  if (::isinf(a) && a == b) {
    return a;
  }
  return (a > b ? a : b) + log_of_one_more<kBinary>(-::fabs(a - b));
}

/// As PyTorch has it: the operand with the larger real part is taken out of the sum.
template <bool kBinary, typename T>
MUSA_MATH c10::complex<T> log_add_exp(c10::complex<T> a, c10::complex<T> b) {
  if (math::is_nan(a.real()) || math::is_nan(a.imag()) || math::is_nan(b.real()) || math::is_nan(b.imag())) {
    constexpr T kNone = std::numeric_limits<T>::quiet_NaN();
    return {kNone, kNone};
  }
  const auto low = a.real() < b.real() ? a : b;
  const auto high = a.real() < b.real() ? b : a;
  if (!::isfinite(low.real()) && low.real() == high.real()) {
    if (low.real() < 0) {
      return low; // minus infinity
    }
    return std::log(std::exp(low) + std::exp(high));
  }
  return high + log_of_one_more<false>(low - high);
}

MUSA_BINARY(logaddexp, compute_tensors, scalar_t, (log_add_exp<false>(a, b)), MUSA_FLOATING, MUSA_COMPLEX)
MUSA_BINARY(logaddexp2, compute_tensors, scalar_t, (log_add_exp<true>(a, b)), MUSA_FLOATING)

/// The neighbour of `a` in the direction of `b`. Those of half and bfloat16 differ from `a` by one in their bits.
template <typename T>
MUSA_MATH T neighbour(T a, T b) {
  if constexpr (sizeof(T) > 2) {
    return ::nextafter(a, b);
  } else {
    const float from = static_cast<float>(a);
    const float to = static_cast<float>(b);
    if (from != from || to != to) {
      return static_cast<T>(from + to);
    }
    if (from == to) {
      return b;
    }
    if (from == 0) {
      return T(static_cast<unsigned short>(to < 0 ? 0x8001 : 1), T::from_bits());
    }
    const bool away_from_zero = (from < to) == (from > 0);
    return T(static_cast<unsigned short>(away_from_zero ? a.x + 1 : a.x - 1), T::from_bits());
  }
}

void nextafter_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "nextafter_musa", AT_WRAP([&] {
        at::musa::elementwise::compute(
            iter, [] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t { return neighbour(a, b); });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(nextafter_stub, &nextafter_musa)

/// Two results, each with a kernel of its own. What is exact in float is exact in double.
void frexp_musa(TensorIteratorBase& iter) {
  const auto part = [&](int result) {
    TensorIteratorConfig config;
    config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
    config.add_owned_output(iter.tensor(result)).add_owned_const_input(iter.tensor(2));
    return config.build();
  };
  TensorIterator mantissa = part(0);
  TensorIterator exponent = part(1);
  AT_DISPATCH_V2(
      iter.dtype(0), "frexp_musa", AT_WRAP([&] {
        at::musa::elementwise::compute(mantissa, [] MUSA_LAMBDA(scalar_t x) -> scalar_t {
          int power = 0;
          return static_cast<scalar_t>(::frexp(static_cast<double>(x), &power));
        });
        at::musa::elementwise::compute(exponent, [] MUSA_LAMBDA(scalar_t x) -> int32_t {
          int power = 0;
          ::frexp(static_cast<double>(x), &power);
          return power;
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(frexp_stub, &frexp_musa)

} // namespace

} // namespace at::native
