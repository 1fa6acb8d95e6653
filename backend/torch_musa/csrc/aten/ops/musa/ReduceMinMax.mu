// The least or the greatest value: amin, amax, min and max of all elements. NaN is less and greater than all.

#include <ATen/native/ReduceAllOps.h>
#include <ATen/native/ReduceOps.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"

namespace at::native {

namespace {

using at::musa::reduction::Compared;
using at::musa::reduction::extreme;
using at::musa::reduction::Extreme;
using at::musa::reduction::over_dim;
using at::musa::reduction::reduce;

template <bool kMax>
void values_musa(TensorIterator& iter) {
  AT_DISPATCH_ALL_TYPES_AND3(
      kHalf, kBFloat16, kBool, iter.input_dtype(), "min_max_musa", [&] { reduce(iter, Extreme<scalar_t, kMax>()); });
}

template <bool kMax>
void all_musa(Tensor& result, const Tensor& self) {
  if (self.numel() == 0) { // asked for with a tensor for the result only
    AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, self.scalar_type(), "min_max_musa", [&] {
      result.fill_(static_cast<scalar_t>(extreme<Compared<scalar_t>, kMax>()));
    });
    return;
  }
  TensorIterator iter = over_dim(self, std::nullopt, false, {result});
  values_musa<kMax>(iter);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(min_values_stub, &values_musa<false>)
REGISTER_PRIVATEUSE1_DISPATCH(max_values_stub, &values_musa<true>)
REGISTER_PRIVATEUSE1_DISPATCH(min_all_stub, &all_musa<false>)
REGISTER_PRIVATEUSE1_DISPATCH(max_all_stub, &all_musa<true>)

} // namespace at::native
