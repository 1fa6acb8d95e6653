// Layer normalisation and RMS normalisation with their backwards. Weights are read, and sums made, in the type that
// arithmetic is done in.

#include <ATen/native/layer_norm.h>
#include <ATen/ops/_fused_rms_norm_backward_native.h>
#include <ATen/ops/_fused_rms_norm_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <ATen/ops/zeros.h>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

using rows::kLanes;
using rows::kThreads;

constexpr int64_t kLeastRows = 64; // that a thread adds up in a column
constexpr int64_t kWantedThreads = 2048;

template <bool kRms, typename T, typename A>
__global__ void normalise(
    const T* in, const A* weight, const A* bias, double eps, int64_t count, int64_t size, T* out, A* means, A* rstds) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* x = in + row * size;
  T* y = out + row * size;
  A mean = A(0);
  if constexpr (!kRms) {
    mean = rows::sum_of<A>(size, [x](int64_t k) { return static_cast<A>(x[k]); }) / static_cast<A>(size);
    means[row] = mean;
  }
  const A squares = rows::sum_of<A>(size, [x, mean](int64_t k) {
    const A distance = static_cast<A>(x[k]) - mean;
    return distance * distance;
  });
  const A rstd = A(1) / ::sqrt(squares / static_cast<A>(size) + static_cast<A>(eps));
  rstds[row] = rstd;
  rows::map<A>(
      size,
      [=](int64_t k) {
        const A normal = (static_cast<A>(x[k]) - mean) * rstd;
        return normal * (weight ? weight[k] : A(1)) + (bias ? bias[k] : A(0));
      },
      [y](int64_t k, A value) { y[k] = static_cast<T>(value); });
}

template <bool kRms, typename T, typename A>
__global__ void input_gradient(
    const T* gradient, const T* in, const A* means, const A* rstds, const A* weight, int64_t count, int64_t size,
    T* result) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* g = gradient + row * size;
  const T* x = in + row * size;
  T* r = result + row * size;
  const A mean = kRms ? A(0) : means[row];
  const A rstd = rstds[row];
  const auto weighted = [g, weight](int64_t k) { return static_cast<A>(g[k]) * (weight ? weight[k] : A(1)); };
  const auto normal = [x, mean, rstd](int64_t k) { return (static_cast<A>(x[k]) - mean) * rstd; };
  const A average = kRms ? A(0) : rows::sum_of<A>(size, weighted) / static_cast<A>(size);
  const A slope =
      rows::sum_of<A>(size, [&](int64_t k) { return weighted(k) * normal(k); }) / static_cast<A>(size);
  rows::map<A>(
      size, [&](int64_t k) { return rstd * (weighted(k) - average - normal(k) * slope); },
      [r](int64_t k, A value) { r[k] = static_cast<T>(value); });
}

/// Adds up the gradients of weight and bias: a thread has kLanes columns of some rows.
template <bool kRms, typename T, typename A>
__global__ void column_sums(
    const T* gradient, const T* in, const A* means, const A* rstds, int64_t count, int64_t size, int64_t per_slice,
    int64_t slices, A* weight_sums, A* bias_sums) {
  const int64_t bundles = (size + kLanes - 1) / kLanes;
  const int64_t thread = rows::this_thread();
  if (thread >= bundles * slices) {
    return;
  }
  const int64_t slice = thread / bundles;
  const int64_t x0 = (thread - slice * bundles) * kLanes;
  const int width = static_cast<int>(::min(static_cast<int64_t>(kLanes), size - x0));
  const int64_t end = ::min(count, (slice + 1) * per_slice);
  A weights[kLanes];
  A biases[kLanes];
  for (int j = 0; j < kLanes; ++j) {
    weights[j] = biases[j] = A(0);
  }
  for (int64_t row = slice * per_slice; row < end; ++row) {
    const A mean = kRms ? A(0) : means[row];
    const A rstd = rstds[row];
    const T* g = gradient + row * size + x0;
    const T* x = in + row * size + x0;
    for (int j = 0; j < width; ++j) {
      weights[j] += static_cast<A>(g[j]) * (static_cast<A>(x[j]) - mean) * rstd;
      biases[j] += static_cast<A>(g[j]);
    }
  }
  for (int j = 0; j < width; ++j) {
    weight_sums[slice * size + x0 + j] = weights[j];
    bias_sums[slice * size + x0 + j] = biases[j];
  }
}

template <typename A>
__global__ void merge_sums(const A* weight_sums, const A* bias_sums, int64_t size, int64_t slices, A* weight, A* bias) {
  const int64_t k = rows::this_thread();
  if (k >= size) {
    return;
  }
  A of_weight = A(0);
  A of_bias = A(0);
  for (int64_t slice = 0; slice < slices; ++slice) {
    of_weight += weight_sums[slice * size + k];
    of_bias += bias_sums[slice * size + k];
  }
  if (weight) {
    weight[k] = of_weight;
  }
  if (bias) {
    bias[k] = of_bias;
  }
}

/// Return an optional tensor as a contiguous one of another type; undefined if there is none.
Tensor plain(const std::optional<Tensor>& tensor, ScalarType dtype) {
  return tensor.has_value() && tensor->defined() ? tensor->to(dtype).contiguous() : Tensor();
}

template <typename A>
A* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? static_cast<A*>(tensor.data_ptr()) : nullptr;
}

ScalarType sum_type(const Tensor& tensor) {
  return at::toOpMathType(tensor.scalar_type());
}

/// Returns the shape of a number per row: the input's, with 1 in the dimensions that are normalised.
std::vector<int64_t> row_shape(const Tensor& input, IntArrayRef normalized_shape) {
  std::vector<int64_t> shape = input.sizes().vec();
  std::fill(shape.end() - static_cast<int64_t>(normalized_shape.size()), shape.end(), 1);
  return shape;
}

template <bool kRms>
std::tuple<Tensor, Tensor, Tensor> forward(
    const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps) {
  const auto [count, size] = at::native::_check_layer_norm_inputs(
      input, normalized_shape, weight.value_or(Tensor()), bias.value_or(Tensor()));
  const Tensor in = input.contiguous();
  const Tensor w = plain(weight, sum_type(in));
  const Tensor b = plain(bias, sum_type(in));
  const Tensor out = at::empty(in.sizes(), in.options());
  const auto shape = row_shape(in, normalized_shape);
  const Tensor rstd = at::empty(shape, in.options().dtype(sum_type(in)));
  const Tensor mean = kRms ? Tensor() : at::empty(shape, rstd.options());
  if (count > 0) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "layer_norm_musa", [&] {
      using A = at::opmath_type<scalar_t>;
      normalise<kRms, scalar_t, A>
          <<<rows::blocks_for(count), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
              in.const_data_ptr<scalar_t>(), data_or_null<A>(w), data_or_null<A>(b), eps, count, size,
              out.mutable_data_ptr<scalar_t>(), data_or_null<A>(mean), data_or_null<A>(rstd));
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    });
  }
  return {out, mean, rstd};
}

template <bool kRms>
std::tuple<Tensor, Tensor, Tensor> backward(
    const Tensor& gradient, const Tensor& input, IntArrayRef normalized_shape, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, std::array<bool, 3> wanted) {
  const auto [checked_count, checked_size] = at::native::_check_layer_norm_inputs(
      input, normalized_shape, weight.value_or(Tensor()), bias.value_or(Tensor()));
  const int64_t count = checked_count;
  const int64_t size = checked_size;
  const Tensor in = input.contiguous();
  const Tensor g = gradient.contiguous();
  const ScalarType sums = sum_type(in);
  const Tensor w = plain(weight, sums);
  const Tensor m = kRms ? Tensor() : plain(mean, sums);
  const Tensor r = plain(rstd, sums);
  const bool has_weight = weight.has_value() && weight->defined();
  const bool has_bias = bias.has_value() && bias->defined();
  Tensor of_input, of_weight, of_bias;
  if (wanted[0]) {
    of_input = at::empty(in.sizes(), in.options());
  }
  if (wanted[1] && has_weight) {
    of_weight = at::zeros(normalized_shape, weight->options());
  }
  if (wanted[2] && has_bias) {
    of_bias = at::zeros(normalized_shape, bias->options());
  }
  if (count == 0 || size == 0) {
    return {of_input, of_weight, of_bias};
  }
  const auto stream = c10::musa::getCurrentMUSAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "layer_norm_backward_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    const auto* gradients = g.const_data_ptr<scalar_t>();
    const auto* values = in.const_data_ptr<scalar_t>();
    if (of_input.defined()) {
      input_gradient<kRms, scalar_t, A><<<rows::blocks_for(count), kThreads, 0, stream>>>(
          gradients, values, data_or_null<A>(m), data_or_null<A>(r), data_or_null<A>(w), count, size,
          of_input.mutable_data_ptr<scalar_t>());
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    }
    if (!of_weight.defined() && !of_bias.defined()) {
      return;
    }
    const int64_t bundles = (size + kLanes - 1) / kLanes;
    const int64_t wanted_slices = std::max<int64_t>(1, kWantedThreads / bundles);
    const int64_t per_slice = std::max(kLeastRows, (count + wanted_slices - 1) / wanted_slices);
    const int64_t slices = (count + per_slice - 1) / per_slice;
    const Tensor partial = at::empty({2, slices, size}, in.options().dtype(sums));
    A* weight_sums = partial.mutable_data_ptr<A>();
    A* bias_sums = weight_sums + slices * size;
    column_sums<kRms, scalar_t, A><<<rows::blocks_for(bundles * slices), kThreads, 0, stream>>>(
        gradients, values, data_or_null<A>(m), data_or_null<A>(r), count, size, per_slice, slices, weight_sums,
        bias_sums);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    // The weights may have another type than the input: these sums are few, and a copy converts them.
    const auto made = [&](const Tensor& like) { return like.defined() ? at::empty({size}, partial.options()) : like; };
    const Tensor made_weight = made(of_weight);
    const Tensor made_bias = made(of_bias);
    merge_sums<A><<<rows::blocks_for(size), kThreads, 0, stream>>>(
        weight_sums, bias_sums, size, slices, data_or_null<A>(made_weight), data_or_null<A>(made_bias));
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    if (of_weight.defined()) {
      of_weight.copy_(made_weight.view(normalized_shape));
    }
    if (of_bias.defined()) {
      of_bias.copy_(made_bias.view(normalized_shape));
    }
  });
  return {of_input, of_weight, of_bias};
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> MusaLayerNorm(
    const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, double eps) {
  return forward<false>(input, normalized_shape, weight, bias, eps);
}

std::tuple<Tensor, Tensor, Tensor> MusaLayerNormBackward(
    const Tensor& gradient, const Tensor& input, IntArrayRef normalized_shape, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, std::array<bool, 3> wanted) {
  return backward<false>(gradient, input, normalized_shape, mean, rstd, weight, bias, wanted);
}

std::tuple<Tensor, Tensor> MusaRmsNorm(
    const Tensor& input, IntArrayRef normalized_shape, const std::optional<Tensor>& weight, std::optional<double> eps) {
  double smallest = 0;
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "rms_norm_musa", [&] {
    smallest = static_cast<double>(std::numeric_limits<at::opmath_type<scalar_t>>::epsilon());
  });
  const auto [out, mean, rstd] =
      forward<true>(input, normalized_shape, weight, std::nullopt, eps.value_or(smallest));
  return {out, rstd};
}

std::tuple<Tensor, Tensor> MusaRmsNormBackward(
    const Tensor& gradient, const Tensor& input, IntArrayRef normalized_shape, const Tensor& rstd,
    const std::optional<Tensor>& weight, std::array<bool, 2> wanted) {
  const auto [of_input, of_weight, of_bias] = backward<true>(
      gradient, input, normalized_shape, Tensor(), rstd, weight, std::nullopt, {wanted[0], wanted[1], false});
  return {of_input, of_weight};
}

} // namespace at::musa
