// Scans along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp.
//
// The tensor is [outer, size, inner]. A thread has one column, and goes along it.

#include <ATen/native/ReduceOps.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_cummax_helper_native.h>
#include <ATen/ops/_cummin_helper_native.h>
#include <ATen/ops/_logcumsumexp_native.h>
#include <ATen/ops/empty.h>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

struct Layout {
  int64_t outer;
  int64_t size;
  int64_t inner;
};

Layout layout_of(const Tensor& tensor, int64_t dim) {
  if (tensor.dim() == 0) {
    return {1, 1, 1};
  }
  dim = c10::maybe_wrap_dim(dim, tensor.dim());
  Layout layout{1, tensor.size(dim), 1};
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    (d < dim ? layout.outer : layout.inner) *= d == dim ? 1 : tensor.size(d);
  }
  return layout;
}

/// The type of running sums and products: wider than floating-point numbers, so that long ones keep their digits.
template <typename T>
using Running = at::acc_type<T, /*is_cuda=*/false>;

template <typename T, bool kProduct>
__global__ void accumulate(const T* in, T* out, Layout layout) {
  const int64_t column = rows::this_thread();
  if (column >= layout.outer * layout.inner) {
    return;
  }
  const int64_t outer = column / layout.inner;
  const int64_t first = outer * layout.size * layout.inner + column - outer * layout.inner;
  Running<T> acc = Running<T>(kProduct ? 1 : 0);
  for (int64_t k = 0; k < layout.size; ++k) {
    const Running<T> value = static_cast<Running<T>>(in[first + k * layout.inner]);
    acc = kProduct ? acc * value : acc + value;
    out[first + k * layout.inner] = static_cast<T>(acc);
  }
}

/// log(exp(a) + exp(b)), without exceeding the range on the way.
template <typename T>
__device__ inline T log_sum(T a, T b) {
  const T most = a < b || b != b ? b : a;
  const T least = a < b || b != b ? a : b;
  if (most != most || least != least) {
    return most + least;
  }
  return ::isinf(most) ? most : most + ::log1p(::exp(least - most));
}
template <typename T>
__device__ inline c10::complex<T> log_sum(c10::complex<T> a, c10::complex<T> b) {
  const c10::complex<T> most = a.real() < b.real() ? b : a;
  const c10::complex<T> least = a.real() < b.real() ? a : b;
  return ::isinf(most.real()) ? most : most + std::log(T(1) + std::exp(least - most));
}

template <typename T>
__global__ void accumulate_logs(const T* in, T* out, Layout layout) {
  const int64_t column = rows::this_thread();
  if (column >= layout.outer * layout.inner) {
    return;
  }
  const int64_t outer = column / layout.inner;
  const int64_t first = outer * layout.size * layout.inner + column - outer * layout.inner;
  Running<T> acc = static_cast<Running<T>>(in[first]);
  out[first] = in[first];
  for (int64_t k = 1; k < layout.size; ++k) {
    acc = log_sum(acc, static_cast<Running<T>>(in[first + k * layout.inner]));
    out[first + k * layout.inner] = static_cast<T>(acc);
  }
}

/// The last of equal elements wins, and NaN over all.
template <bool kMax, typename A>
MUSA_ROWS bool wins(A value, A best) {
  return (kMax ? value >= best : value <= best) || value != value;
}

template <typename T, bool kMax>
__global__ void extremes(const T* in, T* values, int64_t* indices, Layout layout) {
  using A = at::opmath_type<T>;
  const int64_t column = rows::this_thread();
  if (column >= layout.outer * layout.inner) {
    return;
  }
  const int64_t outer = column / layout.inner;
  const int64_t first = outer * layout.size * layout.inner + column - outer * layout.inner;
  A best = static_cast<A>(in[first]);
  int64_t index = 0;
  for (int64_t k = 0; k < layout.size; ++k) {
    const A value = static_cast<A>(in[first + k * layout.inner]);
    const bool takes = wins<kMax>(value, best);
    best = takes ? value : best;
    index = takes ? k : index;
    values[first + k * layout.inner] = static_cast<T>(best);
    indices[first + k * layout.inner] = index;
  }
}

/// The same along rows. Few elements win: pieces of a row without any are found, and written, by vector instructions.
template <typename T, bool kMax>
__global__ void extremes_of_rows(const T* in, T* values, int64_t* indices, int64_t count, int64_t size) {
  using A = at::opmath_type<T>;
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* const from = in + row * size;
  T* const to = values + row * size;
  int64_t* const to_indices = indices + row * size;
  A best = static_cast<A>(from[0]);
  int64_t index = 0;
  for (int64_t first = 0; first < size; first += rows::kLanes) {
    const int64_t last = ::min(first + rows::kLanes, size);
    int any = 0;
    for (int64_t k = first; k < last; ++k) {
      any |= wins<kMax>(static_cast<A>(from[k]), best) ? 1 : 0;
    }
    if (any == 0) {
      for (int64_t k = first; k < last; ++k) {
        to[k] = static_cast<T>(best);
        to_indices[k] = index;
      }
      continue;
    }
    for (int64_t k = first; k < last; ++k) {
      const A value = static_cast<A>(from[k]);
      const bool takes = wins<kMax>(value, best);
      best = takes ? value : best;
      index = takes ? k : index;
      to[k] = static_cast<T>(best);
      to_indices[k] = index;
    }
  }
}

Tensor to_write(const Tensor& result) {
  return result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
}

void finish(const Tensor& result, const Tensor& made) {
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

template <bool kProduct>
void accumulate_musa(const Tensor& result, const Tensor& self, int64_t dim) {
  const Tensor in = self.contiguous();
  if (in.numel() == 0) {
    return;
  }
  const Layout layout = layout_of(in, dim);
  const Tensor made = to_write(result);
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(kHalf, kBFloat16, in.scalar_type(), "cumsum_musa", [&] {
    accumulate<scalar_t, kProduct>
        <<<rows::blocks_for(layout.outer * layout.inner), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            in.const_data_ptr<scalar_t>(), made.mutable_data_ptr<scalar_t>(), layout);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  finish(result, made);
}

template <bool kMax>
void extremes_musa(const Tensor& self, const Tensor& values, const Tensor& indices, int64_t dim) {
  const Tensor in = self.contiguous();
  if (in.numel() == 0) {
    return;
  }
  const Layout layout = layout_of(in, dim);
  const Tensor made_values = to_write(values);
  const Tensor made_indices = to_write(indices);
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, in.scalar_type(), "cummax_musa", [&] {
    const int64_t count = layout.outer * layout.inner;
    const dim3 blocks(rows::blocks_for(count));
    const auto stream = c10::musa::getCurrentMUSAStream();
    const scalar_t* const from = in.const_data_ptr<scalar_t>();
    scalar_t* const to = made_values.mutable_data_ptr<scalar_t>();
    int64_t* const to_indices = made_indices.mutable_data_ptr<int64_t>();
    if constexpr (sizeof(scalar_t) >= 4) { // the rare types have one kernel
      if (layout.inner == 1) {
        extremes_of_rows<scalar_t, kMax>
            <<<blocks, rows::kThreads, 0, stream>>>(from, to, to_indices, count, layout.size);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
        return;
      }
    }
    extremes<scalar_t, kMax><<<blocks, rows::kThreads, 0, stream>>>(from, to, to_indices, layout);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  finish(values, made_values);
  finish(indices, made_indices);
}

} // namespace

void MusaCummax(const Tensor& self, Tensor& values, Tensor& indices, int64_t dim) {
  extremes_musa<true>(self, values, indices, dim);
}

void MusaCummin(const Tensor& self, Tensor& values, Tensor& indices, int64_t dim) {
  extremes_musa<false>(self, values, indices, dim);
}

Tensor& MusaLogcumsumexpOut(const Tensor& self, int64_t dim, Tensor& out) {
  TORCH_CHECK(
      self.scalar_type() == out.scalar_type(), "expected scalar_type ", self.scalar_type(), " but got ",
      out.scalar_type());
  at::native::resize_output(out, self.sizes());
  const Tensor in = self.contiguous();
  if (in.numel() == 0) {
    return out;
  }
  const Layout layout = layout_of(in, dim);
  const Tensor made = to_write(out);
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "logcumsumexp_musa", [&] {
    accumulate_logs<scalar_t>
        <<<rows::blocks_for(layout.outer * layout.inner), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            in.const_data_ptr<scalar_t>(), made.mutable_data_ptr<scalar_t>(), layout);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  finish(out, made);
  return out;
}

Tensor MusaLogcumsumexp(const Tensor& self, int64_t dim) {
  Tensor out = at::empty({0}, self.options());
  return MusaLogcumsumexpOut(self, dim, out);
}

} // namespace at::musa

namespace at::native {

REGISTER_PRIVATEUSE1_DISPATCH(cumsum_stub, &at::musa::accumulate_musa<false>)
REGISTER_PRIVATEUSE1_DISPATCH(cumprod_stub, &at::musa::accumulate_musa<true>)

} // namespace at::native
