// The parts of batch normalisation that torch.nn.SyncBatchNorm puts together over several ranks. PyTorch has kernels for
// CUDA alone. Statistics are float32 for 16-bit inputs, as there.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/rsqrt.h>
#include <c10/core/ScalarType.h>
#include <torch/library.h>

#include <optional>
#include <tuple>
#include <vector>

namespace at::musa {

namespace {

at::ScalarType accumulated(at::ScalarType type) {
  return c10::isReducedFloatingType(type) ? at::kFloat : type;
}

/// All dimensions but the channels'.
std::vector<int64_t> reduced_dims(const at::Tensor& input) {
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < input.dim(); ++dim) {
    if (dim != 1) {
      dims.push_back(dim);
    }
  }
  return dims;
}

/// One value a channel, shaped to be broadcast over `input`, in the type of the statistics.
at::Tensor per_channel(const at::Tensor& values, const at::Tensor& input) {
  std::vector<int64_t> sizes(input.dim(), 1);
  sizes[1] = -1;
  return values.to(accumulated(input.scalar_type())).reshape(sizes);
}

bool given(const std::optional<at::Tensor>& tensor) {
  return tensor && tensor->defined();
}

std::tuple<at::Tensor, at::Tensor> stats(const at::Tensor& input, double eps) {
  const at::Tensor values = input.to(accumulated(input.scalar_type()));
  const std::vector<int64_t> dims = reduced_dims(input);
  return {values.mean(dims), at::rsqrt(values.var(dims, /*unbiased=*/false) + eps)};
}

at::Tensor normalize(
    const at::Tensor& input,
    const std::optional<at::Tensor>& weight,
    const std::optional<at::Tensor>& bias,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    double /*eps*/) {
  at::Tensor result = (input - per_channel(mean, input)) * per_channel(invstd, input);
  if (given(weight)) {
    result = result * per_channel(*weight, input);
  }
  if (given(bias)) {
    result = result + per_channel(*bias, input);
  }
  return result.to(input.scalar_type());
}

at::Tensor& normalize_out(
    const at::Tensor& input,
    const std::optional<at::Tensor>& weight,
    const std::optional<at::Tensor>& bias,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    double eps,
    at::Tensor& out) {
  const at::Tensor result = normalize(input, weight, bias, mean, invstd, eps);
  out.resize_(result.sizes());
  return out.copy_(result);
}

void update(const std::optional<at::Tensor>& running, const at::Tensor& now, double momentum) {
  if (given(running)) {
    running->mul_(1 - momentum).add_(now.to(running->scalar_type()), momentum);
  }
}

/// `mean` and `invstd` have a row, and `counts` an entry, for each rank.
std::tuple<at::Tensor, at::Tensor> common_stats(
    const at::Tensor& /*input*/,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    const std::optional<at::Tensor>& running_mean,
    const std::optional<at::Tensor>& running_var,
    double momentum,
    double eps,
    const at::Tensor& counts) {
  const at::Tensor weights = counts.to(mean.scalar_type()).reshape({-1, 1});
  const at::Tensor count = weights.sum();
  const at::Tensor all_mean = (mean * weights).sum(0) / count;
  const at::Tensor variances = invstd.pow(-2) - eps;
  // The sum of squares around the common mean: each rank's around its own mean, plus the squared distances of the
  // means.
  const at::Tensor squares = ((variances + (mean - all_mean).square()) * weights).sum(0);
  update(running_mean, all_mean, momentum);
  update(running_var, squares / (count - 1), momentum);
  return {all_mean, at::rsqrt(squares / count + eps)};
}

std::tuple<at::Tensor, at::Tensor> common_stats_of_equal_counts(
    const at::Tensor& input,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    const std::optional<at::Tensor>& running_mean,
    const std::optional<at::Tensor>& running_var,
    double momentum,
    double eps,
    int64_t count) {
  const at::Tensor counts = mean.new_empty({mean.size(0)}).fill_(count);
  return common_stats(
      input, mean, invstd, running_mean, running_var, momentum, eps, counts);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> backward_sums(
    const at::Tensor& gradient,
    const at::Tensor& input,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    const std::optional<at::Tensor>& weight,
    bool wants_input,
    bool wants_weight,
    bool wants_bias) {
  const std::vector<int64_t> dims = reduced_dims(input);
  const at::Tensor values = gradient.to(accumulated(input.scalar_type()));
  const at::Tensor sum = values.sum(dims);
  const at::Tensor sum_of_products = (values * (input - per_channel(mean, input))).sum(dims);
  const at::ScalarType type = given(weight) ? weight->scalar_type() : input.scalar_type();
  return {
      wants_input ? sum : at::Tensor(),
      wants_input ? sum_of_products : at::Tensor(),
      wants_weight ? (sum_of_products * invstd).to(type) : at::Tensor(),
      wants_bias ? sum.to(type) : at::Tensor()};
}

at::Tensor backward(
    const at::Tensor& gradient,
    const at::Tensor& input,
    const at::Tensor& mean,
    const at::Tensor& invstd,
    const std::optional<at::Tensor>& weight,
    const at::Tensor& sum,
    const at::Tensor& sum_of_products,
    const at::Tensor& counts) {
  const at::Tensor scale = per_channel(invstd, input);
  const at::Tensor count = counts.sum().to(accumulated(input.scalar_type()));
  const at::Tensor slope = per_channel(sum_of_products, input) / count * scale.square();
  at::Tensor result =
      (gradient - per_channel(sum, input) / count - (input - per_channel(mean, input)) * slope) * scale;
  if (given(weight)) {
    result = result * per_channel(*weight, input);
  }
  return result.to(input.scalar_type());
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("batch_norm_stats", stats);
  m.impl("batch_norm_elemt", normalize);
  m.impl("batch_norm_elemt.out", normalize_out);
  m.impl("batch_norm_gather_stats", common_stats_of_equal_counts);
  m.impl("batch_norm_gather_stats_with_counts", common_stats);
  m.impl("batch_norm_backward_reduce", backward_sums);
  m.impl("batch_norm_backward_elemt", backward);
}

} // namespace at::musa
