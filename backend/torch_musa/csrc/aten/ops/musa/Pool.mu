// Pooling of two and three dimensions: the largest element or the mean of windows that slide, or that divide the image into
// a given number of parts (adaptive), and the gradients. One dimension is PyTorch's special case of two.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Pool.h>
#include <ATen/ops/_adaptive_avg_pool2d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool2d_native.h>
#include <ATen/ops/_adaptive_avg_pool3d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool3d_native.h>
#include <ATen/ops/adaptive_avg_pool2d_native.h>
#include <ATen/ops/adaptive_avg_pool3d_backward_native.h>
#include <ATen/ops/adaptive_avg_pool3d_native.h>
#include <ATen/ops/adaptive_max_pool2d_backward_native.h>
#include <ATen/ops/adaptive_max_pool2d_native.h>
#include <ATen/ops/adaptive_max_pool3d_backward_native.h>
#include <ATen/ops/adaptive_max_pool3d_native.h>
#include <ATen/ops/avg_pool2d_backward_native.h>
#include <ATen/ops/avg_pool2d_native.h>
#include <ATen/ops/avg_pool3d_backward_native.h>
#include <ATen/ops/avg_pool3d_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/max_pool2d_with_indices_backward_native.h>
#include <ATen/ops/max_pool2d_with_indices_native.h>
#include <ATen/ops/max_pool3d_with_indices_backward_native.h>
#include <ATen/ops/max_pool3d_with_indices_native.h>
#include <algorithm>
#include <limits>
#include <tuple>
#include <type_traits>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"
#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

using namespace images;

namespace {

/// Images of three dimensions, those that are missing having one element, and the windows that results are made of.
struct Windows {
  int64_t image[3], steps[3];
  int64_t kernel[3], stride[3], padding[3], dilation[3];
  bool adaptive;
  bool counts_padding;
  int64_t divisor; // 0: the number of elements

  /// Where a window begins, and where it ends; both may be in the padding.
  __device__ int64_t begin(int dim, int64_t step) const {
    return adaptive ? step * image[dim] / steps[dim] : step * stride[dim] - padding[dim];
  }
  __device__ int64_t end(int dim, int64_t step) const {
    return adaptive ? ((step + 1) * image[dim] + steps[dim] - 1) / steps[dim]
                    : begin(dim, step) + (kernel[dim] - 1) * dilation[dim] + 1;
  }
  /// By how many elements a mean divides along a dimension.
  __device__ int64_t length(int dim, int64_t step) const {
    const int64_t first = begin(dim, step);
    const int64_t last = end(dim, step);
    return counts_padding ? std::min(last, image[dim] + padding[dim]) - first
                          : std::min(last, image[dim]) - std::max<int64_t>(first, 0);
  }
  /// The first window that has a pixel, and the one after the last.
  __device__ int64_t first_with(int dim, int64_t pixel) const {
    if (adaptive) {
      return pixel * steps[dim] / image[dim];
    }
    const int64_t at = pixel + padding[dim];
    return at < kernel[dim] ? 0 : (at - kernel[dim]) / stride[dim] + 1;
  }
  __device__ int64_t after_last_with(int dim, int64_t pixel) const {
    return adaptive ? ((pixel + 1) * steps[dim] + image[dim] - 1) / image[dim]
                    : std::min((pixel + padding[dim]) / stride[dim] + 1, steps[dim]);
  }
};

template <typename T, typename M>
__global__ void largest(const T* images, Windows w, T* results, int64_t* indices, int64_t rows) {
  const Position at = position();
  if (at.row < rows && at.x < w.steps[2]) {
    const int64_t step1 = at.row % w.steps[1];
    const int64_t step0 = at.row / w.steps[1] % w.steps[0];
    const T* const image = images + at.row / w.steps[1] / w.steps[0] * (w.image[0] * w.image[1] * w.image[2]);
    const int64_t steps[3] = {step0, step1, at.x};
    int64_t begin[3], end[3];
    for (int dim = 0; dim < 3; ++dim) {
      begin[dim] = w.begin(dim, steps[dim]);
      end[dim] = std::min(w.end(dim, steps[dim]), w.image[dim]);
      while (begin[dim] < 0) {
        begin[dim] += w.dilation[dim];
      }
    }
    int64_t found = (begin[0] * w.image[1] + begin[1]) * w.image[2] + begin[2];
    M most = -std::numeric_limits<M>::infinity();
    for (int64_t i = begin[0]; i < end[0]; i += w.dilation[0]) {
      for (int64_t j = begin[1]; j < end[1]; j += w.dilation[1]) {
        for (int64_t k = begin[2]; k < end[2]; k += w.dilation[2]) {
          const int64_t index = (i * w.image[1] + j) * w.image[2] + k;
          const M value = static_cast<M>(image[index]);
          if (value != value || value > most) {
            most = value;
            found = index;
          }
        }
      }
    }
    results[at.row * w.steps[2] + at.x] = static_cast<T>(most);
    indices[at.row * w.steps[2] + at.x] = found;
  }
}

constexpr int kLanes = 128; // windows beside each other, whose loops become vector instructions

/// Pixels that a window has: from `begin` to `end` along each dimension.
struct Taps {
  int64_t begin[3], end[3];
};

/// Writes the largest pixels of `lanes` windows, and where they are. The taps are those of the first one; the next has its
/// pixels `step` further or, if `channels` is given, those of the next channel.
template <typename R>
MUSA_ROWS void largest_of(
    const R* image, const Windows& w, const Taps& taps, int64_t channels, int64_t lanes, int64_t step, R* results,
    int64_t* indices) {
  const int64_t pixel = channels != 0 ? channels : 1;
  const int64_t lane_step = channels != 0 ? 1 : step;
  const int64_t index_step = channels != 0 ? 0 : step;
  using Distance = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>; // as wide as R, for the same vector instructions
  R most[kLanes];
  Distance found[kLanes]; // from a window's first pixel
  const int64_t first = (taps.begin[0] * w.image[1] + taps.begin[1]) * w.image[2] + taps.begin[2];
  for (int64_t lane = 0; lane < lanes; ++lane) {
    most[lane] = -std::numeric_limits<R>::infinity();
    found[lane] = 0;
  }
  for (int64_t i = taps.begin[0]; i < taps.end[0]; i += w.dilation[0]) {
    for (int64_t j = taps.begin[1]; j < taps.end[1]; j += w.dilation[1]) {
      for (int64_t k = taps.begin[2]; k < taps.end[2]; k += w.dilation[2]) {
        const int64_t index = (i * w.image[1] + j) * w.image[2] + k;
        const R* const from = image + index * pixel;
        const auto distance = static_cast<Distance>(index - first);
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const R value = from[lane * lane_step];
          const bool takes = value > most[lane] || value != value;
          most[lane] = takes ? value : most[lane];
          found[lane] = takes ? distance : found[lane];
        }
      }
    }
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    results[lane] = most[lane];
    indices[lane] = first + lane * index_step + found[lane];
  }
}

__device__ inline void set_taps(const Windows& w, int dim, int64_t step, Taps& taps) {
  taps.begin[dim] = w.begin(dim, step);
  taps.end[dim] = std::min(w.end(dim, step), w.image[dim]);
  while (taps.begin[dim] < 0) {
    taps.begin[dim] += w.dilation[dim];
  }
}

/// Windows that slide: a thread has a row of results. kStep: the distance of two windows, if two, else 0.
template <typename R, int kStep>
__global__ void largest_of_rows(const R* images, Windows w, R* results, int64_t* indices, int64_t rows_count) {
  const int64_t row = rows::this_thread();
  if (row >= rows_count) {
    return;
  }
  const R* const image = images + row / w.steps[1] / w.steps[0] * (w.image[0] * w.image[1] * w.image[2]);
  const int64_t stride = w.stride[2];
  Taps taps;
  set_taps(w, 0, row / w.steps[1] % w.steps[0], taps);
  set_taps(w, 1, row % w.steps[1], taps);
  // windows without padding: from `first` to `last`
  const int64_t width = (w.kernel[2] - 1) * w.dilation[2] + 1;
  const int64_t first = std::min((w.padding[2] + stride - 1) / stride, w.steps[2]);
  const int64_t room = w.image[2] + w.padding[2] - width;
  const int64_t last = room < 0 ? first : std::max(std::min(room / stride + 1, w.steps[2]), first);
  for (int64_t x = 0; x < w.steps[2];) {
    const bool inside = x >= first && x < last;
    const int64_t lanes = inside ? std::min<int64_t>(last - x, kLanes) : 1;
    set_taps(w, 2, x, taps);
    const int64_t at = row * w.steps[2] + x;
    largest_of(image, w, taps, 0, lanes, kStep != 0 ? kStep : stride, results + at, indices + at);
    x += lanes;
  }
}

/// The same for pixels whose channels lie beside each other: a thread has all channels of a result.
template <typename R>
__global__ void largest_of_channels(
    const R* images, Windows w, int64_t channels, R* results, int64_t* indices, int64_t count) {
  const int64_t at = rows::this_thread();
  if (at >= count) {
    return;
  }
  const int64_t image = at / (w.steps[0] * w.steps[1] * w.steps[2]);
  Taps taps;
  set_taps(w, 0, at / w.steps[2] / w.steps[1] % w.steps[0], taps);
  set_taps(w, 1, at / w.steps[2] % w.steps[1], taps);
  set_taps(w, 2, at % w.steps[2], taps);
  const R* const from = images + image * (w.image[0] * w.image[1] * w.image[2]) * channels;
  for (int64_t channel = 0; channel < channels; channel += kLanes) {
    const int64_t lanes = std::min<int64_t>(channels - channel, kLanes);
    const int64_t to = at * channels + channel;
    largest_of(from + channel, w, taps, channels, lanes, 1, results + to, indices + to);
  }
}

/// The gradient of sliding means: a thread has a row of pixels, and adds the shares of all windows that it is in.
template <typename R>
__global__ void sliding_mean_gradient(const R* gradients, Windows w, R* results, int64_t rows_count) {
  const int64_t row = rows::this_thread();
  if (row >= rows_count) {
    return;
  }
  const int64_t pixel1 = row % w.image[1];
  const int64_t pixel0 = row / w.image[1] % w.image[0];
  const R* const gradient = gradients + row / w.image[1] / w.image[0] * (w.steps[0] * w.steps[1] * w.steps[2]);
  R* const to = results + row * w.image[2];
  for (int64_t x = 0; x < w.image[2]; ++x) {
    to[x] = 0;
  }
  const int64_t stride = w.stride[2], kernel = w.kernel[2];
  const int64_t first = std::min((w.padding[2] + stride - 1) / stride, w.steps[2]);
  const int64_t room = w.image[2] + w.padding[2] - kernel;
  const int64_t last = room < 0 ? first : std::max(std::min(room / stride + 1, w.steps[2]), first);
  for (int64_t i = w.first_with(0, pixel0); i < w.after_last_with(0, pixel0); ++i) {
    for (int64_t j = w.first_with(1, pixel1); j < w.after_last_with(1, pixel1); ++j) {
      const R* const line = gradient + (i * w.steps[1] + j) * w.steps[2];
      const int64_t others = w.length(0, i) * w.length(1, j);
      const R inner = static_cast<R>(w.divisor != 0 ? w.divisor : others * kernel);
      for (int64_t k = 0; k < kernel; ++k) { // windows without padding
        R* const shifted = to + k - w.padding[2];
        for (int64_t step = first; step < last; ++step) {
          shifted[step * stride] += line[step] / inner;
        }
      }
      const auto add_window = [&](int64_t step) {
        const R share = line[step] / static_cast<R>(w.divisor != 0 ? w.divisor : others * w.length(2, step));
        for (int64_t x = std::max<int64_t>(w.begin(2, step), 0); x < std::min(w.end(2, step), w.image[2]); ++x) {
          to[x] += share;
        }
      };
      for (int64_t step = 0; step < first; ++step) {
        add_window(step);
      }
      for (int64_t step = last; step < w.steps[2]; ++step) {
        add_window(step);
      }
    }
  }
}

template <typename T, typename M>
__global__ void mean(const T* images, Windows w, T* results, int64_t rows) {
  const Position at = position();
  if (at.row < rows && at.x < w.steps[2]) {
    const int64_t step1 = at.row % w.steps[1];
    const int64_t step0 = at.row / w.steps[1] % w.steps[0];
    const T* const image = images + at.row / w.steps[1] / w.steps[0] * (w.image[0] * w.image[1] * w.image[2]);
    const int64_t begin0 = std::max<int64_t>(w.begin(0, step0), 0), end0 = std::min(w.end(0, step0), w.image[0]);
    const int64_t begin1 = std::max<int64_t>(w.begin(1, step1), 0), end1 = std::min(w.end(1, step1), w.image[1]);
    const int64_t begin2 = std::max<int64_t>(w.begin(2, at.x), 0), end2 = std::min(w.end(2, at.x), w.image[2]);
    M sum = 0;
    for (int64_t i = begin0; i < end0; ++i) {
      for (int64_t j = begin1; j < end1; ++j) {
        for (int64_t k = begin2; k < end2; ++k) {
          sum += static_cast<M>(image[(i * w.image[1] + j) * w.image[2] + k]);
        }
      }
    }
    const int64_t count = w.divisor != 0 ? w.divisor : w.length(0, step0) * w.length(1, step1) * w.length(2, at.x);
    const bool empty = begin0 >= end0 || begin1 >= end1 || begin2 >= end2;
    results[at.row * w.steps[2] + at.x] = static_cast<T>(empty ? M(0) : sum / static_cast<M>(count));
  }
}

/// Each pixel has its share of the gradients of all windows that it is in.
template <typename T, typename M>
__global__ void mean_gradient(const T* gradients, Windows w, T* results, int64_t rows) {
  const Position at = position();
  if (at.row < rows && at.x < w.image[2]) {
    const int64_t pixel1 = at.row % w.image[1];
    const int64_t pixel0 = at.row / w.image[1] % w.image[0];
    const T* const gradient = gradients + at.row / w.image[1] / w.image[0] * (w.steps[0] * w.steps[1] * w.steps[2]);
    M sum = 0;
    for (int64_t i = w.first_with(0, pixel0); i < w.after_last_with(0, pixel0); ++i) {
      for (int64_t j = w.first_with(1, pixel1); j < w.after_last_with(1, pixel1); ++j) {
        for (int64_t k = w.first_with(2, at.x); k < w.after_last_with(2, at.x); ++k) {
          const int64_t count = w.divisor != 0 ? w.divisor : w.length(0, i) * w.length(1, j) * w.length(2, k);
          sum += static_cast<M>(gradient[(i * w.steps[1] + j) * w.steps[2] + k]) / static_cast<M>(count);
        }
      }
    }
    results[at.row * w.image[2] + at.x] = static_cast<T>(sum);
  }
}

/// How many pixels of a row a thread of the two kernels below has at a time. Each has a row of windows or pixels, so that its
/// innermost loops go along memory.
constexpr int64_t kPixels = 32;
constexpr int kRows = 16; // threads of a block

/// The largest elements of adaptive windows: first of the columns of a row of windows, then of each window's columns. The
/// first of equal ones is found, or the last that is not a number, as if one went through the window row by row.
template <typename T, typename M>
__global__ void largest_of_parts(const T* images, Windows w, T* results, int64_t* indices, int64_t rows) {
  const int64_t row = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (row < rows) {
    const int64_t step1 = row % w.steps[1], step0 = row / w.steps[1] % w.steps[0];
    const T* const image = images + row / w.steps[1] / w.steps[0] * (w.image[0] * w.image[1] * w.image[2]);
    const int64_t begin0 = w.begin(0, step0), end0 = w.end(0, step0);
    const int64_t begin1 = w.begin(1, step1), end1 = w.end(1, step1);
    const int64_t corner = (begin0 * w.image[1] + begin1) * w.image[2];
    constexpr M least = -std::numeric_limits<M>::infinity();
    M most = least;
    int64_t found = corner;
    int64_t first = 0;
    for (int64_t step = 0; step < w.steps[2];) {
      const int64_t width = std::min(kPixels, w.image[2] - first);
      M of_column[kPixels];
      int64_t pixel_of_column[kPixels];
      for (int64_t x = 0; x < kPixels; ++x) {
        of_column[x] = least;
        pixel_of_column[x] = corner + first + x;
      }
      for (int64_t i = begin0; i < end0; ++i) {
        for (int64_t j = begin1; j < end1; ++j) {
          const int64_t at = (i * w.image[1] + j) * w.image[2] + first;
          const auto compare = [&](int64_t x) {
            const M value = static_cast<M>(image[at + x]);
            const bool is_larger = value != value || value > of_column[x];
            of_column[x] = is_larger ? value : of_column[x];
            pixel_of_column[x] = is_larger ? at + x : pixel_of_column[x];
          };
          if (width == kPixels) { // a number that the compiler knows
            for (int64_t x = 0; x < kPixels; ++x) {
              compare(x);
            }
          } else {
            for (int64_t x = 0; x < width; ++x) {
              compare(x);
            }
          }
        }
      }
      const int64_t last = first + width;
      int64_t next = last;
      while (step < w.steps[2]) {
        const int64_t begin = w.begin(2, step), end = w.end(2, step);
        if (end > last && begin > first) { // another time as a whole
          next = begin;
          most = least;
          found = corner + begin;
          break;
        }
        for (int64_t x = std::max(begin, first) - first; x < std::min(end, last) - first; ++x) {
          const M value = of_column[x];
          const bool is_larger = value != value ? !(most != most) || pixel_of_column[x] > found
                                                : value > most || (value == most && pixel_of_column[x] < found);
          most = is_larger ? value : most;
          found = is_larger ? pixel_of_column[x] : found;
        }
        if (end > last) {
          break;
        }
        results[row * w.steps[2] + step] = static_cast<T>(most);
        indices[row * w.steps[2] + step] = found;
        ++step;
        most = least;
        found = step < w.steps[2] ? corner + w.begin(2, step) : 0;
      }
      first = next;
    }
  }
}

/// The gradient of the means of adaptive windows.
template <typename T, typename M>
__global__ void gradient_of_parts(const T* gradients, Windows w, T* results, int64_t rows) {
  const int64_t row = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (row < rows) {
    const int64_t pixel1 = row % w.image[1], pixel0 = row / w.image[1] % w.image[0];
    const T* const gradient = gradients + row / w.image[1] / w.image[0] * (w.steps[0] * w.steps[1] * w.steps[2]);
    const int64_t begin0 = w.first_with(0, pixel0), end0 = w.after_last_with(0, pixel0);
    const int64_t begin1 = w.first_with(1, pixel1), end1 = w.after_last_with(1, pixel1);
    for (int64_t first = 0; first < w.image[2]; first += kPixels) {
      const int64_t last = std::min(first + kPixels, w.image[2]);
      M sums[kPixels] = {};
      const int64_t after = w.after_last_with(2, last - 1);
      for (int64_t k = w.first_with(2, first); k < after; ++k) {
        const int64_t length = w.length(2, k);
        M share = 0;
        for (int64_t i = begin0; i < end0; ++i) {
          for (int64_t j = begin1; j < end1; ++j) {
            const int64_t count = w.length(0, i) * w.length(1, j) * length;
            share += static_cast<M>(gradient[(i * w.steps[1] + j) * w.steps[2] + k]) / static_cast<M>(count);
          }
        }
        const int64_t end = std::min(w.end(2, k), last) - first;
        for (int64_t x = std::max(w.begin(2, k), first) - first; x < end; ++x) {
          sums[x] += share;
        }
      }
      for (int64_t x = first; x < last; ++x) {
        results[row * w.image[2] + x] = static_cast<T>(sums[x - first]);
      }
    }
  }
}

Windows adaptive_windows(const Tensor& image, const Tensor& result, int dims) {
  Windows w{};
  set_three(w.image, image.sizes().slice(image.dim() - dims), dims, 1);
  set_three(w.steps, result.sizes().slice(result.dim() - dims), dims, 1);
  set_three(w.dilation, 1, dims, 1);
  w.adaptive = true;
  return w;
}

Windows sliding_windows(
    const Tensor& image, const Tensor& result, int dims, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation) {
  Windows w = adaptive_windows(image, result, dims);
  w.adaptive = false;
  set_three(w.kernel, kernel, dims, 1);
  set_three(w.stride, stride.empty() ? kernel : stride, dims, 1);
  set_three(w.padding, padding, dims, 0);
  set_three(w.dilation, dilation, dims, 1);
  return w;
}

Windows with_mean(Windows w, bool counts_padding, std::optional<int64_t> divisor) {
  TORCH_CHECK(!divisor || *divisor != 0, "divisor must be not zero");
  w.counts_padding = counts_padding;
  w.divisor = divisor.value_or(0);
  return w;
}

/// Float or double, in which types of two bytes are computed.
ScalarType wide_type(const Tensor& tensor) {
  return tensor.scalar_type() == kDouble ? kDouble : kFloat;
}

bool is_channels_last(const Tensor& tensor) {
  return tensor.dim() == 4 && tensor.is_contiguous(MemoryFormat::ChannelsLast) && !tensor.is_contiguous();
}

void compute_sliding_largest(const Tensor& self, const Windows& w, const Tensor& out, const Tensor& indices) {
  int64_t reach = 0; // from the first pixel of a window to the last
  for (int dim = 0; dim < 3; ++dim) {
    reach = reach * w.image[dim] + (w.kernel[dim] - 1) * w.dilation[dim];
  }
  const bool by_channels = is_channels_last(self) && is_channels_last(out) && is_channels_last(indices);
  const ScalarType type = reach > std::numeric_limits<int32_t>::max() ? kDouble : wide_type(self);
  const Tensor images = by_channels ? self.to(type) : self.to(type).contiguous();
  const Tensor results = out.scalar_type() == type && (by_channels || out.is_contiguous())
      ? out
      : at::empty_like(out, out.options().dtype(type).memory_format(images.suggest_memory_format()));
  const Tensor made_indices = by_channels ? indices : writable(indices);
  const auto stream = c10::musa::getCurrentMUSAStream();
  AT_DISPATCH_FLOATING_TYPES(type, "max_pool_musa", [&] {
    const scalar_t* const from = images.const_data_ptr<scalar_t>();
    scalar_t* const to = results.mutable_data_ptr<scalar_t>();
    int64_t* const found = made_indices.mutable_data_ptr<int64_t>();
    if (by_channels) {
      const int64_t channels = out.size(1), count = out.numel() / channels;
      largest_of_channels<<<rows::blocks_for(count), rows::kThreads, 0, stream>>>(from, w, channels, to, found, count);
    } else {
      const int64_t count = out.numel() / out.size(-1);
      const auto kernel = w.stride[2] == 2 ? largest_of_rows<scalar_t, 2> : largest_of_rows<scalar_t, 0>;
      kernel<<<rows::blocks_for(count), rows::kThreads, 0, stream>>>(from, w, to, found, count);
    }
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(out, results);
  finish(indices, made_indices);
}

void compute_largest(const Tensor& self, const Windows& w, const Tensor& out, const Tensor& indices) {
  if (out.numel() == 0) {
    return;
  }
  if (!w.adaptive) {
    compute_sliding_largest(self, w, out, indices);
    return;
  }
  const Tensor images = self.contiguous();
  const Tensor results = writable(out), made_indices = writable(indices);
  const Launch launch = launch_for(results);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "max_pool_musa", [&] {
    if (w.adaptive) {
      const int64_t rows = results.numel() / w.steps[2];
      largest_of_parts<scalar_t, at::opmath_type<scalar_t>>
          <<<(rows + kRows - 1) / kRows, kRows, 0, c10::musa::getCurrentMUSAStream()>>>(
              images.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(),
              made_indices.mutable_data_ptr<int64_t>(), rows);
      return;
    }
    largest<scalar_t, at::opmath_type<scalar_t>><<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
        images.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(),
        made_indices.mutable_data_ptr<int64_t>(), launch.rows);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(out, results);
  finish(indices, made_indices);
}

/// The gradient goes to the element that was largest.
void compute_largest_gradient(const Tensor& grad, const Tensor& indices, int dims, const Tensor& grad_input) {
  if (dims == 2 && is_channels_last(grad_input) && grad.numel() != 0) {
    const auto pixels = [](const Tensor& tensor) {
      return tensor.contiguous(MemoryFormat::ChannelsLast).permute({0, 2, 3, 1}).flatten(1, 2);
    };
    grad_input.zero_();
    pixels(grad_input).scatter_add_(1, pixels(indices), pixels(grad));
    return;
  }
  const Tensor results = writable(grad_input);
  results.zero_();
  if (grad.numel() != 0) {
    const int64_t start = grad.dim() - dims;
    results.flatten(start).scatter_add_(-1, indices.contiguous().flatten(start), grad.contiguous().flatten(start));
  }
  finish(grad_input, results);
}

void compute_mean(const Tensor& self, const Windows& w, const Tensor& out) {
  if (out.numel() == 0) {
    return;
  }
  const Tensor images = self.contiguous();
  const Tensor results = writable(out);
  const Launch launch = launch_for(results);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "avg_pool_musa", [&] {
    mean<scalar_t, at::opmath_type<scalar_t>><<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
        images.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(), launch.rows);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(out, results);
}

void compute_sliding_mean_gradient(const Tensor& grad, const Windows& w, const Tensor& grad_input) {
  const ScalarType type = wide_type(grad);
  const Tensor gradients = grad.to(type).contiguous();
  const bool fits = grad_input.scalar_type() == type && grad_input.is_contiguous();
  const Tensor results = fits ? grad_input : at::empty(grad_input.sizes(), grad_input.options().dtype(type));
  const int64_t count = results.numel() / results.size(-1);
  AT_DISPATCH_FLOATING_TYPES(type, "avg_pool_backward_musa", [&] {
    sliding_mean_gradient<<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        gradients.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(), count);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(grad_input, results);
}

void compute_mean_gradient(const Tensor& grad, const Windows& w, const Tensor& grad_input) {
  if (grad_input.numel() == 0) {
    return;
  }
  if (!w.adaptive) {
    compute_sliding_mean_gradient(grad, w, grad_input);
    return;
  }
  const Tensor gradients = grad.contiguous();
  const Tensor results = writable(grad_input);
  const Launch launch = launch_for(results);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, grad.scalar_type(), "avg_pool_backward_musa", [&] {
    if (w.adaptive) {
      const int64_t rows = results.numel() / w.image[2];
      gradient_of_parts<scalar_t, at::opmath_type<scalar_t>>
          <<<(rows + kRows - 1) / kRows, kRows, 0, c10::musa::getCurrentMUSAStream()>>>(
              gradients.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(), rows);
      return;
    }
    mean_gradient<scalar_t, at::opmath_type<scalar_t>>
        <<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
            gradients.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(), launch.rows);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(grad_input, results);
}

/// A tensor for the adaptive mean of `self`, after PyTorch's checks.
std::vector<int64_t> adaptive_sizes(const Tensor& self, IntArrayRef output_size, int dims) {
  TORCH_CHECK(
      static_cast<int>(output_size.size()) == dims, "adaptive_avg_pool", dims, "d: output_size must be ", dims);
  TORCH_CHECK(
      self.dim() == dims + 1 || self.dim() == dims + 2, "adaptive_avg_pool", dims, "d(): Expected ", dims + 1, "D or ",
      dims + 2, "D tensor, but got ", self.sizes());
  for (int64_t dim = self.dim() - dims; dim < self.dim(); ++dim) {
    TORCH_CHECK(
        self.size(dim) > 0, "adaptive_avg_pool", dims, "d(): Expected input to have non-zero size for non-batch "
        "dimensions, but input has sizes ", self.sizes(), " with dimension ", dim, " being empty");
  }
  std::vector<int64_t> sizes = self.sizes().vec();
  std::copy(output_size.begin(), output_size.end(), sizes.end() - dims);
  return sizes;
}

Tensor adaptive_mean(const Tensor& self, IntArrayRef output_size, int dims) {
  const Tensor out = at::empty(
      adaptive_sizes(self, output_size, dims), self.options(),
      self.dim() == dims + 2 ? std::optional(self.suggest_memory_format()) : std::nullopt);
  compute_mean(self, adaptive_windows(self, out, dims), out);
  return out;
}

Tensor& adaptive_mean_out(const Tensor& self, IntArrayRef output_size, int dims, Tensor& out) {
  out.resize_(adaptive_sizes(self, output_size, dims));
  compute_mean(self, adaptive_windows(self, out, dims), out);
  return out;
}

Tensor adaptive_mean_gradient(const Tensor& grad, const Tensor& self, int dims) {
  const Tensor result = at::empty(self.sizes(), self.options());
  compute_mean_gradient(grad, adaptive_windows(self, grad, dims), result);
  return result;
}

/// The sizes of max_pool3d, after PyTorch's checks.
std::vector<int64_t> max_pool3d_sizes(
    const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  TORCH_CHECK(
      kernel.size() == 1 || kernel.size() == 3, "max_pool3d: kernel_size must either be a single int, or a tuple of three ints");
  TORCH_CHECK(
      stride.empty() || stride.size() == 1 || stride.size() == 3,
      "max_pool3d: stride must either be omitted, a single int, or a tuple of three ints");
  TORCH_CHECK(
      padding.size() == 1 || padding.size() == 3, "max_pool3d: padding must either be a single int, or a tuple of three ints");
  TORCH_CHECK(
      dilation.size() == 1 || dilation.size() == 3, "max_pool3d: dilation must be either a single int, or a tuple of three ints");
  TORCH_CHECK(
      self.dim() == 4 || self.dim() == 5, "max_pool3d_with_indices_out_musa_template(): Expected 4D or 5D tensor for input, "
      "but got: ", self.sizes());
  int64_t k[3], s[3], p[3], d[3];
  set_three(k, kernel, 3, 1);
  set_three(s, stride.empty() ? kernel : stride, 3, 1);
  set_three(p, padding, 3, 0);
  set_three(d, dilation, 3, 1);
  std::vector<int64_t> sizes = self.sizes().vec();
  for (int i = 0; i < 3; ++i) {
    TORCH_CHECK(p[i] >= 0 && p[i] * 2 <= k[i], "pad should be at most half of effective kernel size");
    int64_t& size = sizes[sizes.size() - 3 + i];
    size = at::native::pooling_output_shape<int64_t>(size, k[i], p[i], s[i], d[i], ceil_mode);
    TORCH_CHECK(size > 0, "Given input size ", self.sizes(), ": the output would be too small");
  }
  return sizes;
}

} // namespace

TORCH_IMPL_FUNC(MusaMaxPool2dOut)(
    const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool,
    const Tensor& out, const Tensor& indices) {
  compute_largest(self, sliding_windows(self, out, 2, kernel, stride, padding, dilation), out, indices);
}

TORCH_IMPL_FUNC(MusaMaxPool2dBackwardOut)(
    const Tensor& grad, const Tensor&, IntArrayRef, IntArrayRef, IntArrayRef, IntArrayRef, bool, const Tensor& indices,
    const Tensor& grad_input) {
  compute_largest_gradient(grad, indices, 2, grad_input);
}

std::tuple<Tensor&, Tensor&> MusaMaxPool3dOut(
    const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode,
    Tensor& out, Tensor& indices) {
  const std::vector<int64_t> sizes = max_pool3d_sizes(self, kernel, stride, padding, dilation, ceil_mode);
  out.resize_(sizes);
  indices.resize_(sizes);
  compute_largest(self, sliding_windows(self, out, 3, kernel, stride, padding, dilation), out, indices);
  return {out, indices};
}

std::tuple<Tensor, Tensor> MusaMaxPool3d(
    const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  Tensor out = at::empty({0}, self.options());
  Tensor indices = at::empty({0}, self.options().dtype(kLong));
  MusaMaxPool3dOut(self, kernel, stride, padding, dilation, ceil_mode, out, indices);
  return {out, indices};
}

Tensor& MusaMaxPool3dBackwardOut(
    const Tensor& grad, const Tensor& self, IntArrayRef, IntArrayRef, IntArrayRef, IntArrayRef, bool,
    const Tensor& indices, Tensor& grad_input) {
  grad_input.resize_(self.sizes());
  compute_largest_gradient(grad, indices, 3, grad_input);
  return grad_input;
}

Tensor MusaMaxPool3dBackward(
    const Tensor& grad, const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode, const Tensor& indices) {
  Tensor grad_input = at::empty({0}, self.options());
  return MusaMaxPool3dBackwardOut(grad, self, kernel, stride, padding, dilation, ceil_mode, indices, grad_input);
}

TORCH_IMPL_FUNC(MusaAvgPool2dOut)(
    const Tensor& self, int64_t kernel_h, int64_t kernel_w, int64_t stride_h, int64_t stride_w, int64_t pad_h,
    int64_t pad_w, bool, bool count_include_pad, std::optional<int64_t> divisor, const Tensor& out) {
  const Windows w =
      sliding_windows(self, out, 2, {kernel_h, kernel_w}, {stride_h, stride_w}, {pad_h, pad_w}, 1);
  compute_mean(self, with_mean(w, count_include_pad, divisor), out);
}

TORCH_IMPL_FUNC(MusaAvgPool2dBackwardOut)(
    const Tensor& grad, const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, bool,
    bool count_include_pad, std::optional<int64_t> divisor, const Tensor& grad_input) {
  const Windows w = sliding_windows(self, grad, 2, kernel, stride, padding, 1);
  compute_mean_gradient(grad, with_mean(w, count_include_pad, divisor), grad_input);
}

TORCH_IMPL_FUNC(MusaAvgPool3dOut)(
    const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, bool, bool count_include_pad,
    std::optional<int64_t> divisor, const Tensor& out) {
  compute_mean(self, with_mean(sliding_windows(self, out, 3, kernel, stride, padding, 1), count_include_pad, divisor), out);
}

TORCH_IMPL_FUNC(MusaAvgPool3dBackwardOut)(
    const Tensor& grad, const Tensor& self, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding, bool,
    bool count_include_pad, std::optional<int64_t> divisor, const Tensor& grad_input) {
  const Windows w = sliding_windows(self, grad, 3, kernel, stride, padding, 1);
  compute_mean_gradient(grad, with_mean(w, count_include_pad, divisor), grad_input);
}

TORCH_IMPL_FUNC(MusaAdaptiveMaxPool2dOut)(const Tensor& self, IntArrayRef, const Tensor& out, const Tensor& indices) {
  compute_largest(self, adaptive_windows(self, out, 2), out, indices);
}

TORCH_IMPL_FUNC(MusaAdaptiveMaxPool2dBackwardOut)(
    const Tensor& grad, const Tensor&, const Tensor& indices, const Tensor& grad_input) {
  compute_largest_gradient(grad, indices, 2, grad_input);
}

TORCH_IMPL_FUNC(MusaAdaptiveMaxPool3dOut)(const Tensor& self, IntArrayRef, const Tensor& out, const Tensor& indices) {
  compute_largest(self, adaptive_windows(self, out, 3), out, indices);
}

TORCH_IMPL_FUNC(MusaAdaptiveMaxPool3dBackwardOut)(
    const Tensor& grad, const Tensor&, const Tensor& indices, const Tensor& grad_input) {
  compute_largest_gradient(grad, indices, 3, grad_input);
}

Tensor MusaAdaptiveAvgPool2d(const Tensor& self, IntArrayRef output_size) {
  return adaptive_mean(self, output_size, 2);
}
Tensor& MusaAdaptiveAvgPool2dOut(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  return adaptive_mean_out(self, output_size, 2, out);
}
Tensor MusaAdaptiveAvgPool2dBackward(const Tensor& grad, const Tensor& self) {
  return adaptive_mean_gradient(grad, self, 2);
}
Tensor MusaAdaptiveAvgPool3d(const Tensor& self, IntArrayRef output_size) {
  return adaptive_mean(self, output_size, 3);
}
Tensor& MusaAdaptiveAvgPool3dOut(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  return adaptive_mean_out(self, output_size, 3, out);
}
Tensor MusaAdaptiveAvgPool3dBackward(const Tensor& grad, const Tensor& self) {
  return adaptive_mean_gradient(grad, self, 3);
}
Tensor& MusaAdaptiveAvgPool3dBackwardOut(const Tensor& grad, const Tensor& self, Tensor& grad_input) {
  grad_input.resize_(self.sizes());
  compute_mean_gradient(grad, adaptive_windows(self, grad, 3), grad_input);
  return grad_input;
}

} // namespace at::musa
