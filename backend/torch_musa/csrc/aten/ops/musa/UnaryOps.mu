// Functions of one operand. Half and bfloat16 are computed in float.

#include <ATen/native/UnaryOps.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;

/// Defines and registers a kernel: EXPRESSION of `x`, which has the type M that arithmetic is done in.
#define MUSA_UNARY(NAME, EXPRESSION)                                                                            \
  void NAME##_musa(TensorIteratorBase& iter) {                                                                  \
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), #NAME "_musa", [&] {                 \
      using M = at::opmath_type<scalar_t>;                                                                      \
      compute(iter, [] MUSA_LAMBDA(scalar_t value) -> scalar_t {                                                \
        const M x = static_cast<M>(value);                                                                      \
        return static_cast<scalar_t>(EXPRESSION);                                                               \
      });                                                                                                       \
    });                                                                                                         \
  }                                                                                                             \
  REGISTER_PRIVATEUSE1_DISPATCH(NAME##_stub, &NAME##_musa)

MUSA_UNARY(exp, ::exp(x))
MUSA_UNARY(log, ::log(x))
MUSA_UNARY(sqrt, ::sqrt(x))
MUSA_UNARY(rsqrt, M(1) / ::sqrt(x))
MUSA_UNARY(sigmoid, M(1) / (M(1) + ::exp(-x)))
MUSA_UNARY(tanh, ::tanh(x))
MUSA_UNARY(sin, ::sin(x))
MUSA_UNARY(cos, ::cos(x))
MUSA_UNARY(erf, ::erf(x))
MUSA_UNARY(reciprocal, M(1) / x)

} // namespace

} // namespace at::native
