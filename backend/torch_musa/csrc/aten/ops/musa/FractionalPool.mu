// The largest elements of windows at random positions: fractional_max_pool2d and 3d, and their gradients.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/fractional_max_pool2d_backward_native.h>
#include <ATen/ops/fractional_max_pool2d_native.h>
#include <ATen/ops/fractional_max_pool3d_backward_native.h>
#include <ATen/ops/fractional_max_pool3d_native.h>

#include <limits>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"

namespace at::musa {

using namespace images;

namespace {

struct Windows {
  int64_t image[3], steps[3], kernel[3];
  int sample_of[3]; // which of a plane's random numbers each dimension has; -1 for a missing one
  int samples;
};

/// Where a window begins, for a random number of [0, 1).
template <typename M>
__device__ inline int64_t begin_of(M sample, int64_t step, int64_t image, int64_t steps, int64_t kernel) {
  if (step == steps - 1) {
    return image - kernel;
  }
  const M distance = static_cast<M>(image - kernel) / static_cast<M>(steps - 1);
  return static_cast<int64_t>((static_cast<M>(step) + sample) * distance) - static_cast<int64_t>(sample * distance);
}

template <typename T, typename M>
__global__ void largest(
    const T* images, const T* samples, Windows w, T* results, int64_t* indices, int64_t rows) {
  const auto [row, x] = position();
  if (row < rows && x < w.steps[2]) {
    const int64_t plane = row / w.steps[1] / w.steps[0];
    const int64_t steps[3] = {row / w.steps[1] % w.steps[0], row % w.steps[1], x};
    int64_t begin[3];
    for (int dim = 0; dim < 3; ++dim) {
      const M sample = w.sample_of[dim] < 0 ? M(0) : static_cast<M>(samples[plane * w.samples + w.sample_of[dim]]);
      begin[dim] = begin_of(sample, steps[dim], w.image[dim], w.steps[dim], w.kernel[dim]);
    }
    const T* const image = images + plane * (w.image[0] * w.image[1] * w.image[2]);
    int64_t found = (begin[0] * w.image[1] + begin[1]) * w.image[2] + begin[2];
    M most = -std::numeric_limits<M>::infinity();
    for (int64_t i = begin[0]; i < begin[0] + w.kernel[0]; ++i) {
      for (int64_t j = begin[1]; j < begin[1] + w.kernel[1]; ++j) {
        for (int64_t k = begin[2]; k < begin[2] + w.kernel[2]; ++k) {
          const int64_t index = (i * w.image[1] + j) * w.image[2] + k;
          const M value = static_cast<M>(image[index]);
          if (value != value || value > most) {
            most = value;
            found = index;
          }
        }
      }
    }
    results[row * w.steps[2] + x] = static_cast<T>(most);
    indices[row * w.steps[2] + x] = found;
  }
}

void pool(
    const Tensor& self, const Tensor& random_samples, IntArrayRef kernel, int64_t dims, const Tensor& output,
    const Tensor& indices) {
  if (output.numel() == 0) {
    return;
  }
  // of two dimensions, PyTorch takes the first random number for the width
  Windows w{{}, {}, {}, {dims == 3 ? 0 : -1, 1, dims == 3 ? 2 : 0}, static_cast<int>(dims)};
  set_three(w.image, self.sizes().slice(self.dim() - dims), dims, 1);
  set_three(w.steps, output.sizes().slice(output.dim() - dims), dims, 1);
  set_three(w.kernel, kernel, dims, 1);
  const Tensor images = self.contiguous(), samples = random_samples.contiguous();
  const Tensor results = writable(output), made_indices = writable(indices);
  const Launch launch = launch_for(results);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "fractional_max_pool_musa", [&] {
    largest<scalar_t, at::opmath_type<scalar_t>><<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
        images.const_data_ptr<scalar_t>(), samples.const_data_ptr<scalar_t>(), w, results.mutable_data_ptr<scalar_t>(),
        made_indices.mutable_data_ptr<int64_t>(), launch.rows);
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  finish(output, results);
  finish(indices, made_indices);
}

/// The gradient belongs to the elements that were largest.
void pool_gradient(const Tensor& grad, const Tensor& indices, int64_t dims, const Tensor& grad_input) {
  const Tensor results = writable(grad_input);
  results.zero_();
  if (grad.numel() != 0) {
    const int64_t first = grad.dim() - dims;
    results.flatten(first).scatter_add_(-1, indices.contiguous().flatten(first), grad.contiguous().flatten(first));
  }
  finish(grad_input, results);
}

} // namespace

TORCH_IMPL_FUNC(MusaFractionalMaxPool2dOut)(
    const Tensor& self, IntArrayRef kernel, IntArrayRef, const Tensor& random_samples, const Tensor& output,
    const Tensor& indices) {
  pool(self, random_samples, kernel, 2, output, indices);
}

TORCH_IMPL_FUNC(MusaFractionalMaxPool2dBackwardOut)(
    const Tensor& grad, const Tensor&, IntArrayRef, IntArrayRef, const Tensor& indices, const Tensor& grad_input) {
  pool_gradient(grad, indices, 2, grad_input);
}

TORCH_IMPL_FUNC(MusaFractionalMaxPool3dOut)(
    const Tensor& self, int64_t kernel_t, int64_t kernel_h, int64_t kernel_w, int64_t, int64_t, int64_t,
    const Tensor& random_samples, int64_t, int64_t, int64_t, int64_t, int64_t, const Tensor& output,
    const Tensor& indices) {
  pool(self, random_samples, {kernel_t, kernel_h, kernel_w}, 3, output, indices);
}

Tensor& MusaFractionalMaxPool3dBackwardOut(
    const Tensor& grad, const Tensor& self, IntArrayRef, IntArrayRef, const Tensor& indices, Tensor& grad_input) {
  grad_input.resize_(self.sizes());
  pool_gradient(grad, indices, 3, grad_input);
  return grad_input;
}

Tensor MusaFractionalMaxPool3dBackward(
    const Tensor& grad, const Tensor& self, IntArrayRef kernel, IntArrayRef output_size, const Tensor& indices) {
  Tensor grad_input = at::empty({0}, self.options());
  return MusaFractionalMaxPool3dBackwardOut(grad, self, kernel, output_size, indices, grad_input);
}

} // namespace at::musa
