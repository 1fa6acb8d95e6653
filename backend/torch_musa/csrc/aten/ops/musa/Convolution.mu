// Convolutions of one to three dimensions, plain and transposed, and their gradients: the windows of an image become the
// columns of a matrix (unfold), muBLAS multiplies it with the weights of each group; the transposed way (fold) adds up
// the columns of a pixel. im2col and col2im are the same two operations. Groups of one channel have kernels of
// their own. A thread of all these kernels has a whole row or more, so that its innermost loop goes along memory.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/im2col_shape_check.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/col2im_native.h>
#include <ATen/ops/convolution_backward_overrideable_native.h>
#include <ATen/ops/convolution_overrideable_native.h>
#include <ATen/ops/im2col_native.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "torch_musa/csrc/aten/mudnn/Functions.h"
#include "torch_musa/csrc/aten/ops/musa/Images.muh"

namespace at::musa {

using namespace images;

namespace {

/// The number of bytes of columns at a time: they are read again while they are in a cache.
constexpr int64_t kMostBytes = int64_t(1) << 22;
/// How many sums along a row a thread has at a time.
constexpr int64_t kSums = 64;
/// Threads per block: few, because each thread has much to do.
constexpr int kThreads = 16;

using Three = std::array<int64_t, 3>;

Three three(IntArrayRef sizes, int64_t dims, int64_t missing) {
  int64_t all[3];
  set_three(all, sizes, dims, missing);
  return {all[0], all[1], all[2]};
}

/// Images [count, channels, depth, height, width], and the windows that a kernel sees of them.
struct Windows {
  int64_t count, channels;
  Three image, kernel, stride, padding, dilation;
  Three steps; // how many windows there are along each dimension

  int64_t weights() const {
    return kernel[0] * kernel[1] * kernel[2];
  }
  int64_t windows() const {
    return steps[0] * steps[1] * steps[2];
  }
  int64_t pixels() const {
    return image[0] * image[1] * image[2];
  }
};

/// The part of Windows that a kernel can use.
struct Geometry {
  int64_t count, channels;
  int64_t image[3], kernel[3], stride[3], padding[3], dilation[3], steps[3];
};

Geometry geometry_of(const Windows& w) {
  Geometry g{w.count, w.channels, {}, {}, {}, {}, {}, {}};
  for (int i = 0; i < 3; ++i) {
    g.image[i] = w.image[i];
    g.kernel[i] = w.kernel[i];
    g.stride[i] = w.stride[i];
    g.padding[i] = w.padding[i];
    g.dilation[i] = w.dilation[i];
    g.steps[i] = w.steps[i];
  }
  return g;
}

/// Return the quotient, rounded up.
__host__ __device__ inline int64_t quotient_up(int64_t a, int64_t b) {
  if (b == 1) { // the usual stride: a division takes longer than a row of a small image
    return a;
  }
  return a > 0 ? (a + b - 1) / b : -(-a / b);
}

__device__ inline int64_t thread_number() {
  return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
}

/// A tap (an element of the kernel): its three coordinates.
struct InKernel {
  int64_t k0, k1, k2;
  __device__ InKernel(const Geometry& g, int64_t tap)
      : k0(tap / (g.kernel[1] * g.kernel[2])), k1(tap / g.kernel[2] % g.kernel[1]), k2(tap % g.kernel[2]) {}
};

/// The pixels along a row of windows that one tap sees: those of windows `begin` to `end` are in the image.
struct Seen {
  int64_t shift, begin, end;
  __device__ Seen(const Geometry& g, int64_t k2) : shift(k2 * g.dilation[2] - g.padding[2]) {
    begin = std::min(g.steps[2], std::max<int64_t>(0, quotient_up(-shift, g.stride[2])));
    end = std::max(begin, std::min(g.steps[2], quotient_up(g.image[2] - shift, g.stride[2])));
  }
};

/// The row of an image that windows (step0, step1) see at (k0, k1), or null in the padding.
template <typename T>
__device__ inline T* row_of(T* image, const Geometry& g, int64_t step0, int64_t step1, int64_t k0, int64_t k1) {
  const int64_t at0 = step0 * g.stride[0] - g.padding[0] + k0 * g.dilation[0];
  const int64_t at1 = step1 * g.stride[1] - g.padding[1] + k1 * g.dilation[1];
  const bool inside = at0 >= 0 && at0 < g.image[0] && at1 >= 0 && at1 < g.image[1];
  return inside ? image + (at0 * g.image[1] + at1) * g.image[2] : nullptr;
}

/// Calls `f` with the window and the pixel, for windows `begin` to `end`. The usual strides are constants for the compiler.
template <typename F>
__device__ inline void for_pixels(int64_t begin, int64_t end, int64_t shift, int64_t stride, const F& f) {
  if (stride == 1) {
    for (int64_t x = begin; x < end; ++x) {
      f(x, x + shift);
    }
  } else if (stride == 2) {
    for (int64_t x = begin; x < end; ++x) {
      f(x, 2 * x + shift);
    }
  } else {
    for (int64_t x = begin; x < end; ++x) {
      f(x, x * stride + shift);
    }
  }
}

/// The strides of columns from one image to the next and from one tap to the next.
struct ColumnStrides {
  int64_t image, tap;
};

/// columns[image, channel, tap, window] = the pixel there, or 0 in the padding. A thread has all windows of a
/// step along the first dimension.
template <typename T>
__global__ void unfold(const T* __restrict__ images, Geometry g, T* __restrict__ columns, ColumnStrides strides, int64_t planes) {
  const int64_t plane = thread_number();
  if (plane < planes) {
    const int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    const int64_t step0 = plane % g.steps[0], row = plane / g.steps[0];
    const int64_t tap = row % taps, channel = row / taps;
    const InKernel k(g, tap);
    const Seen seen(g, k.k2);
    const T* const image = images + channel * (g.image[0] * g.image[1] * g.image[2]);
    T* to = columns + channel / g.channels * strides.image + (channel % g.channels * taps + tap) * strides.tap +
            step0 * (g.steps[1] * g.steps[2]);
    for (int64_t step1 = 0; step1 < g.steps[1]; ++step1, to += g.steps[2]) {
      const T* const from = row_of(image, g, step0, step1, k.k0, k.k1);
      const int64_t begin = from ? seen.begin : g.steps[2], end = from ? seen.end : g.steps[2];
      for (int64_t x = 0; x < begin; ++x) {
        to[x] = T{};
      }
      for_pixels(begin, end, seen.shift, g.stride[2], [&](int64_t x, int64_t pixel) { to[x] = from[pixel]; });
      for (int64_t x = end; x < g.steps[2]; ++x) {
        to[x] = T{};
      }
    }
  }
}

/// Which step along a dimension sees a pixel with a tap, or -1.
__device__ inline int64_t step_with(const Geometry& g, int dim, int64_t pixel, int64_t k) {
  const int64_t far = pixel + g.padding[dim] - k * g.dilation[dim];
  const bool is_step = far >= 0 && far % g.stride[dim] == 0 && far / g.stride[dim] < g.steps[dim];
  return is_step ? far / g.stride[dim] : -1;
}

/// The source of the sum over the windows of a pixel: a matrix of columns.
template <typename M>
struct FromColumns {
  const M* columns;
  __device__ int64_t terms() const {
    return 1;
  }
  __device__ const M* row(const Geometry& g, int64_t channel, int64_t, int64_t tap) const {
    const int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    return columns + (channel * taps + tap) * (g.steps[0] * g.steps[1] * g.steps[2]);
  }
  __device__ M value(const M* row, int64_t x, int64_t, int64_t, int64_t, const Geometry&) const {
    return row[x];
  }
};

/// Or, for groups of one wide channel, the narrow images that make them, times the weight.
template <typename T, typename M>
struct FromNarrow {
  const T* narrow;
  const T* weight;
  int64_t per_group; // narrow channels

  __device__ int64_t terms() const {
    return per_group;
  }
  __device__ const T* row(const Geometry& g, int64_t channel, int64_t term, int64_t) const {
    return narrow + (channel * per_group + term) * (g.steps[0] * g.steps[1] * g.steps[2]);
  }
  __device__ M value(const T* row, int64_t x, int64_t channel, int64_t term, int64_t tap, const Geometry& g) const {
    const int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    const T factor = weight[(channel % g.channels * per_group + term) * taps + tap];
    return static_cast<M>(factor) * static_cast<M>(row[x]);
  }
};

/// images[image, channel, pixel] = the sum of its taps in all windows. A thread has a row of pixels.
template <typename T, typename M, typename Source>
__global__ void fold(Source source, Geometry g, T* __restrict__ images, int64_t rows) {
  const int64_t row = thread_number();
  if (row < rows) {
    const int64_t at1 = row % g.image[1], at0 = row / g.image[1] % g.image[0], channel = row / g.image[1] / g.image[0];
    for (int64_t first = 0; first < g.image[2]; first += kSums) {
      const int64_t last = std::min(first + kSums, g.image[2]);
      M sums[kSums] = {};
      for (int64_t tap = 0; tap < g.kernel[0] * g.kernel[1] * g.kernel[2]; ++tap) {
        const InKernel k(g, tap);
        const int64_t step0 = step_with(g, 0, at0, k.k0), step1 = step_with(g, 1, at1, k.k1);
        if (step0 < 0 || step1 < 0) {
          continue;
        }
        const Seen seen(g, k.k2);
        const int64_t begin = std::max(seen.begin, quotient_up(first - seen.shift, g.stride[2]));
        const int64_t end = std::min(seen.end, quotient_up(last - seen.shift, g.stride[2]));
        for (int64_t term = 0; term < source.terms(); ++term) {
          const auto* const from = source.row(g, channel, term, tap) + (step0 * g.steps[1] + step1) * g.steps[2];
          for_pixels(begin, end, seen.shift - first, g.stride[2], [&](int64_t x, int64_t pixel) {
            sums[pixel] += source.value(from, x, channel, term, tap, g);
          });
        }
      }
      for (int64_t x = first; x < last; ++x) {
        images[row * g.image[2] + x] = static_cast<T>(sums[x - first]);
      }
    }
  }
}

/// A convolution with groups of one wide channel. A thread has a row of a narrow image.
template <typename T, typename M>
__global__ void slide_channels(
    const T* __restrict__ wide, const T* __restrict__ weight, Geometry g, int64_t per_group, T* __restrict__ narrow,
    int64_t rows) {
  const int64_t row = thread_number();
  if (row < rows) {
    const int64_t step1 = row % g.steps[1], step0 = row / g.steps[1] % g.steps[0];
    const int64_t channel = row / g.steps[1] / g.steps[0]; // of all narrow images
    const int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    const T* const image = wide + channel / per_group * (g.image[0] * g.image[1] * g.image[2]);
    const T* const factors = weight + channel % (g.channels * per_group) * taps;
    for (int64_t first = 0; first < g.steps[2]; first += kSums) {
      const int64_t last = std::min(first + kSums, g.steps[2]);
      M sums[kSums] = {};
      const T* factor_at = factors;
      for (int64_t k0 = 0; k0 < g.kernel[0]; ++k0) {
        for (int64_t k1 = 0; k1 < g.kernel[1]; ++k1, factor_at += g.kernel[2]) {
          const T* const from = row_of(image, g, step0, step1, k0, k1);
          for (int64_t k2 = 0; from && k2 < g.kernel[2]; ++k2) {
            const Seen seen(g, k2);
            const M factor = static_cast<M>(factor_at[k2]);
            for_pixels(
                std::max(seen.begin, first), std::min(seen.end, last), seen.shift, g.stride[2],
                [&](int64_t x, int64_t pixel) { sums[x - first] += factor * static_cast<M>(from[pixel]); });
          }
        }
      }
      for (int64_t x = first; x < last; ++x) {
        narrow[row * g.steps[2] + x] = static_cast<T>(sums[x - first]);
      }
    }
  }
}

/// The gradient of its weight. A thread has a tap of the kernel of a narrow channel.
template <typename T, typename M>
__global__ void channels_weight_gradient(
    const T* __restrict__ wide, const T* __restrict__ narrow, Geometry g, int64_t per_group, T* __restrict__ gradient,
    int64_t count) {
  const int64_t at = thread_number();
  if (at < count) {
    const int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    const int64_t channel = at / taps;
    const InKernel k(g, at % taps);
    const Seen seen(g, k.k2);
    M sums[kSums] = {};
    for (int64_t image = 0; image < g.count; ++image) {
      const T* const pixels =
          wide + (image * g.channels + channel / per_group) * (g.image[0] * g.image[1] * g.image[2]);
      const T* grad = narrow + (image * g.channels * per_group + channel) * (g.steps[0] * g.steps[1] * g.steps[2]);
      for (int64_t step = 0; step < g.steps[0] * g.steps[1]; ++step, grad += g.steps[2]) {
        const T* const from = row_of(pixels, g, step / g.steps[1], step % g.steps[1], k.k0, k.k1);
        for (int64_t first = seen.begin; from && first < seen.end; first += kSums) {
          for_pixels(
              first, std::min(first + kSums, seen.end), seen.shift, g.stride[2], [&](int64_t x, int64_t pixel) {
                sums[x - first] += static_cast<M>(grad[x]) * static_cast<M>(from[pixel]);
              });
        }
      }
    }
    M sum = 0;
    for (const M part : sums) {
      sum += part;
    }
    gradient[at] = static_cast<T>(sum);
  }
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// Sixteen bytes, which are moved as they are.
struct alignas(16) Wide {
  int64_t parts[2];
};

template <typename T>
void launch_unfold(const Tensor& images, const Windows& w, const Tensor& columns, const ColumnStrides& strides) {
  const int64_t planes = w.count * w.channels * w.weights() * w.steps[0];
  unfold<T><<<blocks_for(planes), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      static_cast<const T*>(images.const_data_ptr()), geometry_of(w), static_cast<T*>(columns.mutable_data_ptr()), strides,
      planes);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// Writes the columns of contiguous images.
void unfold_into(const Tensor& images, const Windows& w, const Tensor& columns, const ColumnStrides& strides) {
  if (columns.numel() == 0) {
    return;
  }
  switch (images.element_size()) {
    case 1:
      return launch_unfold<uint8_t>(images, w, columns, strides);
    case 2:
      return launch_unfold<uint16_t>(images, w, columns, strides);
    case 4:
      return launch_unfold<uint32_t>(images, w, columns, strides);
    case 8:
      return launch_unfold<uint64_t>(images, w, columns, strides);
    default:
      return launch_unfold<Wide>(images, w, columns, strides);
  }
}

/// The columns [images, channels x taps, windows].
Tensor unfolded(const Tensor& images, const Windows& w) {
  const Tensor columns = at::empty({w.count, w.channels * w.weights(), w.windows()}, images.options());
  unfold_into(images, w, columns, {w.channels * w.weights() * w.windows(), w.windows()});
  return columns;
}

/// The columns [channels x taps, images x windows].
Tensor unfolded_together(const Tensor& images, const Windows& w) {
  const Tensor columns = at::empty({w.channels * w.weights(), w.count * w.windows()}, images.options());
  unfold_into(images, w, columns, {w.windows(), w.count * w.windows()});
  return columns;
}

/// Writes images from columns [images, channels x taps, windows]. Columns for half and bfloat16 may be float, as their
/// sums are.
void fold_into(const Tensor& images, const Tensor& given, const Windows& w) {
  if (images.numel() != 0) {
    const Tensor columns = given.to(at::toOpMathType(images.scalar_type())).contiguous();
    const int64_t rows = images.numel() / w.image[2];
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(kHalf, kBFloat16, kBool, images.scalar_type(), "col2im_musa", [&] {
      using M = at::opmath_type<scalar_t>;
      fold<scalar_t, M><<<blocks_for(rows), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          FromColumns<M>{columns.const_data_ptr<M>()}, geometry_of(w), images.mutable_data_ptr<scalar_t>(), rows);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
}

/// A convolution: of `wide` images, which windows slide over, and `narrow` images, which have a pixel per window. The weight
/// is [narrow channels, wide channels per group, kernel]. A plain convolution makes narrow ones of wide ones; a transposed
/// one, or the gradient of a plain one, the other way.
struct Convolution {
  Windows windows; // of the wide images
  int64_t narrow_channels, groups;

  int64_t narrow_per_group() const {
    return narrow_channels / groups;
  }
  int64_t rows_per_group() const { // of the columns
    return windows.channels / groups * windows.weights();
  }
  /// Groups of one wide channel, which matrices would be too small for.
  bool is_by_channel(const Tensor& weight) const {
    return groups > 1 && groups == windows.channels && !weight.is_complex();
  }
  /// Whether the columns are the images.
  bool sees_pixels() const {
    const Three ones{1, 1, 1};
    return windows.kernel == ones && windows.stride == ones && windows.padding == Three{0, 0, 0};
  }
};

/// The convolution of the narrow images that makes the wide ones, for strides of 1: its windows go the other way.
Convolution mirrored(const Convolution& c) {
  Windows w = c.windows;
  w.channels = c.narrow_channels;
  std::swap(w.image, w.steps);
  for (int i = 0; i < 3; ++i) {
    w.padding[i] = -w.padding[i];
    w.dilation[i] = -w.dilation[i];
  }
  return {w, c.windows.channels, c.groups};
}

/// Calls `f` for some images at a time, with their first, their number, and the convolution of these alone.
template <typename F>
void for_parts(const Convolution& whole, size_t element_size, const F& f) {
  const int64_t bytes = whole.windows.channels * whole.windows.weights() * whole.windows.windows() * element_size;
  const int64_t most = std::max<int64_t>(1, kMostBytes / std::max<int64_t>(bytes, 1));
  for (int64_t first = 0; first < whole.windows.count; first += most) {
    Convolution part = whole;
    part.windows.count = std::min(most, whole.windows.count - first);
    f(first, part.windows.count, part);
  }
}

/// Images [count, channels, pixels...] as [groups, channels per group, count x pixels].
Tensor by_channels(const Tensor& images, int64_t groups) {
  return images.flatten(2).transpose(0, 1).reshape({groups, images.size(1) / groups, -1});
}

Tensor weights_of(const Tensor& weight, const Convolution& c) {
  return weight.contiguous().view({c.groups, c.narrow_per_group(), c.rows_per_group()});
}

/// The windows as muDNN receives them: for as many dimensions as the pixels have.
ConvolutionWindows windows_for_mudnn(const Convolution& c, const Tensor& wide) {
  const int64_t missing = 5 - wide.dim();
  const auto own = [missing](const Three& values) { return IntArrayRef(values).slice(missing); };
  return {own(c.windows.stride), own(c.windows.padding), own(c.windows.dilation), c.groups};
}

/// Images [count, channels, pixels...] as [count, groups, channels per group, pixels].
Tensor by_groups(const Tensor& images, const Convolution& c) {
  return images.view({images.size(0), c.groups, images.size(1) / c.groups, -1});
}

/// out[image, group] = weights[group] x matrices[image, group]; as many matrices as possible at a time.
void multiply_groups(const Tensor& out, const Tensor& weights, const Tensor& matrices) {
  const int64_t count = out.size(0), groups = out.size(1);
  if (count < groups) {
    for (int64_t image = 0; image < count; ++image) {
      Tensor part = out[image];
      at::bmm_out(part, weights, matrices[image]);
    }
  } else {
    for (int64_t group = 0; group < groups; ++group) {
      Tensor part = out.select(1, group);
      at::bmm_out(part, weights[group].expand({count, -1, -1}), matrices.select(1, group));
    }
  }
}

/// narrow = weight x windows of wide.
void slide(const Tensor& wide, const Tensor& weight, const Tensor& narrow, const Convolution& whole) {
  const MudnnFunctions* const mudnn = mudnn_functions();
  if (mudnn && mudnn->convolve(narrow, wide, weight.contiguous(), windows_for_mudnn(whole, wide))) {
    return;
  }
  if (narrow.numel() == 0) {
    return;
  }
  if (whole.is_by_channel(weight)) {
    const Tensor factors = weight.contiguous();
    const int64_t rows = narrow.numel() / whole.windows.steps[2];
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, weight.scalar_type(), "convolution_musa", [&] {
      slide_channels<scalar_t, at::opmath_type<scalar_t>>
          <<<blocks_for(rows), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
              wide.const_data_ptr<scalar_t>(), factors.const_data_ptr<scalar_t>(), geometry_of(whole.windows),
              whole.narrow_per_group(), narrow.mutable_data_ptr<scalar_t>(), rows);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    return;
  }
  const Tensor weights = weights_of(weight, whole);
  if (whole.sees_pixels()) {
    multiply_groups(by_groups(narrow, whole), weights, by_groups(wide, whole));
    return;
  }
  for_parts(whole, wide.element_size(), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor columns = unfolded(wide.narrow(0, first, count), c.windows);
    multiply_groups(by_groups(narrow.narrow(0, first, count), c), weights, by_groups(columns, c));
  });
}

/// wide = the sum of weight x narrow over the windows.
void slide_back(const Tensor& narrow, const Tensor& weight, const Tensor& wide, const Convolution& whole) {
  const MudnnFunctions* const mudnn = mudnn_functions();
  if (mudnn && mudnn->convolve_backward(wide, narrow, weight.contiguous(), windows_for_mudnn(whole, wide))) {
    return;
  }
  if (wide.numel() == 0) {
    return;
  }
  if (narrow.numel() == 0) {
    wide.zero_();
    return;
  }
  if (whole.is_by_channel(weight)) {
    const Tensor factors = weight.contiguous();
    const int64_t rows = wide.numel() / whole.windows.image[2];
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, weight.scalar_type(), "convolution_backward_musa", [&] {
      using M = at::opmath_type<scalar_t>;
      const FromNarrow<scalar_t, M> source{
          narrow.const_data_ptr<scalar_t>(), factors.const_data_ptr<scalar_t>(), whole.narrow_per_group()};
      fold<scalar_t, M><<<blocks_for(rows), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          source, geometry_of(whole.windows), wide.mutable_data_ptr<scalar_t>(), rows);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    return;
  }
  if (whole.sees_pixels()) {
    multiply_groups(
        by_groups(wide, whole), weights_of(weight, whole).transpose(1, 2), by_groups(narrow, whole));
    return;
  }
  if (whole.windows.stride == Three{1, 1, 1} && whole.narrow_channels <= 2 * whole.windows.channels) {
    const Tensor weights = weights_of(weight, whole)
                               .view({whole.groups, whole.narrow_per_group(), -1, whole.windows.weights()})
                               .transpose(1, 2)
                               .flatten(2);
    for_parts(mirrored(whole), wide.element_size(), [&](int64_t first, int64_t count, const Convolution& c) {
      const Tensor columns = unfolded(narrow.narrow(0, first, count), c.windows);
      multiply_groups(by_groups(wide.narrow(0, first, count), c), weights, by_groups(columns, c));
    });
    return;
  }
  const ScalarType type = at::toOpMathType(weight.scalar_type());
  const Tensor weights = weights_of(weight, whole).to(type).transpose(1, 2);
  for_parts(whole, c10::elementSize(type), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor columns =
        at::empty({count, c.groups, c.rows_per_group(), c.windows.windows()}, wide.options().dtype(type));
    multiply_groups(columns, weights, by_groups(narrow.narrow(0, first, count).to(type), c));
    fold_into(wide.narrow(0, first, count), columns, c.windows);
  });
}

/// The gradient of the weight. Half and bfloat16 are multiplied and summed in float where there are several parts.
Tensor weight_gradient(const Tensor& wide, const Tensor& narrow, const Tensor& weight, const Convolution& whole) {
  const Tensor gradient = at::empty(weight.sizes(), weight.options());
  if (const MudnnFunctions* const mudnn = mudnn_functions()) {
    if (mudnn->convolve_backward_weight(gradient, wide, narrow, windows_for_mudnn(whole, wide))) {
      return gradient;
    }
  }
  if (gradient.numel() != 0 && whole.is_by_channel(weight)) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, weight.scalar_type(), "convolution_backward_musa", [&] {
      channels_weight_gradient<scalar_t, at::opmath_type<scalar_t>>
          <<<blocks_for(gradient.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
              wide.const_data_ptr<scalar_t>(), narrow.const_data_ptr<scalar_t>(), geometry_of(whole.windows),
              whole.narrow_per_group(), gradient.mutable_data_ptr<scalar_t>(), gradient.numel());
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    return gradient;
  }
  Tensor sum;
  for_parts(whole, wide.element_size(), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor part_of = wide.narrow(0, first, count);
    const Tensor columns =
        (c.sees_pixels() ? by_channels(part_of, c.groups) : unfolded_together(part_of, c.windows))
            .view({c.groups, c.rows_per_group(), -1});
    // A product that is rounded to half loses more than the sum may: parts may be large where they cancel each other.
    const bool only = count == whole.windows.count;
    const ScalarType type = only ? wide.scalar_type() : at::toOpMathType(wide.scalar_type());
    const Tensor part = at::bmm(
        by_channels(narrow.narrow(0, first, count), c.groups).to(type), columns.to(type).conj().transpose(1, 2));
    sum = sum.defined() ? sum.add_(part) : part;
  });
  return sum.defined() ? sum.to(weight.scalar_type()).view(weight.sizes()) : at::zeros(weight.sizes(), weight.options());
}

void require_device_of(const Tensor& input, const Tensor& operand, const char* name) {
  TORCH_CHECK(
      operand.device() == input.device(), "Expected ", name, " tensor and input tensor to be on the same MUSA device, but "
      "got ", name, " on ", operand.device(), " and input on ", input.device());
}

/// The memory format of the results: channels last if the input or the weight is, as PyTorch's for other devices.
MemoryFormat format_of_results(const Tensor& input, const Tensor& weight) {
  const auto is_last = [](MemoryFormat format) {
    return format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d;
  };
  const MemoryFormat format = input.suggest_memory_format();
  return is_last(format) ? format : weight.suggest_memory_format();
}

/// The convolution that input, weight and the rest describe; `output` has the sizes of the output's pixels.
Convolution convolution_of(
    const Tensor& input, const Tensor& weight, IntArrayRef output, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, int64_t groups) {
  const int64_t dims = input.dim() - 2;
  TORCH_CHECK(dims >= 1 && dims <= 3, "a musa convolution has 1 to 3 dimensions, not ", dims);
  const IntArrayRef pixels = input.sizes().slice(2);
  Windows windows{
      input.size(0),
      transposed ? weight.size(1) * groups : input.size(1),
      three(transposed ? output : pixels, dims, 1),
      three(weight.sizes().slice(2), dims, 1),
      three(stride, dims, 1),
      three(padding, dims, 0),
      three(dilation, dims, 1),
      three(transposed ? pixels : output, dims, 1)};
  return {windows, weight.size(0), groups};
}

/// Sizes of the output's pixels.
std::vector<int64_t> output_sizes(
    const Tensor& input, const Tensor& weight, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
    bool transposed, IntArrayRef output_padding) {
  std::vector<int64_t> sizes;
  const auto nth = [](IntArrayRef values, int64_t i) { return values[values.size() == 1 ? 0 : i]; };
  for (int64_t i = 0; i < input.dim() - 2; ++i) {
    const int64_t reach = nth(dilation, i) * (weight.size(i + 2) - 1) + 1;
    sizes.push_back(
        transposed ? (input.size(i + 2) - 1) * nth(stride, i) - 2 * nth(padding, i) + reach + nth(output_padding, i)
                   : (input.size(i + 2) + 2 * nth(padding, i) - reach) / nth(stride, i) + 1);
  }
  return sizes;
}

} // namespace

Tensor MusaConvolution(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) {
  require_device_of(input, weight, "weight");
  const std::vector<int64_t> pixels =
      output_sizes(input, weight, stride, padding, dilation, transposed, output_padding);
  std::vector<int64_t> sizes{input.size(0), transposed ? weight.size(1) * groups : weight.size(0)};
  sizes.insert(sizes.end(), pixels.begin(), pixels.end());
  const Tensor output = at::empty(sizes, input.options());
  const Convolution c = convolution_of(input, weight, pixels, stride, padding, dilation, transposed, groups);
  transposed ? slide_back(input.contiguous(), weight, output, c) : slide(input.contiguous(), weight, output, c);
  if (bias && bias->defined()) {
    require_device_of(input, *bias, "bias");
    std::vector<int64_t> shape(input.dim(), 1);
    shape[1] = -1;
    output.add_(bias->reshape(shape));
  }
  return output.contiguous(format_of_results(input, weight));
}

std::tuple<Tensor, Tensor, Tensor> MusaConvolutionBackward(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  require_device_of(input, weight, "weight");
  require_device_of(input, grad_output, "gradient");
  const Tensor grad = grad_output.contiguous();
  const Tensor given = input.contiguous();
  const Convolution c =
      convolution_of(input, weight, grad.sizes().slice(2), stride, padding, dilation, transposed, groups);
  Tensor grad_input, grad_weight, grad_bias;
  if (mask[0]) {
    grad_input = at::empty(input.sizes(), input.options());
    const Tensor factor = weight.conj().resolve_conj();
    transposed ? slide(grad, factor, grad_input, c) : slide_back(grad, factor, grad_input, c);
  }
  if (mask[1]) {
    grad_weight = transposed ? weight_gradient(grad, given, weight, c).conj().resolve_conj()
                             : weight_gradient(given, grad, weight, c);
  }
  if (mask[2]) {
    grad_bias = grad.flatten(2).sum(at::IntArrayRef({0, 2}));
  }
  const auto in_format = [format = format_of_results(input, weight)](const Tensor& result) {
    return result.defined() ? result.contiguous(format) : result;
  };
  return {in_format(grad_input), in_format(grad_weight), grad_bias};
}

namespace {

Windows windows_of(
    int64_t count, int64_t channels, IntArrayRef image, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
    IntArrayRef stride) {
  Windows w{count, channels, three(image, 2, 1), three(kernel, 2, 1), three(stride, 2, 1), three(padding, 2, 0), three(dilation, 2, 1), {1, 1, 1}};
  for (int i = 1; i < 3; ++i) {
    w.steps[i] = (w.image[i] + 2 * w.padding[i] - (w.dilation[i] * (w.kernel[i] - 1) + 1)) / w.stride[i] + 1;
  }
  return w;
}

void require_two(IntArrayRef values, const char* name) {
  TORCH_CHECK(values.size() == 2, "It is expected ", name, " equals to 2, but got size ", values.size());
}

} // namespace

Tensor& MusaIm2ColOut(
    const Tensor& self, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride, Tensor& out) {
  require_two(kernel, "kernel_size");
  require_two(dilation, "dilation");
  require_two(padding, "padding");
  require_two(stride, "stride");
  at::native::im2col_shape_check(
      self, Tensor(), kernel[0], kernel[1], dilation[0], dilation[1], padding[0], padding[1], stride[0], stride[1]);
  const Tensor images = (self.dim() == 3 ? self.unsqueeze(0) : self).contiguous();
  const Windows w = windows_of(images.size(0), images.size(1), images.sizes().slice(2), kernel, dilation, padding, stride);
  std::vector<int64_t> sizes{w.count, w.channels * w.weights(), w.windows()};
  out.resize_(self.dim() == 3 ? IntArrayRef(sizes).slice(1) : IntArrayRef(sizes));
  const Tensor columns = writable(out);
  unfold_into(images, w, columns, {sizes[1] * sizes[2], sizes[2]});
  finish(out, columns);
  return out;
}

Tensor MusaIm2Col(
    const Tensor& self, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  Tensor out = at::empty({0}, self.options());
  return MusaIm2ColOut(self, kernel, dilation, padding, stride, out);
}

Tensor& MusaCol2ImOut(
    const Tensor& self, IntArrayRef output_size, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
    IntArrayRef stride, Tensor& out) {
  require_two(output_size, "output_size");
  require_two(kernel, "kernel_size");
  require_two(dilation, "dilation");
  require_two(padding, "padding");
  require_two(stride, "stride");
  at::native::col2im_shape_check(
      self, Tensor(), output_size[0], output_size[1], kernel[0], kernel[1], dilation[0], dilation[1], padding[0],
      padding[1], stride[0], stride[1]);
  const Tensor given = self.dim() == 2 ? self.unsqueeze(0) : self;
  const Windows w = windows_of(
      given.size(0), given.size(1) / (kernel[0] * kernel[1]), output_size, kernel, dilation, padding, stride);
  const std::vector<int64_t> sizes{w.count, w.channels, w.image[1], w.image[2]};
  out.resize_(self.dim() == 2 ? IntArrayRef(sizes).slice(1) : IntArrayRef(sizes));
  const Tensor images = writable(out);
  fold_into(images, given, w);
  finish(out, images);
  return out;
}

Tensor MusaCol2Im(
    const Tensor& self, IntArrayRef output_size, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
    IntArrayRef stride) {
  Tensor out = at::empty({0}, self.options());
  return MusaCol2ImOut(self, output_size, kernel, dilation, padding, stride, out);
}

} // namespace at::musa
