// 6.3.2 and 6.3.3: computation by other operators, and by a loop over the rows.

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/utils/pybind.h>

namespace at::musa {

namespace {

Tensor distance(const Tensor& self) {
  const auto options = self.options().dtype(at::kLong);
  // a sum of negative numbers: this library's subtraction is for float alone
  return at::arange(self.size(-1), options) + at::arange(0, -self.size(-2), -1, options).unsqueeze(1);
}

} // namespace

TORCH_IMPL_FUNC(MusaTril)(const Tensor& self, int64_t k, const Tensor& result) {
  result.copy_(at::where(distance(self) <= k, self, at::zeros_like(self)));
}

TORCH_PRECOMPUTE_META_FUNC(triu)(const Tensor& self, int64_t diagonal) {
  TORCH_CHECK(self.dim() >= 2, "triu: input tensor must have at least 2 dimensions");
  ++checks();
  set_output_raw_strided(0, self.sizes(), {}, self.options());
  return TORCH_PRECOMPUTE_STRUCT(triu)().set_var(diagonal - 1);
}

TORCH_IMPL_FUNC(MusaTriu)(const Tensor& self, int64_t var, const Tensor& result) {
  result.copy_(at::where(distance(self) > var, self, at::zeros_like(self)));
}

} // namespace at::musa

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("checks", [] { return at::musa::MyMetaBase::checks(); });
}
