// Group normalisation and its backward: PyTorch's functions check and find these kernels in their stubs.

#include <ATen/native/group_norm.h>
#include <ATen/ops/empty.h>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::native {

namespace {

namespace rows = at::musa::rows;
using rows::kThreads;

/// A tensor [samples, channels, plane] whose channels are in groups.
struct Layout {
  int64_t samples;
  int64_t channels;
  int64_t plane;
  int64_t groups;

  __host__ __device__ int64_t per_group() const {
    return channels / groups;
  }
};

template <typename T, typename A>
__global__ void normalise(
    const T* in, const A* weight, const A* bias, double eps, Layout layout, T* out, A* means, A* rstds) {
  const int64_t group = rows::this_thread();
  if (group >= layout.samples * layout.groups) {
    return;
  }
  const int64_t size = layout.per_group() * layout.plane;
  const T* x = in + group * size;
  const A mean = rows::sum_of<A>(size, [x](int64_t k) { return static_cast<A>(x[k]); }) / static_cast<A>(size);
  const A squares = rows::sum_of<A>(size, [x, mean](int64_t k) {
    const A distance = static_cast<A>(x[k]) - mean;
    return distance * distance;
  });
  const A rstd = A(1) / ::sqrt(squares / static_cast<A>(size) + static_cast<A>(eps));
  means[group] = mean;
  rstds[group] = rstd;
  for (int64_t c = 0; c < layout.per_group(); ++c) {
    const int64_t channel = group % layout.groups * layout.per_group() + c;
    const A scale = rstd * (weight ? weight[channel] : A(1));
    const A shift = bias ? bias[channel] : A(0);
    const T* from = x + c * layout.plane;
    T* to = out + group * size + c * layout.plane;
    rows::map<A>(
        layout.plane, [=](int64_t k) { return (static_cast<A>(from[k]) - mean) * scale + shift; },
        [to](int64_t k, A value) { to[k] = static_cast<T>(value); });
  }
}

/// Adds up gradient * (x - mean), and the gradient, of each plane.
template <typename T, typename A>
__global__ void plane_sums(const T* gradient, const T* in, const A* means, Layout layout, A* products, A* gradients) {
  const int64_t plane = rows::this_thread();
  if (plane >= layout.samples * layout.channels) {
    return;
  }
  const A mean = means[plane / layout.per_group()];
  const T* g = gradient + plane * layout.plane;
  const T* x = in + plane * layout.plane;
  products[plane] = rows::sum_of<A>(
      layout.plane, [=](int64_t k) { return static_cast<A>(g[k]) * (static_cast<A>(x[k]) - mean); });
  gradients[plane] = rows::sum_of<A>(layout.plane, [g](int64_t k) { return static_cast<A>(g[k]); });
}

template <typename T, typename A>
__global__ void input_gradient(
    const T* gradient, const T* in, const A* means, const A* rstds, const A* weight, const A* products,
    const A* gradients, Layout layout, T* result) {
  const int64_t plane = rows::this_thread();
  if (plane >= layout.samples * layout.channels) {
    return;
  }
  const int64_t group = plane / layout.per_group();
  const int64_t first_channel = group % layout.groups * layout.per_group();
  A product = A(0);
  A sum = A(0);
  for (int64_t c = 0; c < layout.per_group(); ++c) { // each plane of the group does this: they are few
    const A of_channel = weight ? weight[first_channel + c] : A(1);
    product += products[group * layout.per_group() + c] * of_channel;
    sum += gradients[group * layout.per_group() + c] * of_channel;
  }
  const A count = static_cast<A>(layout.per_group() * layout.plane);
  const A mean = means[group];
  const A rstd = rstds[group];
  const A slope = product * rstd * rstd * rstd / count;
  const A average = sum * rstd / count;
  const A scale = rstd * (weight ? weight[plane % layout.channels] : A(1));
  const T* g = gradient + plane * layout.plane;
  const T* x = in + plane * layout.plane;
  T* r = result + plane * layout.plane;
  rows::map<A>(
      layout.plane,
      [=](int64_t k) {
        return scale * static_cast<A>(g[k]) - slope * (static_cast<A>(x[k]) - mean) - average;
      },
      [r](int64_t k, A value) { r[k] = static_cast<T>(value); });
}

template <typename A>
__global__ void weight_gradients(
    const A* rstds, const A* products, const A* gradients, Layout layout, A* weight, A* bias) {
  const int64_t channel = rows::this_thread();
  if (channel >= layout.channels) {
    return;
  }
  A of_weight = A(0);
  A of_bias = A(0);
  for (int64_t n = 0; n < layout.samples; ++n) {
    const int64_t plane = n * layout.channels + channel;
    of_weight += products[plane] * rstds[plane / layout.per_group()];
    of_bias += gradients[plane];
  }
  weight[channel] = of_weight;
  bias[channel] = of_bias;
}

Tensor plain(const Tensor& tensor, ScalarType dtype) {
  return tensor.defined() ? tensor.to(dtype).contiguous() : tensor;
}

template <typename A>
const A* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? static_cast<const A*>(tensor.const_data_ptr()) : nullptr;
}

void forward_musa(
    const Tensor& input, const Tensor& gamma, const Tensor& beta, int64_t samples, int64_t channels, int64_t plane,
    int64_t groups, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  if (samples * channels == 0) {
    return;
  }
  const Layout layout{samples, channels, plane, groups};
  const Tensor in = input.contiguous();
  const auto options = in.options().dtype(at::toOpMathType(in.scalar_type()));
  const Tensor weight = plain(gamma, options.dtype().toScalarType());
  const Tensor bias = plain(beta, options.dtype().toScalarType());
  const Tensor made = out.is_contiguous() ? out : at::empty(out.sizes(), out.options());
  const Tensor means = at::empty({samples, groups}, options);
  const Tensor rstds = at::empty({samples, groups}, options);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "group_norm_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    normalise<scalar_t, A>
        <<<rows::blocks_for(samples * groups), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            in.const_data_ptr<scalar_t>(), data_or_null<A>(weight), data_or_null<A>(bias), eps, layout,
            made.mutable_data_ptr<scalar_t>(), means.mutable_data_ptr<A>(), rstds.mutable_data_ptr<A>());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  mean.copy_(means.view_as(mean));
  rstd.copy_(rstds.view_as(rstd));
  if (!made.is_same(out)) {
    out.copy_(made);
  }
}

void backward_musa(
    const Tensor& gradient, const Tensor& input, const Tensor& mean, const Tensor& rstd, const Tensor& gamma,
    int64_t samples, int64_t channels, int64_t plane, int64_t groups, Tensor& of_input, Tensor& of_gamma,
    Tensor& of_beta) {
  if (samples * channels == 0) {
    for (Tensor* sum : {&of_gamma, &of_beta}) {
      if (sum->defined()) {
        sum->zero_();
      }
    }
    return;
  }
  const Layout layout{samples, channels, plane, groups};
  const Tensor g = gradient.contiguous();
  const Tensor in = input.contiguous();
  const ScalarType dtype = at::toOpMathType(in.scalar_type());
  const Tensor weight = plain(gamma, dtype);
  const Tensor means = plain(mean, dtype);
  const Tensor rstds = plain(rstd, dtype);
  const Tensor sums = at::empty({2, samples, channels}, in.options().dtype(dtype));
  const auto stream = c10::musa::getCurrentMUSAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "group_norm_backward_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    A* products = sums.mutable_data_ptr<A>();
    A* gradients = products + samples * channels;
    const int64_t planes = rows::blocks_for(samples * channels);
    plane_sums<scalar_t, A><<<planes, kThreads, 0, stream>>>(
        g.const_data_ptr<scalar_t>(), in.const_data_ptr<scalar_t>(), means.const_data_ptr<A>(), layout, products,
        gradients);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    if (of_input.defined()) {
      const Tensor made = of_input.is_contiguous() ? of_input : at::empty(of_input.sizes(), of_input.options());
      input_gradient<scalar_t, A><<<planes, kThreads, 0, stream>>>(
          g.const_data_ptr<scalar_t>(), in.const_data_ptr<scalar_t>(), means.const_data_ptr<A>(),
          rstds.const_data_ptr<A>(), data_or_null<A>(weight), products, gradients, layout,
          made.mutable_data_ptr<scalar_t>());
      C10_MUSA_KERNEL_LAUNCH_CHECK();
      if (!made.is_same(of_input)) {
        of_input.copy_(made);
      }
    }
    if (of_gamma.defined() || of_beta.defined()) {
      const Tensor made = at::empty({2, channels}, sums.options());
      weight_gradients<A><<<rows::blocks_for(channels), kThreads, 0, stream>>>(
          rstds.const_data_ptr<A>(), products, gradients, layout, made.mutable_data_ptr<A>(),
          made.mutable_data_ptr<A>() + channels);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
      for (auto [index, result] : {std::pair<int64_t, Tensor*>(0, &of_gamma), {1, &of_beta}}) {
        if (result->defined()) {
          result->copy_(made.select(0, index));
        }
      }
    }
  });
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(GroupNormKernel, &forward_musa)
REGISTER_PRIVATEUSE1_DISPATCH(GroupNormBackwardKernel, &backward_musa)

} // namespace at::native
