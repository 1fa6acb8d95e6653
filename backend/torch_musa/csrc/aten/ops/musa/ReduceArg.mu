// Where the least or greatest element is: argmin, argmax, min and max of a dimension. The first of equal ones wins, and
// NaN wins over numbers.

#include <ATen/native/ReduceOps.h>
#include <ATen/native/TensorCompare.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

namespace at::native {

namespace {

using at::musa::reduction::add_line;
using at::musa::reduction::Compared;
using at::musa::reduction::extreme;
using at::musa::reduction::Extreme;
using at::musa::reduction::is_nan;
using at::musa::reduction::kLanes;
using at::musa::reduction::merge_lanes;
using at::musa::reduction::over_dim;
using at::musa::reduction::reduce;

template <typename A>
struct Found {
  A value;
  int64_t index;
};

enum class Wants { kIndex, kValueAndIndex };

template <typename T, bool kMax, Wants kWants>
struct ArgExtreme {
  using In = T;
  using Number = Compared<T>;
  using Acc = Found<Number>;
  MUSA_REDUCTION Acc identity() const { // the index says that nothing has won against the worst value
    return {extreme<Number, kMax>(), -1};
  }
  MUSA_REDUCTION static bool wins(Number value, Number over) { // a NaN compares as false
    return !(kMax ? value <= over : value >= over) && !is_nan(over);
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t index) const { // indices only grow
    const Number number = static_cast<Number>(value);
    const bool takes = wins(number, acc.value);
    acc.value = takes ? number : acc.value;
    acc.index = takes ? index : acc.index;
  }
  /// Finds the value first, and then where it is: both become vector instructions, which one pass does not.
  MUSA_REDUCTION void add_own_line(Acc& acc, const T* line, int64_t index, int64_t count) const {
    if (count < kLanes) {
      for (int64_t i = 0; i < count; ++i) {
        add(acc, line[i], index + i);
      }
      return;
    }
    const Extreme<T, kMax> values;
    Number lanes[kLanes];
    for (Number& lane : lanes) {
      lane = acc.value;
    }
    int64_t k = add_line(values, lanes, reinterpret_cast<const char*>(line), sizeof(T), 0, count);
    for (; k < count; ++k) {
      values.add(lanes[0], line[k], 0);
    }
    merge_lanes<1>(values, lanes);
    const Number best = lanes[0];
    if (!wins(best, acc.value)) {
      return;
    }
    for (int64_t first = 0;; first += kLanes) {
      const int width = static_cast<int>(::min(static_cast<int64_t>(kLanes), count - first));
      int is_there = 0;
      for (int j = 0; j < width; ++j) {
        is_there |= is_best(line[first + j], best);
      }
      if (is_there) {
        int at = 0;
        while (!is_best(line[first + at], best)) {
          ++at;
        }
        acc = {static_cast<Number>(line[first + at]), index + first + at}; // of zeros, with its sign
        return;
      }
    }
  }
  MUSA_REDUCTION static int is_best(T value, Number best) {
    const Number number = static_cast<Number>(value);
    return number == best || (is_nan(number) && is_nan(best));
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    if (other.index < 0) {
      return;
    }
    const bool loses = acc.index >= 0 && wins(acc.value, other.value);
    const bool takes = acc.index < 0 || wins(other.value, acc.value) || (!loses && other.index < acc.index);
    acc = takes ? other : acc;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    if constexpr (kWants == Wants::kValueAndIndex) {
      *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc.value);
    }
    // if nothing has won, all elements are the worst value, and the first of them is the first of all
    *reinterpret_cast<int64_t*>(results[kWants == Wants::kValueAndIndex]) = acc.index < 0 ? 0 : acc.index;
  }
};

template <bool kMax>
void arg_musa(TensorIterator& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.input_dtype(), "arg_musa", [&] {
    reduce(iter, ArgExtreme<scalar_t, kMax, Wants::kIndex>());
  });
}

template <bool kMax>
void of_dim_musa(const Tensor& values, const Tensor& indices, const Tensor& self, int64_t dim, bool keepdim) {
  TensorIterator iter = over_dim(self, dim, keepdim, {values, indices});
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, iter.input_dtype(), "min_max_dim_musa", [&] {
    reduce(iter, ArgExtreme<scalar_t, kMax, Wants::kValueAndIndex>());
  });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(argmin_stub, &arg_musa<false>)
REGISTER_PRIVATEUSE1_DISPATCH(argmax_stub, &arg_musa<true>)
REGISTER_PRIVATEUSE1_DISPATCH(min_stub, &of_dim_musa<false>)
REGISTER_PRIVATEUSE1_DISPATCH(max_stub, &of_dim_musa<true>)

} // namespace at::native
