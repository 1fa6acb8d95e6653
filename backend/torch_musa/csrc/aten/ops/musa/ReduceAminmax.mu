// The least and the greatest value at once: aminmax. NaN is less and greater than all.

#include <ATen/native/ReduceOps.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

namespace at::native {

namespace {

using at::musa::reduction::better;
using at::musa::reduction::Compared;
using at::musa::reduction::extreme;
using at::musa::reduction::over_dim;
using at::musa::reduction::reduce;

template <typename A>
struct Range {
  A least;
  A greatest;
};

template <typename T>
struct Extremes {
  using In = T;
  using Acc = Range<Compared<T>>;
  MUSA_REDUCTION Acc identity() const {
    return {extreme<Compared<T>, false>(), extreme<Compared<T>, true>()};
  }
  MUSA_REDUCTION void add(Acc& acc, In value, int64_t) const {
    const auto number = static_cast<Compared<T>>(value);
    merge(acc, {number, number});
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    acc.least = better<Compared<T>, false>(acc.least, other.least);
    acc.greatest = better<Compared<T>, true>(acc.greatest, other.greatest);
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<T*>(results[0]) = static_cast<T>(acc.least);
    *reinterpret_cast<T*>(results[1]) = static_cast<T>(acc.greatest);
  }
};

void extremes(TensorIterator iter) {
  AT_DISPATCH_ALL_TYPES_AND3(
      kHalf, kBFloat16, kBool, iter.input_dtype(), "aminmax_musa", [&] { reduce(iter, Extremes<scalar_t>()); });
}

void aminmax_musa(const Tensor& self, int64_t dim, bool keepdim, Tensor& least, Tensor& greatest) {
  extremes(over_dim(self, dim, keepdim, {least, greatest}));
}

void aminmax_all_musa(const Tensor& self, Tensor& least, Tensor& greatest) {
  extremes(over_dim(self, std::nullopt, false, {least, greatest}));
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(aminmax_stub, &aminmax_musa)
REGISTER_PRIVATEUSE1_DISPATCH(aminmax_allreduce_stub, &aminmax_all_musa)

} // namespace at::native
