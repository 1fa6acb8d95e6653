// Convolutions of one to three dimensions, plain and transposed, and their gradients: the windows of an image become the
// columns of a matrix (unfold), muBLAS multiplies it with the weights of each group; the transposed way (fold) adds up
// what the windows of a pixel have. im2col and col2im are the same two operations.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/im2col_shape_check.h>
#include <ATen/ops/bmm.h>
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

/// How many bytes of columns are made at a time.
constexpr int64_t kMostBytes = int64_t(1) << 26;

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

/// What a kernel can use of Windows.
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

/// columns[channel, place in kernel][image, window] = the pixel there, or 0 in the padding. Threads in x go along the last
/// dimension of the windows, those in y and blocks in x along everything else.
template <typename T>
__global__ void unfold(const T* images, Geometry g, T* columns, int64_t rows) {
  const auto [row, x] = place();
  if (row < rows && x < g.steps[2]) {
    int64_t rest = row;
    const int64_t step1 = rest % g.steps[1];
    rest /= g.steps[1];
    const int64_t step0 = rest % g.steps[0];
    rest /= g.steps[0];
    const int64_t image = rest % g.count;
    rest /= g.count;
    const int64_t k2 = rest % g.kernel[2];
    rest /= g.kernel[2];
    const int64_t k1 = rest % g.kernel[1];
    rest /= g.kernel[1];
    const int64_t k0 = rest % g.kernel[0];
    const int64_t channel = rest / g.kernel[0];
    const int64_t at0 = step0 * g.stride[0] - g.padding[0] + k0 * g.dilation[0];
    const int64_t at1 = step1 * g.stride[1] - g.padding[1] + k1 * g.dilation[1];
    const int64_t at2 = x * g.stride[2] - g.padding[2] + k2 * g.dilation[2];
    const bool inside = at0 >= 0 && at0 < g.image[0] && at1 >= 0 && at1 < g.image[1] && at2 >= 0 && at2 < g.image[2];
    const T* const line =
        images + (((image * g.channels + channel) * g.image[0] + at0) * g.image[1] + at1) * g.image[2];
    columns[row * g.steps[2] + x] = inside ? line[at2] : T(0);
  }
}

/// images[image, channel, pixel] = the sum of its places in all windows. Threads as above, along pixels.
template <typename T, typename M>
__global__ void fold(const M* columns, Geometry g, T* images, int64_t rows) {
  const auto [row, x] = place();
  if (row < rows && x < g.image[2]) {
    int64_t rest = row;
    const int64_t at1 = rest % g.image[1] + g.padding[1];
    rest /= g.image[1];
    const int64_t at0 = rest % g.image[0] + g.padding[0];
    rest /= g.image[0];
    const int64_t channel = rest % g.channels;
    const int64_t image = rest / g.channels;
    const int64_t at2 = x + g.padding[2];
    M sum = 0;
    for (int64_t k0 = 0; k0 < g.kernel[0]; ++k0) {
      const int64_t far0 = at0 - k0 * g.dilation[0];
      if (far0 < 0 || far0 % g.stride[0] != 0 || far0 / g.stride[0] >= g.steps[0]) {
        continue;
      }
      for (int64_t k1 = 0; k1 < g.kernel[1]; ++k1) {
        const int64_t far1 = at1 - k1 * g.dilation[1];
        if (far1 < 0 || far1 % g.stride[1] != 0 || far1 / g.stride[1] >= g.steps[1]) {
          continue;
        }
        for (int64_t k2 = 0; k2 < g.kernel[2]; ++k2) {
          const int64_t far2 = at2 - k2 * g.dilation[2];
          if (far2 < 0 || far2 % g.stride[2] != 0 || far2 / g.stride[2] >= g.steps[2]) {
            continue;
          }
          const int64_t place = ((channel * g.kernel[0] + k0) * g.kernel[1] + k1) * g.kernel[2] + k2;
          const int64_t window =
              (far0 / g.stride[0] * g.steps[1] + far1 / g.stride[1]) * g.steps[2] + far2 / g.stride[2];
          sum += columns[(place * g.count + image) * (g.steps[0] * g.steps[1] * g.steps[2]) + window];
        }
      }
    }
    images[row * g.image[2] + x] = static_cast<T>(sum);
  }
}

/// The columns [channels x places, images x windows] of contiguous images.
Tensor unfolded(const Tensor& images, const Windows& w) {
  const Tensor columns = at::empty({w.channels * w.weights(), w.count * w.windows()}, images.options());
  if (columns.numel() != 0) {
    const int64_t rows = columns.numel() / w.steps[2];
    const Launch launch = launch_for(rows, w.steps[2]);
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(kHalf, kBFloat16, kBool, images.scalar_type(), "im2col_musa", [&] {
      unfold<<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
          images.const_data_ptr<scalar_t>(), geometry_of(w), columns.mutable_data_ptr<scalar_t>(), rows);
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return columns;
}

/// Writes images from columns. Those of half and bfloat16 may be float: their sums are.
void fold_into(const Tensor& images, const Tensor& given, const Windows& w) {
  if (images.numel() != 0) {
    const Tensor columns = given.to(at::toOpMathType(images.scalar_type())).contiguous();
    const int64_t rows = images.numel() / w.image[2];
    const Launch launch = launch_for(rows, w.image[2]);
    AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(kHalf, kBFloat16, kBool, images.scalar_type(), "col2im_musa", [&] {
      using M = at::opmath_type<scalar_t>;
      fold<scalar_t, M><<<launch.grid, launch.block, 0, c10::musa::getCurrentMUSAStream()>>>(
          columns.const_data_ptr<M>(), geometry_of(w), images.mutable_data_ptr<scalar_t>(), rows);
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
};

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

/// The windows as muDNN is told of them: for as many dimensions as the pixels have.
ConvolutionWindows windows_for_mudnn(const Convolution& c, const Tensor& wide) {
  const int64_t missing = 5 - wide.dim();
  const auto own = [missing](const Three& values) { return IntArrayRef(values).slice(missing); };
  return {own(c.windows.stride), own(c.windows.padding), own(c.windows.dilation), c.groups};
}

/// narrow = weight x windows of wide.
void slide(const Tensor& wide, const Tensor& weight, const Tensor& narrow, const Convolution& whole) {
  const MudnnFunctions* const mudnn = mudnn_functions();
  if (mudnn && mudnn->convolve(narrow, wide, weight.contiguous(), windows_for_mudnn(whole, wide))) {
    return;
  }
  const Tensor weights = weights_of(weight, whole);
  for_parts(whole, wide.element_size(), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor columns = unfolded(wide.narrow(0, first, count), c.windows);
    const Tensor product = at::bmm(weights, columns.view({c.groups, c.rows_per_group(), -1}));
    narrow.narrow(0, first, count).flatten(2).copy_(product.view({c.narrow_channels, count, -1}).transpose(0, 1));
  });
}

/// wide = the sum of weight x narrow over the windows.
void slide_back(const Tensor& narrow, const Tensor& weight, const Tensor& wide, const Convolution& whole) {
  const MudnnFunctions* const mudnn = mudnn_functions();
  if (mudnn && mudnn->convolve_backward(wide, narrow, weight.contiguous(), windows_for_mudnn(whole, wide))) {
    return;
  }
  const ScalarType type = at::toOpMathType(weight.scalar_type());
  const Tensor weights = weights_of(weight, whole).to(type);
  for_parts(whole, c10::elementSize(type), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor columns =
        at::bmm(weights.transpose(1, 2), by_channels(narrow.narrow(0, first, count), c.groups).to(type));
    fold_into(wide.narrow(0, first, count), columns, c.windows);
  });
}

/// The gradient of the weight. Half and bfloat16 are summed in float where there are several parts.
Tensor weight_gradient(const Tensor& wide, const Tensor& narrow, const Tensor& weight, const Convolution& whole) {
  if (const MudnnFunctions* const mudnn = mudnn_functions()) {
    const Tensor gradient = at::empty(weight.sizes(), weight.options());
    if (mudnn->convolve_backward_weight(gradient, wide, narrow, windows_for_mudnn(whole, wide))) {
      return gradient;
    }
  }
  Tensor sum;
  for_parts(whole, wide.element_size(), [&](int64_t first, int64_t count, const Convolution& c) {
    const Tensor columns = unfolded(wide.narrow(0, first, count), c.windows).view({c.groups, c.rows_per_group(), -1});
    const Tensor part = at::bmm(by_channels(narrow.narrow(0, first, count), c.groups), columns.conj().transpose(1, 2));
    const bool only = count == whole.windows.count;
    const Tensor wider = only ? part : part.to(at::toOpMathType(part.scalar_type()));
    sum = sum.defined() ? sum.add_(wider) : wider;
  });
  return sum.defined() ? sum.to(weight.scalar_type()).view(weight.sizes()) : at::zeros(weight.sizes(), weight.options());
}

void require_device_of(const Tensor& input, const Tensor& operand, const char* name) {
  TORCH_CHECK(
      operand.device() == input.device(), "Expected ", name, " tensor and input tensor to be on the same MUSA device, but "
      "got ", name, " on ", operand.device(), " and input on ", input.device());
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
  return output;
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
  return {grad_input, grad_weight, grad_bias};
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
  const Tensor columns = unfolded(images, w).view({w.channels * w.weights(), w.count, w.windows()}).transpose(0, 1);
  out.resize_(self.dim() == 3 ? columns[0].sizes() : columns.sizes());
  return out.copy_(self.dim() == 3 ? columns[0] : columns);
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
  const Tensor images = at::empty({w.count, w.channels, w.image[1], w.image[2]}, self.options());
  fold_into(images, given.transpose(0, 1), w);
  out.resize_(self.dim() == 2 ? images[0].sizes() : images.sizes());
  return out.copy_(self.dim() == 2 ? images[0] : images);
}

Tensor MusaCol2Im(
    const Tensor& self, IntArrayRef output_size, IntArrayRef kernel, IntArrayRef dilation, IntArrayRef padding,
    IntArrayRef stride) {
  Tensor out = at::empty({0}, self.options());
  return MusaCol2ImOut(self, output_size, kernel, dilation, padding, stride, out);
}

} // namespace at::musa
