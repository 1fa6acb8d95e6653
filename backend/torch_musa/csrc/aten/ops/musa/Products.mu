// Elements of outer and cross products, factors that limit norms, membership, and the gradient of unfold.

#include <ATen/native/Cross.h>
#include <ATen/native/LinearAlgebra.h>
#include <ATen/native/Normalization.h>
#include <ATen/native/TensorCompare.h>
#include <ATen/native/UnfoldBackward.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::native {

namespace {

using at::musa::elementwise::compute;

void addr_musa(TensorIterator& iter, const Scalar& beta, const Scalar& alpha) {
  if (iter.dtype() == kBool) {
    const bool keep = beta.to<bool>();
    const bool add = alpha.to<bool>();
    compute(iter, [keep, add] MUSA_LAMBDA(bool self, bool a, bool b) -> bool {
      return (keep && self) || (add && a && b);
    });
    return;
  }
  AT_DISPATCH_V2(
      iter.dtype(), "addr_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M of_self = beta.to<M>();
        const M factor = alpha.to<M>();
        compute(iter, [of_self, factor] MUSA_LAMBDA(scalar_t self, scalar_t a, scalar_t b) -> scalar_t {
          const M product = factor * static_cast<M>(a) * static_cast<M>(b);
          // A factor of zero says: do not look at the operand.
          return static_cast<scalar_t>(of_self == M(0) ? product : of_self * static_cast<M>(self) + product);
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX);
}

/// Each of the three components along `dim` is a function of four components of the operands.
void cross_musa(const Tensor& result, const Tensor& a, const Tensor& b, const int64_t dim) {
  AT_DISPATCH_V2(
      result.scalar_type(), "cross_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        for (int64_t i = 0; i < 3; ++i) {
          const int64_t next = (i + 1) % 3;
          const int64_t last = (i + 2) % 3;
          TensorIteratorConfig config;
          config.set_check_mem_overlap(false).resize_outputs(false).add_owned_output(result.select(dim, i));
          config.add_owned_const_input(a.select(dim, next)).add_owned_const_input(b.select(dim, last));
          config.add_owned_const_input(a.select(dim, last)).add_owned_const_input(b.select(dim, next));
          TensorIterator iter = config.build();
          compute(iter, [] MUSA_LAMBDA(scalar_t p, scalar_t q, scalar_t r, scalar_t s) -> scalar_t {
            // The products are rounded, as on the CPU.
            const auto left = static_cast<scalar_t>(static_cast<M>(p) * static_cast<M>(q));
            const auto right = static_cast<scalar_t>(static_cast<M>(r) * static_cast<M>(s));
            return static_cast<scalar_t>(static_cast<M>(left) - static_cast<M>(right));
          });
        }
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX);
}

void renorm_scale_factor_musa(TensorIteratorBase& iter, double maxnorm) {
  AT_DISPATCH_V2(
      iter.common_dtype(), "renorm_scale_factor_musa", AT_WRAP([&] {
        using M = at::opmath_type<scalar_t>;
        const M most = static_cast<M>(maxnorm);
        compute(iter, [most] MUSA_LAMBDA(scalar_t value) -> scalar_t {
          const M norm = static_cast<M>(value);
          return static_cast<scalar_t>(norm > most ? most / (norm + M(1e-7)) : M(1));
        });
      }),
      MUSA_FLOATING);
}

template <typename T>
__global__ void is_among(bool* result, const T* elements, int64_t count, const T* tests, int64_t test_count, bool found) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    const auto element = static_cast<at::opmath_type<T>>(elements[i]);
    bool is_found = false;
    for (int64_t k = 0; k < test_count && !is_found; ++k) {
      is_found = element == static_cast<at::opmath_type<T>>(tests[k]);
    }
    result[i] = is_found == found;
  }
}

void isin_default_musa(const Tensor& elements, const Tensor& tests, bool invert, const Tensor& result) {
  const int64_t count = elements.numel();
  if (count == 0) {
    return;
  }
  const Tensor of = elements.contiguous();
  const Tensor among = tests.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, at::MemoryFormat::Contiguous);
  AT_DISPATCH_V2(
      elements.scalar_type(), "isin_musa", AT_WRAP([&] {
        constexpr int kThreads = at::musa::elementwise::kThreads;
        is_among<<<(count + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            made.mutable_data_ptr<bool>(), of.const_data_ptr<scalar_t>(), count, among.const_data_ptr<scalar_t>(),
            among.numel(), !invert);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

/// The sum over the windows that an element of the operand is in.
template <typename T>
__global__ void fold(
    T* result, const T* gradient, int64_t count, int64_t length, int64_t inner, int64_t windows, int64_t size,
    int64_t step) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    const int64_t position = i / inner % length;
    const int64_t first = position < size ? 0 : (position - size) / step + 1;
    const int64_t last = position / step < windows ? position / step : windows - 1;
    at::opmath_type<T> sum = 0;
    for (int64_t window = first; window <= last; ++window) {
      // The gradient has the windows where the operand has its elements, and their elements in its last dimension.
      const int64_t row = (i / (inner * length) * windows + window) * inner + i % inner;
      sum += static_cast<at::opmath_type<T>>(gradient[row * size + position - window * step]);
    }
    result[i] = static_cast<T>(sum);
  }
}

void unfold_backward_musa(Tensor& result, const Tensor& gradient, int64_t dim, int64_t size, int64_t step) {
  const int64_t count = result.numel();
  if (count == 0) {
    return;
  }
  const int64_t along = at::maybe_wrap_dim(dim, result.dim());
  const int64_t length = result.dim() == 0 ? 1 : result.size(along);
  int64_t inner = 1;
  for (int64_t k = along + 1; k < result.dim(); ++k) {
    inner *= result.size(k);
  }
  const int64_t windows = result.dim() == 0 ? 1 : gradient.size(along);
  const Tensor from = gradient.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, at::MemoryFormat::Contiguous);
  AT_DISPATCH_V2(
      result.scalar_type(), "unfold_backward_musa", AT_WRAP([&] {
        constexpr int kThreads = at::musa::elementwise::kThreads;
        fold<<<(count + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            made.mutable_data_ptr<scalar_t>(), from.const_data_ptr<scalar_t>(), count, length, inner, windows, size,
            step);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      }),
      MUSA_INTEGRAL, kBool, MUSA_FLOATING, MUSA_COMPLEX);
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(addr_stub, &addr_musa)
REGISTER_PRIVATEUSE1_DISPATCH(cross_stub, &cross_musa)
REGISTER_PRIVATEUSE1_DISPATCH(renorm_scale_factor_stub, &renorm_scale_factor_musa)
REGISTER_PRIVATEUSE1_DISPATCH(isin_default_stub, &isin_default_musa)
REGISTER_PRIVATEUSE1_DISPATCH(unfold_backward_stub, &unfold_backward_musa)

} // namespace at::native
