// Matrix products whose result has another type (torch.mm(a, b, out_dtype=torch.float32)): PyTorch has no CPU kernel for them.
//
// Operators that an older PyTorch lacks are registered too: such a registration is never called.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>
#include <torch/library.h>

namespace at::musa {

namespace {

using BinaryProduct = at::Tensor (*)(const at::Tensor&, const at::Tensor&);
using AddedProduct =
    at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Scalar&, const at::Scalar&);

void check_type(const at::Tensor& factor, at::ScalarType result) {
  const at::ScalarType own = factor.scalar_type();
  TORCH_CHECK(
      result == own || (result == at::kFloat && (own == at::kHalf || own == at::kBFloat16)),
      "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
}

template <BinaryProduct product>
at::Tensor product_in(const at::Tensor& a, const at::Tensor& b, at::ScalarType type) {
  check_type(a, type);
  TORCH_CHECK(
      a.scalar_type() == b.scalar_type(), "expected both matrices to have the same dtype, but got ", a.scalar_type(),
      " and ", b.scalar_type());
  return product(a.to(type), b.to(type));
}

template <AddedProduct product>
at::Tensor added_product_in(
    const at::Tensor& added,
    const at::Tensor& a,
    const at::Tensor& b,
    at::ScalarType type,
    const at::Scalar& beta,
    const at::Scalar& alpha) {
  check_type(a, type);
  TORCH_CHECK(
      added.scalar_type() == type || added.scalar_type() == a.scalar_type(),
      "self dtype must match either out_dtype or mat1 dtype");
  TORCH_CHECK(
      a.scalar_type() == b.scalar_type(), "expected both matrices to have the same dtype, but got ", a.scalar_type(),
      " and ", b.scalar_type());
  return product(added.to(type), a.to(type), b.to(type), beta, alpha);
}

at::Tensor& filled(at::Tensor& out, const at::Tensor& result) {
  TORCH_CHECK(
      out.scalar_type() == result.scalar_type(), "out must have the dtype of out_dtype, ", result.scalar_type(),
      ", but has ", out.scalar_type());
  return out.resize_(result.sizes()).copy_(result);
}

template <BinaryProduct product>
at::Tensor& product_out(const at::Tensor& a, const at::Tensor& b, at::ScalarType type, at::Tensor& out) {
  return filled(out, product_in<product>(a, b, type));
}

template <AddedProduct product>
at::Tensor& added_product_out(
    const at::Tensor& added,
    const at::Tensor& a,
    const at::Tensor& b,
    at::ScalarType type,
    const at::Scalar& beta,
    const at::Scalar& alpha,
    at::Tensor& out) {
  return filled(out, added_product_in<product>(added, a, b, type, beta, alpha));
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("mm.dtype", product_in<at::mm>);
  m.impl("mm.dtype_out", product_out<at::mm>);
  m.impl("bmm.dtype", product_in<at::bmm>);
  m.impl("bmm.dtype_out", product_out<at::bmm>);
  m.impl("addmm.dtype", added_product_in<at::addmm>);
  m.impl("addmm.dtype_out", added_product_out<at::addmm>);
  m.impl("baddbmm.dtype", added_product_in<at::baddbmm>);
  m.impl("baddbmm.dtype_out", added_product_out<at::baddbmm>);
}

} // namespace at::musa
