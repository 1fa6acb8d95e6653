// Gradients of losses. Half and bfloat16 are computed in float.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/PointwiseOps.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

constexpr int kGradient = 2; // often one number, the mean's gradient

template <typename F>
void compute(TensorIteratorBase& iter, const F& f) {
  at::musa::elementwise::compute<kGradient>(iter, f);
}
namespace math = at::musa::math;

void mse_backward_musa(TensorIterator& iter, const Scalar& value) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "mse_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = value.to<M>();
        compute(iter, [factor] MUSA_LAMBDA(scalar_t x_, scalar_t target_, scalar_t g_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M target = static_cast<M>(target_);
          const M g = static_cast<M>(g_);
          return static_cast<scalar_t>(factor * (x - target) * g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(mse_backward_stub, &mse_backward_musa)

/// -1 below -limit, 1 above limit, and linear between.
template <typename T>
MUSA_MATH T slope_within(T x, T limit) {
  return x <= -limit ? T(-1) : x >= limit ? T(1) : x / limit;
}

void smooth_l1_backward_musa(TensorIterator& iter, const Scalar& norm, double beta) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "smooth_l1_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = norm.to<M>();
        const M limit = static_cast<M>(beta);
        compute(iter, [factor, limit] MUSA_LAMBDA(scalar_t x_, scalar_t target_, scalar_t g_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M target = static_cast<M>(target_);
          const M g = static_cast<M>(g_);
          return static_cast<scalar_t>(slope_within(x - target, limit) * factor * g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(smooth_l1_backward_stub, &smooth_l1_backward_musa)

void huber_backward_musa(TensorIterator& iter, const Scalar& norm, double delta) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "huber_backward_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M factor = norm.to<M>();
        const M limit = static_cast<M>(delta);
        compute(iter, [factor, limit] MUSA_LAMBDA(scalar_t x_, scalar_t target_, scalar_t g_) -> scalar_t {
          const M x = static_cast<M>(x_);
          const M target = static_cast<M>(target_);
          const M g = static_cast<M>(g_);
          return static_cast<scalar_t>((x - target < -limit ? -limit : x - target > limit ? limit : x - target) * factor * g);
        });
      }),
      MUSA_FLOATING);
}
REGISTER_PRIVATEUSE1_DISPATCH(huber_backward_stub, &huber_backward_musa)

} // namespace

} // namespace at::native
