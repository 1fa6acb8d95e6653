// Embeddings, made of indexing: the gradient of the table, and the norm of its rows.

#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/embedding_dense_backward_native.h>
#include <ATen/ops/embedding_renorm_native.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace at::musa {

namespace {

void require_index(const Tensor& indices, const char* name) {
  TORCH_CHECK(
      indices.scalar_type() == kLong || indices.scalar_type() == kInt, "Expected tensor for argument 'indices' to have one "
      "of the following scalar types: Long, Int; but got ", indices.toString(), " instead (while checking arguments for ",
      name, ")");
}

} // namespace

Tensor MusaEmbeddingDenseBackward(
    const Tensor& grad_output, const Tensor& indices, int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  require_index(indices, "embedding_dense_backward");
  const Tensor rows = indices.reshape(-1);
  const int64_t width = grad_output.size(-1);
  Tensor grad = grad_output.reshape({rows.numel(), width});
  // In half, the sum of a row that is used thousands of times would stop growing.
  const ScalarType type = grad.scalar_type();
  const Tensor result = at::zeros({num_weights, width}, grad.options().dtype(at::toOpMathType(type)));
  if (grad.numel() == 0) {
    return result.to(type);
  }
  grad = grad.to(result.scalar_type());
  if (scale_grad_by_freq) {
    const Tensor ones = at::ones_like(rows, rows.options().dtype(kFloat));
    const Tensor counts = at::zeros({num_weights}, ones.options()).index_add_(0, rows, ones);
    grad = grad / counts.index_select(0, rows).unsqueeze(1);
  }
  result.index_add_(0, rows, grad);
  if (padding_idx >= 0 && padding_idx < num_weights) {
    result.select(0, padding_idx).zero_();
  }
  return result.to(type);
}

/// Scale rows that exceed the norm. A row that is used repeatedly is written repeatedly, with the same numbers.
Tensor& MusaEmbeddingRenorm_(Tensor& self, const Tensor& indices, double max_norm, double norm_type) {
  TORCH_CHECK(self.dim() == 2, "Expected 2-dimensional tensor, but got ", self.dim(), "-dimensional tensor for argument #1 'self'");
  require_index(indices, "embedding_renorm");
  const Tensor rows = indices.reshape(-1).to(kLong);
  if (rows.numel() == 0) {
    return self;
  }
  const Tensor chosen = self.index_select(0, rows);
  const Tensor norms =
      at::linalg_vector_norm(chosen, norm_type, at::IntArrayRef(1), /*keepdim=*/true, at::toOpMathType(self.scalar_type()));
  const Tensor scaled = (chosen * (max_norm / (norms + 1e-7))).to(self.scalar_type());
  return self.index_copy_(0, rows, at::where(norms > max_norm, scaled, chosen));
}

} // namespace at::musa
