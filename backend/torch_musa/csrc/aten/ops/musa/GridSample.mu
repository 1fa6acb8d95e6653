// Images read at points that a grid names: grid_sampler_2d, grid_sampler_3d and their gradients.
//
// Along each dimension, a point is one, two or four pixels with weights (Pixels). A value is the sum of pixels times the
// products of such weights. How many there are is known when the kernels are compiled, so that all of them stay in registers.
// The pixels are found once for all channels. Types other than float and double are computed in float.

#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/GridSamplerUtils.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"
#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

using namespace images;
using at::native::GridSamplerInterpolation;
using at::native::GridSamplerPadding;

namespace {

/// The arguments of grid_sampler.
struct Sampling {
  GridSamplerInterpolation interpolation;
  GridSamplerPadding padding;
  bool align_corners;
};

/// Sizes; the image's missing dimension comes first.
struct Geometry {
  int dims;
  int64_t channels;
  int64_t image[3];
  int64_t points; // of the grid, per image
};

/// A number and its derivative by the number in the grid.
template <typename R>
struct Point1d {
  R at, slope;
};

template <typename R>
__device__ inline Point1d<R> clipped(Point1d<R> point, int64_t size) {
  if (point.at <= 0) {
    return {R(0), R(0)};
  }
  const R last = static_cast<R>(size - 1);
  return point.at >= last ? Point1d<R>{last, R(0)} : point;
}

/// Mirrored at both ends until it is between them; the ends are given as twice their numbers.
template <typename R>
__device__ inline Point1d<R> mirrored(Point1d<R> point, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) {
    return {R(0), R(0)};
  }
  const R low = static_cast<R>(twice_low) / 2;
  const R span = static_cast<R>(twice_high - twice_low) / 2;
  const R sign = point.at < low ? R(-1) : R(1);
  const R far = ::fabs(point.at - low);
  const R rest = ::fmod(far, span);
  return static_cast<int64_t>(::floor(far / span)) % 2 == 0 ? Point1d<R>{rest + low, sign * point.slope}
                                                            : Point1d<R>{span - rest + low, -sign * point.slope};
}

/// A point within the image, or one in the padding if that has zeros.
template <typename R>
__device__ inline Point1d<R> padded(Point1d<R> point, int64_t size, const Sampling& sampling) {
  if (sampling.padding == GridSamplerPadding::Border) {
    point = clipped(point, size);
  } else if (sampling.padding == GridSamplerPadding::Reflection) {
    point = sampling.align_corners ? mirrored(point, 0, 2 * (size - 1)) : mirrored(point, -1, 2 * size - 1);
    point = clipped(point, size);
  }
  // NaN, or a number that cannot be an index, is far outside
  const bool is_index = point.at > R(-2147483648.0) && point.at < R(2147483646.0);
  return is_index ? point : Point1d<R>{R(-100), point.slope};
}

/// The pixels of a point along one dimension; -1 is in the padding.
template <typename R, int kCount>
struct Pixels {
  int64_t at[kCount];
  R weight[kCount];
  R slope[kCount]; // derivative of the weight
};

__device__ inline int64_t inside(int64_t pixel, int64_t size) {
  return pixel >= 0 && pixel < size ? pixel : -1;
}

template <typename R>
__device__ inline void cubic(R t, R slope, Pixels<R, 4>& pixels) {
  const R a = R(-0.75);
  const R x[4] = {t + 1, t, 1 - t, 2 - t};
  for (int k = 0; k < 4; ++k) {
    const bool outer = k == 0 || k == 3;
    const R sign = k < 2 ? slope : -slope;
    pixels.weight[k] = outer ? ((a * x[k] - 5 * a) * x[k] + 8 * a) * x[k] - 4 * a
                             : ((a + 2) * x[k] - (a + 3)) * x[k] * x[k] + 1;
    pixels.slope[k] =
        sign * (outer ? (3 * a * x[k] - 10 * a) * x[k] + 8 * a : (3 * (a + 2) * x[k] - 2 * (a + 3)) * x[k]);
  }
}

/// kCount: 1 is the nearest pixel, 2 linear, 4 cubic interpolation.
template <int kCount, typename R>
__device__ inline Pixels<R, kCount> pixels_at(R in_grid, int64_t size, const Sampling& sampling) {
  const R factor = static_cast<R>(sampling.align_corners ? size - 1 : size) / 2;
  const Point1d<R> given{sampling.align_corners ? (in_grid + 1) * factor : ((in_grid + 1) * size - 1) / 2, factor};
  Pixels<R, kCount> pixels{};
  if constexpr (kCount == 4) {
    const R before = ::floor(given.at);
    cubic(given.at - before, given.slope, pixels);
    for (int k = 0; k < 4; ++k) {
      pixels.at[k] = inside(static_cast<int64_t>(padded(Point1d<R>{before - 1 + k, R(0)}, size, sampling).at), size);
    }
    return pixels;
  }
  const Point1d<R> point = padded(given, size, sampling);
  if constexpr (kCount == 1) {
    pixels.at[0] = inside(static_cast<int64_t>(::nearbyint(point.at)), size);
    pixels.weight[0] = 1;
  } else if constexpr (kCount == 2) {
    const R before = ::floor(point.at);
    pixels.at[0] = inside(static_cast<int64_t>(before), size);
    pixels.at[1] = inside(static_cast<int64_t>(before) + 1, size);
    pixels.weight[0] = before + 1 - point.at;
    pixels.weight[1] = point.at - before;
    pixels.slope[0] = -point.slope;
    pixels.slope[1] = point.slope;
  }
  return pixels;
}

/// All pixels of a point: where they are in the image, whether they are in the padding, and their weights.
template <typename R, int kDims, int kCount>
struct Around {
  static constexpr int kPixels = kCount * kCount * (kDims == 3 ? kCount : 1);
  int64_t at[kPixels]; // 0 in the padding
  bool inside[kPixels];
  R weight[kPixels];
  R slopes[3][kPixels]; // derivatives of the weight; the last dimension first, as in the grid

  __device__ Around(const R* grid, const Geometry& g, const Sampling& sampling) {
    const Pixels<R, kCount> width = pixels_at<kCount>(grid[0], g.image[2], sampling);
    const Pixels<R, kCount> height = pixels_at<kCount>(grid[1], g.image[1], sampling);
    constexpr int kDepth = kDims == 3 ? kCount : 1;
    Pixels<R, kDepth> depth{};
    depth.weight[0] = 1;
    if constexpr (kDims == 3) {
      depth = pixels_at<kCount>(grid[2], g.image[0], sampling);
    }
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      const int i = p / kCount / kCount, j = p / kCount % kCount, k = p % kCount;
      inside[p] = depth.at[i] >= 0 && height.at[j] >= 0 && width.at[k] >= 0;
      at[p] = inside[p] ? (depth.at[i] * g.image[1] + height.at[j]) * g.image[2] + width.at[k] : 0;
      weight[p] = depth.weight[i] * height.weight[j] * width.weight[k];
      slopes[0][p] = depth.weight[i] * height.weight[j] * width.slope[k];
      slopes[1][p] = depth.weight[i] * height.slope[j] * width.weight[k];
      slopes[2][p] = depth.slope[i] * height.weight[j] * width.weight[k];
    }
  }
};

/// Writes the pixels of each point, -1 in the padding, and their weights: [image, pixel, point].
template <typename R, int kDims, int kCount>
__global__ void find_pixels(const R* grid, Geometry g, Sampling sampling, int64_t count, int64_t* found, R* weights) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const Around<R, kDims, kCount> around(grid + at * kDims, g, sampling);
    const int64_t first = at / g.points * around.kPixels * g.points + at % g.points;
    for (int p = 0; p < around.kPixels; ++p) {
      found[first + p * g.points] = around.inside[p] ? around.at[p] : -1;
      weights[first + p * g.points] = around.weight[p];
    }
  }
}

constexpr int64_t kPoints = 1024; // of a thread that samples

/// A thread has some points of a channel, of which there are `pieces`.
template <typename R, int kPixels>
__global__ void sample(
    const R* images, const int64_t* found, const R* weights, Geometry g, int64_t pieces, int64_t count, R* results) {
  const int64_t thread = rows::this_thread();
  if (thread >= count) {
    return;
  }
  const int64_t channel = thread / pieces;
  const int64_t first = thread % pieces * kPoints;
  const R* const image = images + channel * (g.image[0] * g.image[1] * g.image[2]);
  const int64_t skipped = channel / g.channels * kPixels * g.points + first;
  const int64_t* const at = found + skipped;
  const R* const weight = weights + skipped;
  R* const to = results + channel * g.points + first;
  const auto value = [&](int64_t point) {
    R sum = 0;
#pragma unroll
    for (int p = 0; p < kPixels; ++p) {
      const int64_t pixel = at[p * g.points + point];
      const R part = image[pixel < 0 ? 0 : pixel] * weight[p * g.points + point];
      sum += pixel < 0 ? R(0) : part;
    }
    return sum;
  };
  rows::map<R>(std::min(kPoints, g.points - first), value, [&](int64_t point, R made) { to[point] = made; });
}

/// The gradient of the images: a thread has a channel, so that no other adds to its pixels.
template <typename R>
__global__ void add_to_pixels(
    const R* gradients, const int64_t* found, const R* weights, Geometry g, int pixels, int64_t count, R* results) {
  const int64_t channel = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (channel < count) {
    R* const to = results + channel * (g.image[0] * g.image[1] * g.image[2]);
    for (int p = 0; p < pixels; ++p) {
      const int64_t first = (channel / g.channels * pixels + p) * g.points;
      for (int64_t point = 0; point < g.points; ++point) {
        const int64_t at = found[first + point];
        if (at >= 0) {
          to[at] += gradients[channel * g.points + point] * weights[first + point];
        }
      }
    }
  }
}

/// The gradient of the grid.
template <typename R, int kDims, int kCount>
__global__ void grid_gradient(
    const R* gradients, const R* images, const R* grid, Geometry g, Sampling sampling, R* results, int64_t count) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const Around<R, kDims, kCount> around(grid + at * kDims, g, sampling);
    const int64_t number = at / g.points, point = at % g.points;
    const int64_t pixels = g.image[0] * g.image[1] * g.image[2];
    R sums[kDims] = {};
    for (int64_t channel = number * g.channels; channel < (number + 1) * g.channels; ++channel) {
      const R gradient = gradients[channel * g.points + point];
      const R* const image = images + channel * pixels;
      for (int p = 0; p < around.kPixels; ++p) {
        const R value = around.inside[p] ? image[around.at[p]] * gradient : R(0);
        for (int dim = 0; dim < kDims; ++dim) {
          sums[dim] += value * around.slopes[dim][p];
        }
      }
    }
    for (int dim = 0; dim < kDims; ++dim) {
      results[at * kDims + dim] = sums[dim];
    }
  }
}

Geometry geometry_of(const Tensor& images, const Tensor& grid) {
  const int dims = static_cast<int>(images.dim()) - 2;
  Geometry g{dims, images.size(1), {}, 1};
  set_three(g.image, images.sizes().slice(2), dims, 1);
  for (int dim = 1; dim <= dims; ++dim) {
    g.points *= grid.size(dim);
  }
  return g;
}

Sampling sampling_of(int64_t interpolation, int64_t padding, bool align_corners) {
  return {
      static_cast<GridSamplerInterpolation>(interpolation), static_cast<GridSamplerPadding>(padding), align_corners};
}

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

template <int kNumber>
using Number = std::integral_constant<int, kNumber>;

/// Calls `f` with the numbers of dimensions, of pixels along each and of all pixels, as types.
template <typename F>
void for_kernel(int dims, GridSamplerInterpolation interpolation, const F& f) {
  switch (interpolation) {
    case GridSamplerInterpolation::Nearest:
      return dims == 2 ? f(Number<2>(), Number<1>(), Number<1>()) : f(Number<3>(), Number<1>(), Number<1>());
    case GridSamplerInterpolation::Bilinear:
      return dims == 2 ? f(Number<2>(), Number<2>(), Number<4>()) : f(Number<3>(), Number<2>(), Number<8>());
    case GridSamplerInterpolation::Bicubic:
      return f(Number<2>(), Number<4>(), Number<16>());
  }
}

ScalarType wide_type(const Tensor& tensor) {
  return tensor.scalar_type() == kDouble ? kDouble : kFloat;
}

/// The pixels of all points of a grid.
struct Found {
  Tensor at, weights;
};

template <typename R, int kDims, int kCount, int kPixels>
Found find_all(const Tensor& grid, const Geometry& g, const Sampling& sampling) {
  const int64_t count = grid.size(0) * g.points;
  const Found found{
      at::empty({kPixels * count}, grid.options().dtype(kLong)), at::empty({kPixels * count}, grid.options())};
  find_pixels<R, kDims, kCount><<<blocks_for(count), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      grid.const_data_ptr<R>(), g, sampling, count, found.at.mutable_data_ptr<int64_t>(),
      found.weights.mutable_data_ptr<R>());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return found;
}

Tensor sampled(const Tensor& input, const Tensor& given_grid, const Sampling& sampling) {
  std::vector<int64_t> sizes = input.sizes().vec();
  std::copy(given_grid.sizes().begin() + 1, given_grid.sizes().end() - 1, sizes.begin() + 2);
  const ScalarType type = wide_type(input);
  const Tensor results = at::empty(sizes, input.options().dtype(type));
  const Geometry g = geometry_of(input, given_grid);
  if (results.numel() != 0) {
    const Tensor images = input.to(type).contiguous(), grid = given_grid.to(type).contiguous();
    AT_DISPATCH_FLOATING_TYPES(type, "grid_sampler_musa", [&] {
      for_kernel(g.dims, sampling.interpolation, [&](auto dims, auto along, auto pixels) {
        constexpr int kPixels = decltype(pixels)::value;
        const Found found =
            find_all<scalar_t, decltype(dims)::value, decltype(along)::value, kPixels>(grid, g, sampling);
        const int64_t pieces = (g.points + kPoints - 1) / kPoints;
        const int64_t count = input.size(0) * g.channels * pieces;
        sample<scalar_t, kPixels>
            <<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
                images.const_data_ptr<scalar_t>(), found.at.const_data_ptr<int64_t>(),
                found.weights.const_data_ptr<scalar_t>(), g, pieces, count, results.mutable_data_ptr<scalar_t>());
      });
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return results.to(input.scalar_type());
}

std::tuple<Tensor, Tensor> sampled_gradient(
    const Tensor& grad, const Tensor& input, const Tensor& given_grid, const Sampling& sampling, bool of_input) {
  at::globalContext().alertNotDeterministic("grid_sampler_backward_musa");
  const ScalarType type = wide_type(input);
  const Tensor input_gradient = of_input ? at::zeros(input.sizes(), input.options().dtype(type)) : Tensor();
  const Tensor of_grid = at::zeros(given_grid.sizes(), given_grid.options().dtype(type));
  const Geometry g = geometry_of(input, given_grid);
  const int64_t count = input.size(0) * g.points;
  if (count != 0 && g.channels != 0) {
    const Tensor gradients = grad.to(type).contiguous(), images = input.to(type).contiguous();
    const Tensor grid = given_grid.to(type).contiguous();
    const auto stream = c10::musa::getCurrentMUSAStream();
    AT_DISPATCH_FLOATING_TYPES(type, "grid_sampler_backward_musa", [&] {
      for_kernel(g.dims, sampling.interpolation, [&](auto dims, auto along, auto pixels) {
        constexpr int kDims = decltype(dims)::value, kCount = decltype(along)::value;
        constexpr int kPixels = decltype(pixels)::value;
        const scalar_t* const gradient = gradients.const_data_ptr<scalar_t>();
        if (of_input) {
          const int64_t channels = input.size(0) * g.channels;
          const Found found = find_all<scalar_t, kDims, kCount, kPixels>(grid, g, sampling);
          add_to_pixels<<<blocks_for(channels), kThreads, 0, stream>>>(
              gradient, found.at.const_data_ptr<int64_t>(), found.weights.const_data_ptr<scalar_t>(), g, kPixels,
              channels, input_gradient.mutable_data_ptr<scalar_t>());
          C10_MUSA_KERNEL_LAUNCH_CHECK();
        }
        if constexpr (kCount > 1) { // else it is 0
          grid_gradient<scalar_t, kDims, kCount><<<blocks_for(count), kThreads, 0, stream>>>(
              gradient, images.const_data_ptr<scalar_t>(), grid.const_data_ptr<scalar_t>(), g, sampling,
              of_grid.mutable_data_ptr<scalar_t>(), count);
          C10_MUSA_KERNEL_LAUNCH_CHECK();
        }
      });
    });
  }
  return {of_input ? input_gradient.to(input.scalar_type()) : input_gradient, of_grid.to(given_grid.scalar_type())};
}

} // namespace

Tensor MusaGridSampler2d(
    const Tensor& input, const Tensor& grid, int64_t interpolation, int64_t padding, bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  return sampled(input, grid, sampling_of(interpolation, padding, align_corners));
}

Tensor MusaGridSampler3d(
    const Tensor& input, const Tensor& grid, int64_t interpolation, int64_t padding, bool align_corners) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, interpolation);
  return sampled(input, grid, sampling_of(interpolation, padding, align_corners));
}

std::tuple<Tensor, Tensor> MusaGridSampler2dBackward(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t interpolation, int64_t padding,
    bool align_corners, std::array<bool, 2> mask) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_2d(input, grid);
  return sampled_gradient(grad, input, grid, sampling_of(interpolation, padding, align_corners), mask[0]);
}

std::tuple<Tensor, Tensor> MusaGridSampler3dBackward(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t interpolation, int64_t padding,
    bool align_corners, std::array<bool, 2> mask) {
  at::native::check_grid_sampler_common(input, grid);
  at::native::check_grid_sampler_3d(input, grid, interpolation);
  return sampled_gradient(grad, input, grid, sampling_of(interpolation, padding, align_corners), mask[0]);
}

} // namespace at::musa
