// Dropout: the CPU kernel takes no generator and would draw from the CPU's numbers.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bernoulli.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones_like.h>
#include <torch/library.h>

#include <tuple>

namespace at::musa {

namespace {

/// Return (input with a share `probability` of its elements set to 0 and the rest scaled up, mask of the kept
/// elements).
std::tuple<at::Tensor, at::Tensor> native_dropout(
    const at::Tensor& input,
    double probability,
    std::optional<bool> train) {
  if (!train.value_or(true)) {
    return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
  }
  at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool));
  mask.bernoulli_(1 - probability);
  double scale = probability == 1 ? 0.0 : 1 / (1 - probability);
  return {input * mask * scale, mask};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("native_dropout", native_dropout);
}

} // namespace at::musa
