// Functions of three operands: sums of products, interpolation, choice.

#include <ATen/native/Lerp.h>
#include <ATen/native/PointwiseOps.h>
#include <ATen/native/TensorCompare.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;

void addcmul_musa(TensorIteratorBase& iter, const Scalar& value) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "addcmul_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = value.to<M>();
        compute(iter, [factor] MUSA_LAMBDA(scalar_t a, scalar_t b, scalar_t c) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(a) + factor * static_cast<M>(b) * static_cast<M>(c));
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_ALL_COMPLEX);
}

void addcdiv_musa(TensorIteratorBase& iter, const Scalar& value) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "addcdiv_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = value.to<M>();
        compute(iter, [factor] MUSA_LAMBDA(scalar_t a, scalar_t b, scalar_t c) -> scalar_t {
          return static_cast<scalar_t>(static_cast<M>(a) + factor * (static_cast<M>(b) / static_cast<M>(c)));
        });
      }),
      MUSA_FLOATING, MUSA_COMPLEX);
}

void lerp_scalar_musa(TensorIteratorBase& iter, const Scalar& number) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "lerp_scalar_musa", AT_WRAP([&] {
        const auto weight = number.to<at::opmath_type<scalar_t>>();
        compute(iter, [weight] MUSA_LAMBDA(scalar_t from, scalar_t to) -> scalar_t {
          return static_cast<scalar_t>(lerp(from, to, weight));
        });
      }),
      MUSA_FLOATING, MUSA_ALL_COMPLEX);
}

void lerp_tensor_musa(TensorIteratorBase& iter) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "lerp_tensor_musa", AT_WRAP([&] {
        compute(iter, [] MUSA_LAMBDA(scalar_t from, scalar_t to, scalar_t weight) -> scalar_t {
          return static_cast<scalar_t>(lerp(from, to, weight));
        });
      }),
      MUSA_FLOATING, MUSA_ALL_COMPLEX);
}

void where_musa(TensorIterator& iter) {
  AT_DISPATCH_V2(
      iter.dtype(), "where_musa", AT_WRAP([&] {
        compute(iter, [] MUSA_LAMBDA(bool condition, scalar_t yes, scalar_t no) -> scalar_t {
          return condition ? yes : no;
        });
      }),
      MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_ALL_COMPLEX);
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(addcmul_stub, &addcmul_musa)
REGISTER_PRIVATEUSE1_DISPATCH(addcdiv_stub, &addcdiv_musa)
REGISTER_PRIVATEUSE1_DISPATCH(lerp_kernel_scalar_weight, &lerp_scalar_musa)
REGISTER_PRIVATEUSE1_DISPATCH(lerp_kernel_tensor_weight, &lerp_tensor_musa)
REGISTER_PRIVATEUSE1_DISPATCH(where_kernel, &where_musa)

} // namespace at::native
