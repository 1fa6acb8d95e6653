// The parts of attention that are composed of other operators.

#include <ATen/SDPBackend.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>

#include <cmath>
#include <optional>
#include <tuple>

namespace at::musa {

namespace {

/// The kinds of masks of _masked_softmax: of query and key, of key alone, or of everything.
constexpr int64_t kOfQueryAndKey = 0, kOfKey = 1, kOfAll = 2;

/// Return a mask that expands to `self`, whose dimensions are batch, head, query and key; true masks an element.
Tensor expandable(const Tensor& mask, const Tensor& self, std::optional<int64_t> kind) {
  TORCH_CHECK(mask.scalar_type() == kBool, "Mask should be a boolean tensor");
  if (!kind.has_value()) {
    return mask;
  }
  TORCH_CHECK(
      *kind == kOfQueryAndKey || *kind == kOfKey || *kind == kOfAll,
      "Mask Type should be 0 (src_mask), 1 (src_key_padding_mask), or 2 (default_mask)");
  if (*kind == kOfAll) {
    return mask;
  }
  TORCH_CHECK(self.dim() == 4, "_masked_softmax expects four dimensions for this mask_type, got ", self.dim());
  return *kind == kOfKey ? mask.view({self.size(0), 1, 1, self.size(3)}) : mask.view({1, 1, self.size(2), self.size(3)});
}

} // namespace

Tensor MusaMaskedSoftmax(
    const Tensor& self, const Tensor& mask, std::optional<int64_t> dim, std::optional<int64_t> kind) {
  const Tensor kept = self.masked_fill(expandable(mask, self, kind), -INFINITY);
  // Fully masked rows are NaN, as on the CPU.
  return at::_softmax(kept, dim.value_or(self.dim() - 1), /*half_to_float=*/false);
}

Tensor MusaMaskedSoftmaxBackward(
    const Tensor& grad, const Tensor& output, const Tensor& mask, std::optional<int64_t> dim) {
  const Tensor inner =
      at::_softmax_backward_data(grad, output, dim.value_or(output.dim() - 1), output.scalar_type());
  return inner.masked_fill(mask, 0);
}

/// Always choose products and a softmax: there are no fused kernels.
int64_t MusaFusedSdpChoice(
    const Tensor&, const Tensor&, const Tensor&, const std::optional<Tensor>&, double, bool, std::optional<double>,
    bool) {
  return static_cast<int64_t>(SDPBackend::math);
}

/// Split one product, [batch, length, 3 * heads * each], into query, key and value, [batch, heads, length, each].
std::tuple<Tensor, Tensor, Tensor> MusaTransformBiasRescaleQkv(
    const Tensor& qkv, const Tensor& bias, int64_t heads) {
  TORCH_CHECK(qkv.dim() == 3, "_transform_bias_rescale_qkv expects three dimensions, got ", qkv.dim());
  const int64_t width = qkv.size(2) / 3;
  TORCH_CHECK(width % heads == 0, "the embedding of ", width, " does not divide by ", heads, " heads");
  const int64_t each = width / heads;
  const Tensor parts = (qkv + bias).view({qkv.size(0), qkv.size(1), 3, heads, each}).permute({2, 0, 3, 1, 4});
  return {
      (parts[0] / std::sqrt(static_cast<double>(each))).contiguous(), parts[1].contiguous(), parts[2].contiguous()};
}

} // namespace at::musa
