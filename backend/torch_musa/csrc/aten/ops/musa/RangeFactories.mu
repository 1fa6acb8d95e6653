// Tensors whose elements follow from their indices: arange, range, linspace, logspace, eye.

#include <ATen/AccumulateType.h>
#include <ATen/native/RangeUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/arange_native.h>
#include <ATen/ops/eye_native.h>
#include <ATen/ops/linspace_native.h>
#include <ATen/ops/logspace_native.h>
#include <ATen/ops/range_native.h>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/Math.muh"

namespace at::musa {

namespace {

template <typename T, typename F>
__global__ void by_index(T* result, int64_t count, F f) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    result[i] = static_cast<T>(f(i));
  }
}

/// Sets each element of `out` to `f` of its index, row by row.
template <typename T, typename F>
void fill_by_index(Tensor& out, const F& f) {
  const int64_t count = out.numel();
  if (count == 0) {
    return;
  }
  const Tensor made = out.is_contiguous() ? out : at::empty_like(out, at::MemoryFormat::Contiguous);
  by_index<<<(count + elementwise::kThreads - 1) / elementwise::kThreads, elementwise::kThreads, 0,
             c10::musa::getCurrentMUSAStream()>>>(made.mutable_data_ptr<T>(), count, f);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (!made.is_same(out)) {
    out.copy_(made);
  }
}

/// `size` elements; an `out` that has them keeps its shape.
void fit(Tensor& out, int64_t size) {
  if (out.numel() != size) {
    at::native::resize_output(out, {size});
  }
}

/// An element of the sequence from `start` to `end`, counted from the nearer end: both are met exactly.
template <typename M>
struct Between {
  M start, end, step;
  int64_t steps;
  MUSA_MATH M operator()(int64_t i) const {
    return i < steps / 2 ? start + step * static_cast<M>(i) : end - step * static_cast<M>(steps - 1 - i);
  }
};

/// Both ends are numbers of the result's type `T` first, also where that cuts off a fraction: as on the CPU.
template <typename T, typename M>
Between<M> between(const Scalar& start, const Scalar& end, int64_t steps) {
  const M first = static_cast<M>(start.to<T>());
  const M last = static_cast<M>(end.to<T>());
  return {first, last, steps > 1 ? (last - first) / static_cast<M>(steps - 1) : M(0), steps};
}

} // namespace

Tensor& MusaArangeOut(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  AT_DISPATCH_V2(
      out.scalar_type(), "arange_musa", AT_WRAP([&] {
        using A = at::acc_type<scalar_t, false>;
        const int64_t size = at::native::compute_arange_size<scalar_t>(start, end, step);
        if (out.numel() != size) {
          if (out.numel() > 0) {
            TORCH_WARN(
                "The number of elements in the out tensor of shape ", out.sizes(), " is ", out.numel(),
                " which does not match the computed number of elements ", size,
                ". Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor "
                "of shape (", size, ",).");
          }
          out.resize_({size});
        }
        const A first = start.to<A>();
        const A distance = step.to<A>();
        fill_by_index<scalar_t>(
            out, [first, distance] MUSA_LAMBDA(int64_t i) -> A { return first + distance * static_cast<A>(i); });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING);
  return out;
}

Tensor& MusaRangeOut(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& out) {
  AT_DISPATCH_V2(
      out.scalar_type(), "range_musa", AT_WRAP([&] {
        using A = at::acc_type<scalar_t, false>;
        at::native::arange_check_bounds(start, end, step);
        const A first = start.to<A>();
        const A distance = step.to<A>();
        fit(out, static_cast<int64_t>((end.to<A>() - first) / distance + 1));
        fill_by_index<scalar_t>(
            out, [first, distance] MUSA_LAMBDA(int64_t i) -> A { return first + distance * static_cast<A>(i); });
      }),
      MUSA_INTEGRAL, kFloat, kDouble);
  return out;
}

Tensor& MusaLinspaceOut(const Scalar& start, const Scalar& end, int64_t steps, Tensor& out) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  fit(out, steps);
  AT_DISPATCH_V2(
      out.scalar_type(), "linspace_musa", AT_WRAP([&] {
        using M = std::conditional_t<std::is_integral_v<scalar_t>, double, at::opmath_type<scalar_t>>;
        fill_by_index<scalar_t>(out, between<scalar_t, M>(start, end, steps));
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX);
  if (steps == 1) {
    out.fill_(start);
  }
  return out;
}

Tensor& MusaLogspaceOut(const Scalar& start, const Scalar& end, int64_t steps, double base, Tensor& out) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  fit(out, steps);
  AT_DISPATCH_V2(
      out.scalar_type(), "logspace_musa", AT_WRAP([&] {
        using M = std::conditional_t<std::is_integral_v<scalar_t>, double, at::opmath_type<scalar_t>>;
        const Between<M> exponent = // a single number keeps its fraction, as on the CPU
            steps == 1 ? Between<M>{start.to<M>(), start.to<M>(), M(0), 1} : between<scalar_t, M>(start, end, steps);
        const M number = static_cast<M>(base);
        fill_by_index<scalar_t>(out, [exponent, number] MUSA_LAMBDA(int64_t i) -> M {
          if constexpr (c10::is_complex<M>::value) {
            return std::pow(number, exponent(i));
          } else {
            return ::pow(number, exponent(i));
          }
        });
      }),
      MUSA_INTEGRAL, MUSA_FLOATING, MUSA_COMPLEX);
  return out;
}

Tensor& MusaEyeMOut(int64_t n, int64_t m, Tensor& out) {
  TORCH_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  TORCH_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  out.resize_({n, m});
  out.zero_();
  out.diagonal().fill_(1);
  return out;
}

Tensor& MusaEyeOut(int64_t n, Tensor& out) {
  return MusaEyeMOut(n, n, out);
}

} // namespace at::musa
