// Products of matrices and vectors: PyTorch's checks, muBLAS's arithmetic, or muDNN's where it is used (mudnn/Functions.h).
// As on CUDA, integers are refused.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_addmm_activation_native.h>
#include <ATen/ops/addmm_native.h>
#include <ATen/ops/addmv_native.h>
#include <ATen/ops/baddbmm_native.h>
#include <ATen/ops/bmm_native.h>
#include <ATen/ops/dot_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mm_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/vdot_native.h>
#include <torch_musa/csrc/aten/musa/MUSABlas.h>
#include <torch_musa/csrc/aten/mudnn/Functions.h>

#include <algorithm>

namespace at::musa {

namespace {

/// Return whether the matrices of a batch [count, rows, columns] are row-major, in strides that muBLAS can read.
bool lies_by_rows(const Tensor& batch) {
  const int64_t rows = batch.size(1);
  const int64_t columns = batch.size(2);
  return (columns == 1 || batch.stride(2) == 1) && (rows == 1 || batch.stride(1) >= std::max<int64_t>(columns, 1));
}

/// A factor of a product, as muBLAS reads it. muBLAS is column-major: a row-major matrix is the transposed one.
struct Factor {
  Tensor kept; // a copy, where the operand lies in another way
  char operation;
  int64_t leading;
  int64_t stride;
};

/// Elements from one row to the next.
int64_t leading_of(const Tensor& batch) {
  return batch.size(1) == 1 ? std::max<int64_t>(batch.size(2), 1) : batch.stride(1);
}

Factor factor_of(const Tensor& batch) {
  const Tensor turned = batch.transpose(1, 2);
  if (!batch.is_neg() && !batch.is_conj() && lies_by_rows(batch)) {
    return {batch, 'n', leading_of(batch), batch.stride(0)};
  }
  if (!batch.is_neg() && lies_by_rows(turned)) {
    return {batch, batch.is_conj() ? 'c' : 't', leading_of(turned), batch.stride(0)};
  }
  const Tensor copy = batch.resolve_conj().resolve_neg().contiguous();
  return {copy, 'n', leading_of(copy), copy.stride(0)};
}

/// result = beta result + alpha left right, for batches of matrices; `result` is row-major.
void multiply_into_rows(
    const Tensor& result, const Tensor& left, const Tensor& right, const Scalar& beta, const Scalar& alpha) {
  const MudnnFunctions* const mudnn = mudnn_functions();
  if (mudnn && mudnn->multiply(result, left, right, beta, alpha)) {
    return;
  }
  const Factor a = factor_of(left);
  const Factor b = factor_of(right);
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, result.scalar_type(), "addmm_impl_musa", [&] {
    using M = at::opmath_type<scalar_t>;
    // muBLAS computes the transposed result, which is the product of the transposed factors in the other order.
    blas::bgemm<scalar_t>(
        b.operation, a.operation, result.size(2), result.size(1), left.size(2), alpha.to<M>(),
        b.kept.const_data_ptr<scalar_t>(), b.leading, b.stride, a.kept.const_data_ptr<scalar_t>(), a.leading, a.stride,
        beta.to<M>(), result.mutable_data_ptr<scalar_t>(), leading_of(result), result.stride(0), result.size(0));
  });
}

/// Throw CUDA's error for types that it does not multiply.
void require_product_of(ScalarType type) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, type, "addmm_impl_musa", [] {});
}

bool is_zero(const Scalar& number) {
  return number.isComplex() ? number.toComplexDouble() == 0.0 : number.toDouble() == 0.0;
}

/// out = beta self + alpha left right, for batches of matrices. `self` is expanded; where beta is 0 it is not read.
void multiply(
    const Tensor& self, const Tensor& left, const Tensor& right, const Scalar& beta, const Scalar& alpha,
    const Tensor& out) {
  require_product_of(out.scalar_type());
  if (out.numel() == 0) {
    return;
  }
  const bool adds = !is_zero(beta);
  if (left.size(2) == 0) { // a sum without terms
    adds ? void(out.copy_(self).mul_(beta)) : void(out.zero_());
    return;
  }
  if (adds && !out.is_same(self)) {
    out.copy_(self);
  }
  const Tensor turned = out.transpose(1, 2);
  if (out.is_conj() || out.is_neg() || !(lies_by_rows(out) || lies_by_rows(turned))) {
    const Tensor copy = at::empty(out.sizes(), out.options());
    if (adds) {
      copy.copy_(out);
    }
    multiply_into_rows(copy, left, right, beta, alpha);
    out.copy_(copy);
  } else if (lies_by_rows(out)) {
    multiply_into_rows(out, left, right, beta, alpha);
  } else {
    multiply_into_rows(turned, right.transpose(1, 2), left.transpose(1, 2), beta, alpha);
  }
}

/// The same for single matrices.
void multiply_matrices(
    const Tensor& self, const Tensor& left, const Tensor& right, const Scalar& beta, const Scalar& alpha,
    const Tensor& out) {
  const Tensor batch = out.unsqueeze(0);
  // where `self` is the result, it must not be copied over itself
  multiply(out.is_same(self) ? batch : self.unsqueeze(0), left.unsqueeze(0), right.unsqueeze(0), beta, alpha, batch);
}

void require_vectors(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(
      self.dim() == 1 && other.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ", other.dim(),
      "D tensors");
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), "dot : expected both vectors to have same dtype, but found ",
      self.scalar_type(), " and ", other.scalar_type());
  TORCH_CHECK(
      self.numel() == other.numel(), "inconsistent tensor size, expected tensor [", self.numel(), "] and src [",
      other.numel(), "] to have the same number of elements, but got ", self.numel(), " and ", other.numel(),
      " elements respectively");
  TORCH_CHECK(
      self.device() == other.device(), "Expected all tensors to be on the same device. Found: ", self.device(), ", ",
      other.device());
}

Tensor product_of_vectors(const Tensor& self, const Tensor& other) {
  const Tensor result = at::empty({}, self.options());
  const Tensor matrix = result.view({1, 1});
  multiply_matrices(matrix, self.unsqueeze(0), other.unsqueeze(1), 0, 1, matrix);
  return result;
}

} // namespace

TORCH_IMPL_FUNC(MusaMmOut)(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  multiply_matrices(out, self, mat2, 0, 1, out);
}

TORCH_IMPL_FUNC(MusaAddmmOut)(
    const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha,
    const Tensor& out) {
  multiply_matrices(out.is_same(self) ? self : self.expand(out.sizes()), mat1, mat2, beta, alpha, out);
}

TORCH_IMPL_FUNC(MusaAddmmActivationOut)(
    const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha, bool use_gelu,
    const Tensor& out) {
  multiply_matrices(out.is_same(self) ? self : self.expand(out.sizes()), mat1, mat2, beta, alpha, out);
  out.copy_(use_gelu ? at::gelu(out, "tanh") : at::relu(out));
}

/// Eight-bit floats times their scales: one for the whole matrix, or one for each row and column.
Tensor MusaScaledMm(
    const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
    const std::optional<Tensor>& bias, const std::optional<Tensor>& scale_result, std::optional<ScalarType> out_dtype,
    bool) {
  TORCH_CHECK(
      self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0), "_scaled_mm: cannot multiply ", self.sizes(),
      " and ", mat2.sizes());
  TORCH_CHECK(
      scale_a.scalar_type() == kFloat && scale_b.scalar_type() == kFloat, "_scaled_mm: scales must be float32, not ",
      scale_a.scalar_type(), " and ", scale_b.scalar_type());
  Tensor product = at::mm(self.to(kFloat), mat2.to(kFloat)) * scale_a * scale_b;
  if (bias.has_value() && bias->defined()) {
    product = product + bias->to(kFloat);
  }
  if (scale_result.has_value() && scale_result->defined()) {
    product = product * *scale_result;
  }
  return product.to(out_dtype.value_or(self.scalar_type()));
}

Tensor& MusaScaledMmOut(
    const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
    const std::optional<Tensor>& bias, const std::optional<Tensor>& scale_result, std::optional<ScalarType> out_dtype,
    bool fast, Tensor& out) {
  const Tensor product =
      MusaScaledMm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype.value_or(out.scalar_type()), fast);
  at::native::resize_output(out, product.sizes());
  return out.copy_(product);
}

TORCH_IMPL_FUNC(MusaBmmOut)(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  multiply(out, self, mat2, 0, 1, out);
}

TORCH_IMPL_FUNC(MusaBaddbmmOut)(
    const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta, const Scalar& alpha,
    const Tensor& out) {
  multiply(out.is_same(self) ? self : self.expand(out.sizes()), batch1, batch2, beta, alpha, out);
}

TORCH_IMPL_FUNC(MusaAddmvOut)(
    const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha,
    const Tensor& out) {
  const Tensor column = out.unsqueeze(1);
  const Tensor added = out.is_same(self) ? column : self.expand(out.sizes()).unsqueeze(1);
  multiply_matrices(added, mat, vec.unsqueeze(1), beta, alpha, column);
}

Tensor MusaDot(const Tensor& self, const Tensor& other) {
  require_vectors(self, other);
  return product_of_vectors(self, other);
}

Tensor MusaVdot(const Tensor& self, const Tensor& other) {
  require_vectors(self, other);
  return product_of_vectors(self.conj(), other);
}

} // namespace at::musa
