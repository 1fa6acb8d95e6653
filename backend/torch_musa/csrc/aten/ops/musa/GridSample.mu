// Images read at places that a grid names: grid_sampler_2d, grid_sampler_3d and their gradients.
//
// Along each dimension, a place is up to four pixels with weights (Pixels). A value is the sum of the products of three such
// weights; two dimensions are three of which the first has one pixel. The gradient of a pixel is added with atomic operations.

#include <ATen/Context.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/musa/Atomic.muh>
#include <ATen/native/GridSamplerUtils.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <tuple>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"

namespace at::musa {

using namespace images;
using at::native::GridSamplerInterpolation;
using at::native::GridSamplerPadding;

namespace {

/// What the arguments of grid_sampler say.
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
  int64_t places; // of the grid, per image
};

/// A number and its derivative by the number in the grid.
template <typename R>
struct Place1d {
  R at, slope;
};

template <typename R>
__device__ inline Place1d<R> clipped(Place1d<R> place, int64_t size) {
  if (place.at <= 0) {
    return {R(0), R(0)};
  }
  const R last = static_cast<R>(size - 1);
  return place.at >= last ? Place1d<R>{last, R(0)} : place;
}

/// Mirrored at both ends until it is between them; the ends are given as twice their numbers.
template <typename R>
__device__ inline Place1d<R> mirrored(Place1d<R> place, int64_t twice_low, int64_t twice_high) {
  if (twice_low == twice_high) {
    return {R(0), R(0)};
  }
  const R low = static_cast<R>(twice_low) / 2;
  const R span = static_cast<R>(twice_high - twice_low) / 2;
  const R sign = place.at < low ? R(-1) : R(1);
  const R far = ::fabs(place.at - low);
  const R rest = ::fmod(far, span);
  return static_cast<int64_t>(::floor(far / span)) % 2 == 0 ? Place1d<R>{rest + low, sign * place.slope}
                                                            : Place1d<R>{span - rest + low, -sign * place.slope};
}

/// A place within the image, or one in the padding if that has zeros.
template <typename R>
__device__ inline Place1d<R> padded(Place1d<R> place, int64_t size, const Sampling& sampling) {
  if (sampling.padding == GridSamplerPadding::Border) {
    place = clipped(place, size);
  } else if (sampling.padding == GridSamplerPadding::Reflection) {
    place = sampling.align_corners ? mirrored(place, 0, 2 * (size - 1)) : mirrored(place, -1, 2 * size - 1);
    place = clipped(place, size);
  }
  // what is no number, or cannot be an index, is far outside
  const bool is_index = place.at > R(-2147483648.0) && place.at < R(2147483646.0);
  return is_index ? place : Place1d<R>{R(-100), place.slope};
}

/// The pixels of a place along one dimension; -1 is in the padding.
template <typename R>
struct Pixels {
  int64_t at[4];
  R weight[4];
  R slope[4]; // derivative of the weight
  int count;
};

__device__ inline int64_t inside(int64_t pixel, int64_t size) {
  return pixel >= 0 && pixel < size ? pixel : -1;
}

template <typename R>
__device__ inline void cubic(R t, R slope, Pixels<R>& pixels) {
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

template <typename R>
__device__ inline Pixels<R> pixels_at(R in_grid, int64_t size, const Sampling& sampling) {
  const R factor = static_cast<R>(sampling.align_corners ? size - 1 : size) / 2;
  const Place1d<R> given{sampling.align_corners ? (in_grid + 1) * factor : ((in_grid + 1) * size - 1) / 2, factor};
  Pixels<R> pixels{};
  if (sampling.interpolation == GridSamplerInterpolation::Bicubic) {
    const R before = ::floor(given.at);
    cubic(given.at - before, given.slope, pixels);
    pixels.count = 4;
    for (int k = 0; k < 4; ++k) {
      pixels.at[k] = inside(static_cast<int64_t>(padded(Place1d<R>{before - 1 + k, R(0)}, size, sampling).at), size);
    }
    return pixels;
  }
  const Place1d<R> place = padded(given, size, sampling);
  if (sampling.interpolation == GridSamplerInterpolation::Nearest) {
    pixels.count = 1;
    pixels.at[0] = inside(static_cast<int64_t>(::nearbyint(place.at)), size);
    pixels.weight[0] = 1;
    return pixels;
  }
  const R before = ::floor(place.at);
  pixels.count = 2;
  pixels.at[0] = inside(static_cast<int64_t>(before), size);
  pixels.at[1] = inside(static_cast<int64_t>(before) + 1, size);
  pixels.weight[0] = before + 1 - place.at;
  pixels.weight[1] = place.at - before;
  pixels.slope[0] = -place.slope;
  pixels.slope[1] = place.slope;
  return pixels;
}

/// The pixels of a place along the three dimensions. The grid has the last dimension first.
template <typename R>
struct Around {
  Pixels<R> along[3];
};

template <typename T, typename R>
__device__ inline Around<R> around(const T* grid, const Geometry& g, const Sampling& sampling) {
  Around<R> found{};
  if (g.dims == 2) {
    found.along[0].count = 1;
    found.along[0].weight[0] = 1;
  }
  for (int dim = 3 - g.dims; dim < 3; ++dim) {
    found.along[dim] = pixels_at(static_cast<R>(grid[2 - dim]), g.image[dim], sampling);
  }
  return found;
}

/// Calls `f` with the offset of each pixel within the image and its number along each dimension.
template <typename R, typename F>
__device__ inline void for_pixels(const Around<R>& places, const Geometry& g, const F& f) {
  const Pixels<R>&depth = places.along[0], &height = places.along[1], &width = places.along[2];
  for (int i = 0; i < depth.count; ++i) {
    for (int j = 0; j < height.count; ++j) {
      for (int k = 0; k < width.count; ++k) {
        if (depth.at[i] >= 0 && height.at[j] >= 0 && width.at[k] >= 0) {
          f((depth.at[i] * g.image[1] + height.at[j]) * g.image[2] + width.at[k], i, j, k);
        }
      }
    }
  }
}

template <typename T, typename R>
__global__ void sample(const T* images, const T* grid, Geometry g, Sampling sampling, T* results, int64_t count) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const Around<R> places = around<T, R>(grid + at * g.dims, g, sampling);
    const int64_t number = at / g.places, place = at % g.places;
    const int64_t pixels = g.image[0] * g.image[1] * g.image[2];
    for (int64_t channel = number * g.channels; channel < (number + 1) * g.channels; ++channel) {
      const T* const image = images + channel * pixels;
      R sum = 0;
      for_pixels(places, g, [&](int64_t pixel, int i, int j, int k) {
        sum += static_cast<R>(image[pixel]) * places.along[0].weight[i] * places.along[1].weight[j] *
            places.along[2].weight[k];
      });
      results[channel * g.places + place] = static_cast<T>(sum);
    }
  }
}

/// The gradients of the grid, and of the images if `image_gradients` is given.
template <typename T, typename R>
__global__ void sample_gradient(
    const T* gradients, const T* images, const T* grid, Geometry g, Sampling sampling, R* image_gradients,
    T* grid_gradients, int64_t count) {
  const int64_t at = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (at < count) {
    const Around<R> places = around<T, R>(grid + at * g.dims, g, sampling);
    const int64_t number = at / g.places, place = at % g.places;
    const int64_t pixels = g.image[0] * g.image[1] * g.image[2];
    R sums[3] = {};
    for (int64_t channel = number * g.channels; channel < (number + 1) * g.channels; ++channel) {
      const R gradient = static_cast<R>(gradients[channel * g.places + place]);
      const T* const image = images + channel * pixels;
      for_pixels(places, g, [&](int64_t pixel, int i, int j, int k) {
        const Pixels<R>&depth = places.along[0], &height = places.along[1], &width = places.along[2];
        const R value = static_cast<R>(image[pixel]) * gradient;
        sums[0] += value * depth.slope[i] * height.weight[j] * width.weight[k];
        sums[1] += value * depth.weight[i] * height.slope[j] * width.weight[k];
        sums[2] += value * depth.weight[i] * height.weight[j] * width.slope[k];
        if (image_gradients != nullptr) {
          gpuAtomicAddNoReturn(
              image_gradients + channel * pixels + pixel,
              gradient * depth.weight[i] * height.weight[j] * width.weight[k]);
        }
      });
    }
    for (int dim = 0; dim < g.dims; ++dim) {
      grid_gradients[at * g.dims + dim] = static_cast<T>(sums[2 - dim]);
    }
  }
}

Geometry geometry_of(const Tensor& images, const Tensor& grid) {
  const int dims = static_cast<int>(images.dim()) - 2;
  Geometry g{dims, images.size(1), {}, 1};
  set_three(g.image, images.sizes().slice(2), dims, 1);
  for (int dim = 1; dim <= dims; ++dim) {
    g.places *= grid.size(dim);
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

Tensor sampled(const Tensor& input, const Tensor& grid, const Sampling& sampling) {
  std::vector<int64_t> sizes = input.sizes().vec();
  std::copy(grid.sizes().begin() + 1, grid.sizes().end() - 1, sizes.begin() + 2);
  const Tensor results = at::empty(sizes, input.options());
  const Geometry g = geometry_of(input, grid);
  const int64_t count = input.size(0) * g.places;
  if (results.numel() != 0) {
    const Tensor images = input.contiguous(), places = grid.contiguous();
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "grid_sampler_musa", [&] {
      sample<scalar_t, at::opmath_type<scalar_t>>
          <<<blocks_for(count), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
              images.const_data_ptr<scalar_t>(), places.const_data_ptr<scalar_t>(), g, sampling,
              results.mutable_data_ptr<scalar_t>(), count);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return results;
}

std::tuple<Tensor, Tensor> sampled_gradient(
    const Tensor& grad, const Tensor& input, const Tensor& grid, const Sampling& sampling, bool of_input) {
  at::globalContext().alertNotDeterministic("grid_sampler_backward_musa");
  const ScalarType wide = at::toOpMathType(input.scalar_type());
  const Tensor input_gradient = of_input ? at::zeros(input.sizes(), input.options().dtype(wide)) : Tensor();
  const Tensor grid_gradient = at::zeros_like(grid, LEGACY_CONTIGUOUS_MEMORY_FORMAT);
  const Geometry g = geometry_of(input, grid);
  const int64_t count = input.size(0) * g.places;
  if (count != 0) {
    const Tensor gradients = grad.contiguous(), images = input.contiguous(), places = grid.contiguous();
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "grid_sampler_backward_musa", [&] {
      using R = at::opmath_type<scalar_t>;
      sample_gradient<scalar_t, R><<<blocks_for(count), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          gradients.const_data_ptr<scalar_t>(), images.const_data_ptr<scalar_t>(), places.const_data_ptr<scalar_t>(), g,
          sampling, of_input ? input_gradient.mutable_data_ptr<R>() : nullptr,
          grid_gradient.mutable_data_ptr<scalar_t>(), count);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return {of_input ? input_gradient.to(input.scalar_type()) : input_gradient, grid_gradient};
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
