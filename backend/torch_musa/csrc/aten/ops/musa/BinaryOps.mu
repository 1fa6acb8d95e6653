// Arithmetic of two operands. Half and bfloat16 are computed in float.

#include <ATen/native/BinaryOps.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute_binary;

void add_musa(TensorIteratorBase& iter, const Scalar& alpha) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, iter.common_dtype(), "add_musa", [&] {
    using M = at::opmath_type<scalar_t>;
    const M factor = alpha.to<M>();
    compute_binary<scalar_t>(iter, [factor] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
      return static_cast<scalar_t>(static_cast<M>(a) + factor * static_cast<M>(b));
    });
  });
}

void mul_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(kHalf, kBFloat16, kBool, kComplexHalf, iter.common_dtype(), "mul_musa", [&] {
    using M = at::opmath_type<scalar_t>;
    compute_binary<scalar_t>(iter, [] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
      return static_cast<scalar_t>(static_cast<M>(a) * static_cast<M>(b));
    });
  });
}

void div_true_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(kHalf, kBFloat16, kComplexHalf, iter.common_dtype(), "div_true_musa", [&] {
    using M = at::opmath_type<scalar_t>;
    compute_binary<scalar_t>(iter, [] MUSA_LAMBDA(scalar_t a, scalar_t b) -> scalar_t {
      return static_cast<scalar_t>(static_cast<M>(a) / static_cast<M>(b));
    });
  });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(add_stub, &add_musa)
REGISTER_PRIVATEUSE1_DISPATCH(mul_stub, &mul_musa)
REGISTER_PRIVATEUSE1_DISPATCH(div_true_stub, &div_true_musa)

} // namespace at::native
