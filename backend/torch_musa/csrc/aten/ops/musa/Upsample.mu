// Images of another size: nearest, linear and cubic interpolation, with antialiasing or without, and the gradients.
//
// All of them are sums along one dimension after the other: result[o] is a sum of neighbouring pixels with weights. A kernel
// writes the first of these pixels, their number and the weights for each dimension (Axis); other kernels add up along one
// dimension. The gradient of a pixel is the sum over the results that it is in, which are neighbours, too. Types other than
// float and double are computed in float.

#include <ATen/core/Tensor.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bicubic2d_aa_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa_native.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact1d_native.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact2d_native.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact3d_native.h>
#include <ATen/ops/upsample_bicubic2d_backward_native.h>
#include <ATen/ops/upsample_bicubic2d_native.h>
#include <ATen/ops/upsample_bilinear2d_backward_native.h>
#include <ATen/ops/upsample_bilinear2d_native.h>
#include <ATen/ops/upsample_linear1d_backward_native.h>
#include <ATen/ops/upsample_linear1d_native.h>
#include <ATen/ops/upsample_nearest1d_backward_native.h>
#include <ATen/ops/upsample_nearest1d_native.h>
#include <ATen/ops/upsample_nearest2d_backward_native.h>
#include <ATen/ops/upsample_nearest2d_native.h>
#include <ATen/ops/upsample_nearest3d_backward_native.h>
#include <ATen/ops/upsample_nearest3d_native.h>
#include <ATen/ops/upsample_trilinear3d_backward_native.h>
#include <ATen/ops/upsample_trilinear3d_native.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"
#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

using namespace images;

namespace {

enum class Filter { Nearest, NearestExact, Linear, Cubic, SmoothLinear, SmoothCubic };

/// One dimension: result[o] = the sum of weights[o * most + k] * image[first[o] + k] over k < count[o]. The other way, pixel i
/// is in the results from begin[i] to end[i].
template <typename R>
struct Axis {
  int64_t image, results;
  int64_t most; // pixels of a result
  const int64_t* first;
  const int64_t* count;
  const R* weights;
  const int64_t* begin;
  const int64_t* end;

  __device__ R weight(int64_t result, int64_t pixel) const {
    return weights[result * most + pixel - first[result]];
  }
};

/// Weights of the pixel before a position, and of the three around it, for a position `t` after the second.
template <typename R>
__device__ inline void cubic_weights(R t, R* weights) {
  const R a = R(-0.75);
  const R after = R(1) - t;
  const R far = t + R(1), farther = after + R(1);
  weights[0] = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a;
  weights[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  weights[2] = ((a + 2) * after - (a + 3)) * after * after + 1;
  weights[3] = ((a * farther - 5 * a) * farther + 8 * a) * farther - 4 * a;
}

/// The weight of a pixel at a distance, with antialiasing.
template <typename R>
__device__ inline R smooth_weight(Filter filter, R x) {
  x = x < 0 ? -x : x;
  if (filter == Filter::SmoothLinear) {
    return x < 1 ? R(1) - x : R(0);
  }
  const R a = R(-0.5);
  if (x < 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : R(0);
}

/// Adds to the weight of a pixel; one beyond the edge counts as the pixel there.
template <typename R>
__device__ inline void add_weight(R* weights, int64_t first, int64_t pixel, int64_t image, R weight) {
  weights[std::min(std::max<int64_t>(pixel, 0), image - 1) - first] += weight;
}

/// Writes the pixels and weights of each result. `scale` is the distance of two results, in pixels.
template <typename R>
__global__ void write_pixels(
    Filter filter, bool align_corners, R scale, int64_t image, int64_t results, int64_t most, int64_t* firsts,
    int64_t* counts, R* all_weights) {
  const int64_t o = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (o >= results) {
    return;
  }
  R* const weights = all_weights + o * most;
  for (int64_t k = 0; k < most; ++k) {
    weights[k] = 0;
  }
  const R at = static_cast<R>(o);
  int64_t first = 0, count = 1;
  if (filter == Filter::Nearest || filter == Filter::NearestExact) {
    const R position = filter == Filter::Nearest ? at * scale : (at + R(0.5)) * scale;
    first = std::min(static_cast<int64_t>(::floor(position)), image - 1);
    weights[0] = 1;
  } else if (filter == Filter::Linear) {
    R position = align_corners ? scale * at : scale * (at + R(0.5)) - R(0.5);
    position = position < 0 && !align_corners ? R(0) : position;
    first = std::min(static_cast<int64_t>(position), image - 1);
    const R part = std::min(std::max(position - static_cast<R>(first), R(0)), R(1));
    count = first + 1 < image ? 2 : 1;
    add_weight(weights, first, first, image, R(1) - part);
    add_weight(weights, first, first + 1, image, part);
  } else if (filter == Filter::Cubic) {
    const R position = align_corners ? scale * at : scale * (at + R(0.5)) - R(0.5);
    const int64_t pixel = static_cast<int64_t>(::floor(position));
    first = std::min(std::max<int64_t>(pixel - 1, 0), image - 1);
    count = std::min(std::max<int64_t>(pixel + 2, 0), image - 1) - first + 1;
    R four[4];
    cubic_weights(position - static_cast<R>(pixel), four);
    for (int k = 0; k < 4; ++k) {
      add_weight(weights, first, pixel - 1 + k, image, four[k]);
    }
  } else {
    const R reach = filter == Filter::SmoothLinear ? R(1) : R(2);
    const R support = scale >= 1 ? reach * scale : reach;
    const R inverse = scale >= 1 ? R(1) / scale : R(1);
    const R center = scale * (at + R(0.5));
    first = std::max<int64_t>(static_cast<int64_t>(center - support + R(0.5)), 0);
    count = std::min(static_cast<int64_t>(center + support + R(0.5)), image) - first;
    count = std::min(std::max<int64_t>(count, 0), most);
    R sum = 0;
    for (int64_t k = 0; k < count; ++k) {
      weights[k] = smooth_weight(filter, (static_cast<R>(k + first) - center + R(0.5)) * inverse);
      sum += weights[k];
    }
    for (int64_t k = 0; k < count && sum != 0; ++k) {
      weights[k] /= sum;
    }
  }
  firsts[o] = first;
  counts[o] = count;
}

/// The first result for which `f` holds; it holds for all after it.
template <typename F>
__device__ inline int64_t first_result(int64_t results, const F& f) {
  int64_t low = 0, high = results;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (f(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Writes which results each pixel is in.
__global__ void write_results(
    const int64_t* first, const int64_t* count, int64_t image, int64_t results, int64_t* begin, int64_t* end) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < image) {
    begin[i] = first_result(results, [=](int64_t o) { return first[o] + count[o] > i; });
    end[i] = first_result(results, [=](int64_t o) { return first[o] > i; });
  }
}

/// Makes the last dimension of images; a thread has a row. kMost: the pixels of a result, if one or two, else 0.
template <typename R, int kMost>
__global__ void resample_row(const R* images, Axis<R> axis, int64_t count, R* results) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const R* const line = images + row * axis.image;
  const auto value = [&](int64_t o) -> R {
    const int64_t first = axis.first[o];
    if constexpr (kMost == 1) {
      return line[first];
    } else if constexpr (kMost == 2) {
      const bool second = axis.count[o] == 2;
      const R after = axis.weights[2 * o + 1] * line[first + (second ? 1 : 0)];
      return axis.weights[2 * o] * line[first] + (second ? after : R(0));
    } else {
      R sum = 0;
      for (int64_t k = 0; k < axis.count[o]; ++k) {
        sum += axis.weights[o * axis.most + k] * line[first + k];
      }
      return sum;
    }
  };
  R* const to = results + row * axis.results;
  rows::map<R>(axis.results, value, [&](int64_t o, R made) { to[o] = made; });
}

/// The gradient of the last dimension. kNearest: all weights are one.
template <typename R, bool kNearest>
__global__ void resample_row_gradient(const R* gradients, Axis<R> axis, int64_t count, R* results) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const R* const line = gradients + row * axis.results;
  for (int64_t x = 0; x < axis.image; ++x) {
    R sum = 0;
    for (int64_t o = axis.begin[x]; o < axis.end[x]; ++o) {
      sum += kNearest ? line[o] : axis.weight(o, x) * line[o];
    }
    results[row * axis.image + x] = sum;
  }
}

/// Makes another dimension, or its gradient, of [outer, size, inner]. A thread has all of `inner` for one position.
template <typename R, bool kBackward>
__global__ void resample_lines(const R* given, Axis<R> axis, int64_t inner, int64_t count, R* made) {
  const int64_t line = rows::this_thread();
  if (line >= count) {
    return;
  }
  const int64_t size = kBackward ? axis.image : axis.results;
  const int64_t position = line % size;
  const R* const from = given + line / size * (kBackward ? axis.results : axis.image) * inner;
  R* const to = made + line * inner;
  const int64_t begin = kBackward ? axis.begin[position] : axis.first[position];
  const int64_t end = kBackward ? axis.end[position] : begin + axis.count[position];
  if (begin >= end) {
    for (int64_t i = 0; i < inner; ++i) {
      to[i] = 0;
    }
  }
  for (int64_t k = begin; k < end; ++k) {
    const R weight = kBackward ? axis.weight(k, position) : axis.weight(position, k);
    const R* const part = from + k * inner;
    if (k == begin) {
      for (int64_t i = 0; i < inner; ++i) {
        to[i] = weight * part[i];
      }
    } else {
      for (int64_t i = 0; i < inner; ++i) {
        to[i] += weight * part[i];
      }
    }
  }
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// The memory of an Axis.
struct AxisMemory {
  Tensor positions, weights;
};

/// Makes an axis. `scale`: the factor that the user gave, if any.
template <typename R>
Axis<R> axis_of(
    Filter filter, bool align_corners, int64_t image, int64_t results, std::optional<double> factor, bool backward,
    const TensorOptions& options, AxisMemory& memory) {
  R scale;
  if (align_corners) {
    scale = results > 1 ? static_cast<R>(image - 1) / static_cast<R>(results - 1) : R(0);
  } else {
    scale = factor && *factor > 0 ? static_cast<R>(1.0 / *factor) : static_cast<R>(image) / static_cast<R>(results);
  }
  const bool smooth = filter == Filter::SmoothLinear || filter == Filter::SmoothCubic;
  const double reach = (filter == Filter::SmoothLinear ? 1 : 2) * std::max<double>(scale, 1);
  const int64_t most =
      smooth ? static_cast<int64_t>(std::ceil(reach)) * 2 + 1 : filter == Filter::Cubic ? 4 : filter == Filter::Linear ? 2 : 1;
  memory.positions = at::empty({2 * (image + results)}, options.dtype(kLong));
  memory.weights = at::empty({results, most}, options.dtype(c10::CppTypeToScalarType<R>::value));
  int64_t* const first = memory.positions.mutable_data_ptr<int64_t>();
  int64_t *const count = first + results, *const begin = count + results, *const end = begin + image;
  R* const weights = memory.weights.mutable_data_ptr<R>();
  const auto stream = c10::musa::getCurrentMUSAStream();
  write_pixels<R><<<blocks_for(results), kThreads, 0, stream>>>(
      filter, align_corners, scale, image, results, most, first, count, weights);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  if (backward) {
    write_results<<<blocks_for(image), kThreads, 0, stream>>>(first, count, image, results, begin, end);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return {image, results, most, first, count, weights, begin, end};
}

using Factors = std::array<std::optional<double>, 3>;

/// Makes one dimension of [outer, size, inner], or its gradient.
template <typename R>
void resample_along(const Axis<R>& axis, int64_t outer, int64_t inner, bool backward, const R* from, R* to) {
  const auto stream = c10::musa::getCurrentMUSAStream();
  if (inner == 1) {
    const auto kernel = backward ? (axis.most == 1 ? resample_row_gradient<R, true> : resample_row_gradient<R, false>)
        : axis.most == 1         ? resample_row<R, 1>
        : axis.most == 2         ? resample_row<R, 2>
                                 : resample_row<R, 0>;
    kernel<<<rows::blocks_for(outer), rows::kThreads, 0, stream>>>(from, axis, outer, to);
  } else {
    const int64_t count = outer * (backward ? axis.image : axis.results);
    const auto kernel = backward ? resample_lines<R, true> : resample_lines<R, false>;
    kernel<<<rows::blocks_for(count), rows::kThreads, 0, stream>>>(from, axis, inner, count, to);
  }
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// Results from images, or the gradient of the images from that of the results; both are contiguous. The last dimension has
/// gathers, so it comes where there are the fewest elements: first to enlarge an image, and last for the gradient.
template <typename R>
void compute(
    Filter filter, bool align_corners, const Factors& factors, int64_t dims, const Tensor& given, bool backward,
    const Tensor& made) {
  const Tensor& images = backward ? made : given;
  const Tensor& results = backward ? given : made;
  std::vector<int64_t> sizes = given.sizes().vec();
  Tensor from = given;
  for (int64_t step = 0; step < dims; ++step) {
    const int64_t i = backward ? 3 - dims + step : 2 - step;
    const int64_t dim = given.dim() - 3 + i;
    AxisMemory memory;
    const Axis<R> axis = axis_of<R>(
        filter, align_corners, images.size(dim), results.size(dim), factors[i], backward, given.options(), memory);
    sizes[dim] = made.size(dim);
    const Tensor to = step == dims - 1 ? made : at::empty(sizes, given.options());
    const int64_t outer = c10::multiply_integers(sizes.begin(), sizes.begin() + dim);
    const int64_t inner = c10::multiply_integers(sizes.begin() + dim + 1, sizes.end());
    resample_along(axis, outer, inner, backward, from.const_data_ptr<R>(), to.mutable_data_ptr<R>());
    from = to;
  }
}

void resample(
    Filter filter, bool align_corners, const Factors& factors, int64_t dims, const Tensor& given, bool backward,
    const Tensor& made) {
  if (made.numel() == 0) {
    return;
  }
  const bool wide = given.scalar_type() == kDouble;
  const ScalarType type = wide ? kDouble : kFloat;
  const Tensor source = given.to(type).contiguous();
  const bool fits = made.scalar_type() == type && made.is_contiguous();
  const Tensor written = fits ? made : at::empty(made.sizes(), made.options().dtype(type));
  wide ? compute<double>(filter, align_corners, factors, dims, source, backward, written)
       : compute<float>(filter, align_corners, factors, dims, source, backward, written);
  if (made.scalar_type() == kByte) { // rounded, and kept in its range
    written.clamp_(0, 255).add_(0.5);
  }
  finish(made, written);
}

using Factor = std::optional<double>;

} // namespace

#define MUSA_UPSAMPLE_1D(NAME, FILTER, ALIGN_PARAMETER, ALIGN)                                                   \
  TORCH_IMPL_FUNC(Musa##NAME##Out)                                                                               \
  (const Tensor& self, IntArrayRef, ALIGN_PARAMETER Factor w, const Tensor& out) {                               \
    resample(FILTER, ALIGN, {Factor(), Factor(), w}, 1, self, false, out);                                       \
  }                                                                                                              \
  TORCH_IMPL_FUNC(Musa##NAME##BackwardOut)                                                                       \
  (const Tensor& grad, IntArrayRef, IntArrayRef, ALIGN_PARAMETER Factor w, const Tensor& grad_input) {           \
    resample(FILTER, ALIGN, {Factor(), Factor(), w}, 1, grad, true, grad_input);                                 \
  }

#define MUSA_UPSAMPLE_2D(NAME, FILTER, ALIGN_PARAMETER, ALIGN)                                                   \
  TORCH_IMPL_FUNC(Musa##NAME##Out)                                                                               \
  (const Tensor& self, IntArrayRef, ALIGN_PARAMETER Factor h, Factor w, const Tensor& out) {                     \
    resample(FILTER, ALIGN, {Factor(), h, w}, 2, self, false, out);                                              \
  }                                                                                                              \
  TORCH_IMPL_FUNC(Musa##NAME##BackwardOut)                                                                       \
  (const Tensor& grad, IntArrayRef, IntArrayRef, ALIGN_PARAMETER Factor h, Factor w, const Tensor& grad_input) { \
    resample(FILTER, ALIGN, {Factor(), h, w}, 2, grad, true, grad_input);                                        \
  }

#define MUSA_UPSAMPLE_3D(NAME, FILTER, ALIGN_PARAMETER, ALIGN)                                                   \
  TORCH_IMPL_FUNC(Musa##NAME##Out)                                                                               \
  (const Tensor& self, IntArrayRef, ALIGN_PARAMETER Factor d, Factor h, Factor w, const Tensor& out) {           \
    resample(FILTER, ALIGN, {d, h, w}, 3, self, false, out);                                                     \
  }                                                                                                              \
  TORCH_IMPL_FUNC(Musa##NAME##BackwardOut)                                                                       \
  (const Tensor& grad, IntArrayRef, IntArrayRef, ALIGN_PARAMETER Factor d, Factor h, Factor w,                   \
   const Tensor& grad_input) {                                                                                   \
    resample(FILTER, ALIGN, {d, h, w}, 3, grad, true, grad_input);                                               \
  }

#define MUSA_ALIGNED bool align_corners,

MUSA_UPSAMPLE_1D(UpsampleNearest1d, Filter::Nearest, , false)
MUSA_UPSAMPLE_2D(UpsampleNearest2d, Filter::Nearest, , false)
MUSA_UPSAMPLE_3D(UpsampleNearest3d, Filter::Nearest, , false)
MUSA_UPSAMPLE_1D(UpsampleNearestExact1d, Filter::NearestExact, , false)
MUSA_UPSAMPLE_2D(UpsampleNearestExact2d, Filter::NearestExact, , false)
MUSA_UPSAMPLE_3D(UpsampleNearestExact3d, Filter::NearestExact, , false)
MUSA_UPSAMPLE_1D(UpsampleLinear1d, Filter::Linear, MUSA_ALIGNED, align_corners)
MUSA_UPSAMPLE_2D(UpsampleBilinear2d, Filter::Linear, MUSA_ALIGNED, align_corners)
MUSA_UPSAMPLE_3D(UpsampleTrilinear3d, Filter::Linear, MUSA_ALIGNED, align_corners)
MUSA_UPSAMPLE_2D(UpsampleBicubic2d, Filter::Cubic, MUSA_ALIGNED, align_corners)
MUSA_UPSAMPLE_2D(UpsampleBilinear2dAa, Filter::SmoothLinear, MUSA_ALIGNED, align_corners)
MUSA_UPSAMPLE_2D(UpsampleBicubic2dAa, Filter::SmoothCubic, MUSA_ALIGNED, align_corners)

} // namespace at::musa
