// Sums: sum, nansum, mean. Half and bfloat16 are added in float.

#include <ATen/native/ReduceOps.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

namespace at::native {

namespace {

using at::musa::reduction::add_line;
using at::musa::reduction::is_nan;
using at::musa::reduction::kLanes;
using at::musa::reduction::merge_lanes;
using at::musa::reduction::reduce;

template <typename T>
struct SumBase {
  using In = T;
  using Acc = std::conditional_t<std::is_same_v<T, bool>, int, at::musa::reduction::Math<T>>;
  MUSA_REDUCTION Acc identity() const {
    return Acc(0);
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    acc += static_cast<Acc>(value);
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    acc += other;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc);
  }
};

template <typename T>
struct Sum : SumBase<T> {};

/// Complex numbers beside each other are added as what they consist of: real and imaginary parts in turn.
template <typename T>
struct Sum<c10::complex<T>> : SumBase<c10::complex<T>> {
  MUSA_REDUCTION void add_own_line(
      c10::complex<T>& acc, const c10::complex<T>* line, int64_t, int64_t count) const {
    T lanes[kLanes] = {};
    int64_t k = add_line(Sum<T>(), lanes, reinterpret_cast<const char*>(line), sizeof(T), 0, 2 * count) / 2;
    merge_lanes<2>(Sum<T>(), lanes);
    for (; k < count; ++k) {
      acc += line[k];
    }
    acc += c10::complex<T>(lanes[0], lanes[1]);
  }
};

/// The sum of all but NaN.
template <typename T>
struct NanSum : SumBase<T> {
  using typename SumBase<T>::Acc;
  MUSA_REDUCTION void add(Acc& acc, T value, int64_t) const {
    const Acc number = static_cast<Acc>(value);
    acc += is_nan(number) ? Acc(0) : number;
  }
};

template <typename T>
struct Mean : Sum<T> {
  using typename Sum<T>::Acc;
  Acc count;
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc / count);
  }
};

void sum_musa(TensorIterator& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kHalf, kBFloat16, kBool, iter.input_dtype(), "sum_musa", [&] { reduce(iter, Sum<scalar_t>()); });
}

void nansum_musa(TensorIterator& iter) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.input_dtype(), "nansum_musa", [&] { reduce(iter, NanSum<scalar_t>()); });
}

void mean_musa(TensorIterator& iter) {
  const double count = static_cast<double>(iter.num_output_elements() ? iter.numel() / iter.num_output_elements() : 0);
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, iter.input_dtype(), "mean_musa", [&] {
    Mean<scalar_t> op;
    op.count = static_cast<typename Mean<scalar_t>::Acc>(count);
    reduce(iter, op);
  });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(sum_stub, &sum_musa)
REGISTER_PRIVATEUSE1_DISPATCH(nansum_stub, &nansum_musa)
REGISTER_PRIVATEUSE1_DISPATCH(mean_stub, &mean_musa)

} // namespace at::native
