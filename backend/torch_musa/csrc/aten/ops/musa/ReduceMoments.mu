// Moments and norms: var, std, var_mean, std_mean, linalg_vector_norm. Half and bfloat16 are computed in float.

#include <ATen/native/ReduceOps.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

#include <cmath>

namespace at::native {

namespace {

using at::musa::reduction::Math;
using at::musa::reduction::reduce;

template <typename A>
struct Moments {
  A mean;
  A squares; // sum of the squared distances from the mean
  A count;
};

/// Welford's algorithm. The results are the variance or its root and, if there is a second one, the mean.
template <typename T>
struct Variance {
  using In = T;
  using Acc = Moments<Math<T>>;
  double correction;
  bool root;
  bool with_mean;
  MUSA_REDUCTION Acc identity() const {
    return {0, 0, 0};
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    const Math<T> number = static_cast<Math<T>>(value);
    const Math<T> distance = number - acc.mean;
    acc.count += 1;
    acc.mean += distance / acc.count;
    acc.squares += distance * (number - acc.mean);
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    if (other.count == 0) {
      return;
    }
    const Math<T> count = acc.count + other.count;
    const Math<T> distance = other.mean - acc.mean;
    const Math<T> share = other.count / count;
    acc.squares += other.squares + distance * distance * acc.count * share;
    acc.mean += distance * share;
    acc.count = count;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    const double degrees = static_cast<double>(acc.count) - correction;
    const Math<T> variance = acc.squares / static_cast<Math<T>>(degrees > 0 ? degrees : 0);
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(root ? ::sqrt(variance) : variance);
    if (with_mean) {
      *reinterpret_cast<T*>(results[1]) = static_cast<T>(acc.mean);
    }
  }
};

void std_var_musa(TensorIterator& iter, double correction, bool take_sqrt) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.input_dtype(), "std_var_musa", [&] {
    reduce(iter, Variance<scalar_t>{correction, take_sqrt, iter.noutputs() == 2});
  });
}

enum class Order { kZero, kOne, kTwo, kInfinity, kMinusInfinity, kOther };

template <typename T, Order kOrder>
struct Norm {
  using In = T;
  using Acc = typename c10::scalar_value_type<Math<T>>::type;
  using Out = typename c10::scalar_value_type<T>::type;
  Acc order;
  MUSA_REDUCTION Acc identity() const {
    return kOrder == Order::kMinusInfinity ? std::numeric_limits<Acc>::infinity() : Acc(0);
  }
  MUSA_REDUCTION static Acc magnitude(In value) {
    if constexpr (c10::is_complex<T>::value) {
      return ::hypot(value.real(), value.imag());
    } else {
      return ::fabs(static_cast<Acc>(value));
    }
  }
  MUSA_REDUCTION static Acc square(In value) {
    if constexpr (c10::is_complex<T>::value) {
      return value.real() * value.real() + value.imag() * value.imag();
    } else {
      return static_cast<Acc>(value) * static_cast<Acc>(value);
    }
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    if constexpr (kOrder == Order::kZero) {
      merge(acc, magnitude(value) == Acc(0) ? Acc(0) : Acc(1));
    } else if constexpr (kOrder == Order::kTwo) {
      merge(acc, square(value));
    } else if constexpr (kOrder == Order::kOther) {
      merge(acc, ::pow(magnitude(value), order));
    } else {
      merge(acc, magnitude(value));
    }
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    if constexpr (kOrder == Order::kInfinity) {
      acc = other > acc || other != other ? other : acc;
    } else if constexpr (kOrder == Order::kMinusInfinity) {
      acc = other < acc || other != other ? other : acc;
    } else {
      acc += other;
    }
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    Acc norm = acc;
    if constexpr (kOrder == Order::kTwo) {
      norm = ::sqrt(acc);
    } else if constexpr (kOrder == Order::kOther) {
      norm = ::pow(acc, Acc(1) / order);
    }
    *reinterpret_cast<Out*>(results[0]) = static_cast<Out>(norm);
  }
};

template <typename T>
void norm(TensorIterator& iter, double order) {
  using A = typename Norm<T, Order::kOther>::Acc;
  if (order == 0) {
    reduce(iter, Norm<T, Order::kZero>{});
  } else if (order == 1) {
    reduce(iter, Norm<T, Order::kOne>{});
  } else if (order == 2) {
    reduce(iter, Norm<T, Order::kTwo>{});
  } else if (order == std::numeric_limits<double>::infinity()) {
    reduce(iter, Norm<T, Order::kInfinity>{});
  } else if (order == -std::numeric_limits<double>::infinity()) {
    reduce(iter, Norm<T, Order::kMinusInfinity>{});
  } else {
    reduce(iter, Norm<T, Order::kOther>{static_cast<A>(order)});
  }
}

void norm_musa(TensorIterator& iter, const Scalar& order) {
  if (iter.numel() == 0) { // PyTorch refuses the orders for which nothing has no norm
    iter.output().fill_(0);
    return;
  }
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.input_dtype(), "norm_musa", [&] { norm<scalar_t>(iter, order.to<double>()); });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(std_var_stub, &std_var_musa)
REGISTER_PRIVATEUSE1_DISPATCH(norm_stub, &norm_musa)

} // namespace at::native
