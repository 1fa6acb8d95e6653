// Batch normalisation: statistics, normalisation and backward.
//
// Two kernels read the input: a reduction over all dimensions but the channels, and `combine`, which computes
// a * p + b * q + r with numbers per channel. These numbers are few, so PyTorch's operators compute them.

#include <ATen/TensorOperators.h>
#include <ATen/ops/_batch_norm_with_update_native.h>
#include <ATen/ops/_native_batch_norm_legit_native.h>
#include <ATen/ops/batch_norm_backward_native.h>
#include <ATen/ops/batch_norm_update_stats_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/native_batch_norm_backward_native.h>
#include <ATen/ops/native_batch_norm_native.h>
#include <ATen/ops/zeros.h>

#include "torch_musa/csrc/aten/ops/musa/Reduction.muh"
#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

using reduction::Math;

template <typename A>
struct Moments {
  A mean;
  A squares; // sum of the squared distances from the mean
  A count;
};

/// The mean and the biased variance of a channel, by Welford's algorithm.
template <typename T>
struct Stats {
  using In = T;
  using Acc = Moments<Math<T>>;
  MUSA_REDUCTION Acc identity() const {
    return {0, 0, 0};
  }
  MUSA_REDUCTION void add(Acc& acc, const In& value, int64_t) const {
    const Math<T> number = static_cast<Math<T>>(value);
    const Math<T> distance = number - acc.mean;
    acc.count += 1;
    acc.mean += distance / acc.count;
    acc.squares += distance * (number - acc.mean);
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    if (other.count == 0) {
      return;
    }
    const Math<T> count = acc.count + other.count;
    const Math<T> distance = other.mean - acc.mean;
    const Math<T> share = other.count / count;
    acc.squares += other.squares + distance * distance * acc.count * share;
    acc.mean += distance * share;
    acc.count = count;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<Math<T>*>(results[0]) = acc.mean;
    *reinterpret_cast<Math<T>*>(results[1]) = acc.squares / acc.count;
  }
};

struct Sums {
  double gradients;
  double products;
};

/// The sums of a channel's gradients, and of their products with the input, which lies `to_input` bytes further.
/// In double, because the mean's part is subtracted from the products later.
template <typename T>
struct GradientSums {
  using In = T;
  using Acc = Sums;
  int64_t to_input;
  MUSA_REDUCTION Acc identity() const {
    return {0, 0};
  }
  MUSA_REDUCTION void add(Acc& acc, const In& gradient, int64_t) const {
    const In& value = *reinterpret_cast<const In*>(reinterpret_cast<const char*>(&gradient) + to_input);
    acc.gradients += static_cast<double>(static_cast<Math<T>>(gradient));
    acc.products += static_cast<double>(static_cast<Math<T>>(gradient)) * static_cast<double>(static_cast<Math<T>>(value));
  }
  MUSA_REDUCTION void merge(Acc& acc, const Acc& other) const {
    acc.gradients += other.gradients;
    acc.products += other.products;
  }
  MUSA_REDUCTION void store(const Acc& acc, char* const* results) const {
    *reinterpret_cast<double*>(results[0]) = acc.gradients;
    *reinterpret_cast<double*>(results[1]) = acc.products;
  }
};

/// A dense tensor as [outer, channels, inner].
struct Layout {
  int64_t outer;
  int64_t channels;
  int64_t inner;
};

/// out = a * p + b * q + r; b and q may be missing. A thread has a plane, or all channels of a pixel if inner is 1.
template <typename T, typename A>
__global__ void combine(const T* a, const T* b, const A* p, const A* q, const A* r, Layout layout, T* out) {
  const int64_t thread = rows::this_thread();
  if (layout.inner == 1) {
    if (thread < layout.outer) {
      const int64_t first = thread * layout.channels;
      rows::map<A>(
          layout.channels,
          [=](int64_t c) {
            const A sum = static_cast<A>(a[first + c]) * p[c] + r[c];
            return b ? sum + static_cast<A>(b[first + c]) * q[c] : sum;
          },
          [out, first](int64_t c, A value) { out[first + c] = static_cast<T>(value); });
    }
    return;
  }
  if (thread >= layout.outer * layout.channels) {
    return;
  }
  const int64_t c = thread % layout.channels;
  const int64_t first = thread * layout.inner;
  const A scale = p[c];
  const A shift = r[c];
  const A other = b ? q[c] : A(0);
  rows::map<A>(
      layout.inner,
      [=](int64_t k) {
        const A sum = static_cast<A>(a[first + k]) * scale + shift;
        return b ? sum + static_cast<A>(b[first + k]) * other : sum;
      },
      [out, first](int64_t k, A value) { out[first + k] = static_cast<T>(value); });
}

bool given(const std::optional<Tensor>& tensor) {
  return tensor.has_value() && tensor->defined();
}

/// The type of sums and of numbers per channel.
ScalarType sum_type(const Tensor& input) {
  return at::toOpMathType(input.scalar_type());
}

/// Returns numbers per channel in the type of sums; `otherwise` for all if there are none.
Tensor per_channel(const std::optional<Tensor>& tensor, const Tensor& input, double otherwise) {
  return given(tensor)
      ? tensor->to(sum_type(input)).contiguous()
      : at::full({input.size(1)}, otherwise, input.options().dtype(sum_type(input)).memory_format(std::nullopt));
}

/// Returns the tensor without gaps, channels before or after the other dimensions.
Tensor dense(const Tensor& tensor) {
  return tensor.contiguous(tensor.suggest_memory_format());
}

Layout layout_of(const Tensor& input) {
  const int64_t channels = input.size(1);
  const int64_t outer = input.size(0);
  const int64_t inner = channels && outer ? input.numel() / channels / outer : 0;
  return input.is_contiguous() ? Layout{outer, channels, inner} : Layout{outer * inner, channels, 1};
}

/// Reduces all dimensions but the channels into two results.
template <typename Op>
void reduce_channels(const Tensor& input, const Op& op, const Tensor& first, const Tensor& second) {
  std::vector<int64_t> shape(input.dim(), 1);
  shape[1] = input.size(1);
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false).is_reduction(true);
  config.add_owned_output(first.view(shape)).add_owned_output(second.view(shape)).add_owned_const_input(input);
  TensorIterator iter = config.build();
  reduction::reduce(iter, op);
}

void require_channels(const Tensor& input) {
  TORCH_CHECK(input.dim() >= 2, "batch_norm: the input must have 2 dimensions or more, not ", input.dim());
}

/// Returns mean and biased variance of each channel.
std::pair<Tensor, Tensor> stats(const Tensor& input) {
  require_channels(input);
  const auto options = input.options().dtype(sum_type(input)).memory_format(std::nullopt);
  const Tensor mean = at::empty({input.size(1)}, options);
  const Tensor variance = at::empty({input.size(1)}, options);
  TORCH_CHECK(input.numel() > 0, "batch_norm: statistics of an empty input, of sizes ", input.sizes());
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "batch_norm_stats_musa", [&] {
    reduce_channels(input, Stats<scalar_t>(), mean, variance);
  });
  return {mean, variance};
}

/// Returns the sums of the gradients of each channel, and of gradient * (input - mean).
std::pair<Tensor, Tensor> gradient_sums(const Tensor& gradient, const Tensor& input, const Tensor& mean) {
  const auto options = input.options().dtype(kDouble).memory_format(std::nullopt);
  const Tensor gradients = at::empty({input.size(1)}, options);
  const Tensor products = at::empty({input.size(1)}, options);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, input.scalar_type(), "batch_norm_sums_musa", [&] {
    const auto distance = static_cast<const char*>(input.const_data_ptr()) -
        static_cast<const char*>(gradient.const_data_ptr());
    reduce_channels(gradient, GradientSums<scalar_t>{distance}, gradients, products);
  });
  return {gradients, products - gradients * mean.to(kDouble)};
}

/// Writes a * p + b * q + r. Of the inputs, which are dense in the same way, b may be undefined.
void combine_into(
    const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& p, const Tensor& q, const Tensor& r) {
  if (a.numel() == 0) {
    return;
  }
  const Layout layout = layout_of(a);
  const int64_t threads = layout.inner == 1 ? layout.outer : layout.outer * layout.channels;
  const bool fits = out.strides() == a.strides();
  const Tensor made = fits ? out : at::empty_like(a);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, a.scalar_type(), "batch_norm_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    combine<scalar_t, A><<<rows::blocks_for(threads), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        a.const_data_ptr<scalar_t>(), b.defined() ? b.const_data_ptr<scalar_t>() : nullptr, p.const_data_ptr<A>(),
        b.defined() ? q.const_data_ptr<A>() : nullptr, r.const_data_ptr<A>(), layout, made.mutable_data_ptr<scalar_t>());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  });
  if (!fits) {
    out.copy_(made);
  }
}

void normalise_into(
    const Tensor& out, const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const Tensor& mean, const Tensor& invstd) {
  const Tensor scale = invstd * per_channel(weight, input, 1);
  const Tensor shift = per_channel(bias, input, 0) - mean * scale;
  combine_into(out, dense(input), Tensor(), scale.contiguous(), Tensor(), shift.contiguous());
}

Tensor inverse_root(const Tensor& variance, double eps) {
  return (variance + eps).rsqrt();
}

/// Moves running statistics towards those of a batch of `count` elements per channel.
void update_running(
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, const Tensor& mean,
    const Tensor& variance, double momentum, double count) {
  const auto move = [momentum](const Tensor& running, const Tensor& now) {
    running.copy_(running.to(now.scalar_type()) * (1 - momentum) + now * momentum);
  };
  if (given(running_mean)) {
    move(*running_mean, mean);
  }
  if (given(running_var)) {
    move(*running_var, variance * (count / (count - 1)));
  }
}

/// Writes the normalised input; returns mean and 1 / std of the batch, or empty tensors if the running ones were used.
std::pair<Tensor, Tensor> batch_norm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training,
    double momentum, double eps, const Tensor& out) {
  require_channels(input);
  if (!training) {
    TORCH_CHECK(
        given(running_mean) && given(running_var), "batch_norm: running statistics must be given in evaluation");
    const Tensor invstd = inverse_root(per_channel(running_var, input, 1), eps);
    normalise_into(out, input, weight, bias, per_channel(running_mean, input, 0), invstd);
    const Tensor none = at::empty({0}, invstd.options());
    return {none, none};
  }
  const Tensor in = dense(input);
  const auto [mean, variance] = stats(in);
  const double count = static_cast<double>(in.numel() / in.size(1));
  update_running(running_mean, running_var, mean, variance, momentum, count);
  const Tensor invstd = inverse_root(variance, eps);
  normalise_into(out, in, weight, bias, mean, invstd);
  return {mean, invstd};
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_made(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training,
    double momentum, double eps) {
  const Tensor out = at::empty_like(input, input.suggest_memory_format());
  const auto [mean, invstd] =
      batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, out);
  return {out, mean, invstd};
}

std::tuple<Tensor&, Tensor&, Tensor&> batch_norm_written(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training,
    double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  out.resize_(input.sizes());
  const auto [mean, invstd] =
      batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, out);
  save_mean.resize_(mean.sizes());
  save_mean.copy_(mean);
  save_invstd.resize_(invstd.sizes());
  save_invstd.copy_(invstd);
  return {out, save_mean, save_invstd};
}

/// Returns the input's gradient from the means per channel of gradient and gradient * (input - mean).
Tensor input_gradient(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, const Tensor& mean, const Tensor& invstd,
    const Tensor& mean_gradient, const Tensor& mean_product) {
  const Tensor scale = (weight * invstd).contiguous();
  const Tensor slope = (mean_product.to(mean.scalar_type()) * invstd * invstd * scale).contiguous();
  const Tensor rest = (slope * mean - mean_gradient.to(mean.scalar_type()) * scale).contiguous();
  const Tensor result = at::empty_like(input);
  combine_into(result, gradient, input, scale, (slope * -1).contiguous(), rest);
  return result;
}

/// Returns the gradient as dense as the input is.
Tensor laid_out_as(const Tensor& gradient, const Tensor& input) {
  return gradient.contiguous(input.suggest_memory_format());
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> MusaBatchNorm(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training,
    double momentum, double eps) {
  return batch_norm_made(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

std::tuple<Tensor&, Tensor&, Tensor&> MusaBatchNormOut(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var, bool training,
    double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return batch_norm_written(
      input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd);
}

std::tuple<Tensor, Tensor, Tensor> MusaBatchNormLegit(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, Tensor& running_mean,
    Tensor& running_var, bool training, double momentum, double eps) {
  return batch_norm_made(input, weight, bias, running_mean, running_var, training, momentum, eps);
}

std::tuple<Tensor&, Tensor&, Tensor&> MusaBatchNormLegitOut(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, Tensor& running_mean,
    Tensor& running_var, bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
    Tensor& save_invstd) {
  return batch_norm_written(
      input, weight, bias, running_mean, running_var, training, momentum, eps, out, save_mean, save_invstd);
}

std::tuple<Tensor, Tensor, Tensor> MusaBatchNormLegitNoStats(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, bool training,
    double momentum, double eps) {
  return batch_norm_made(input, weight, bias, std::nullopt, std::nullopt, training, momentum, eps);
}

std::tuple<Tensor&, Tensor&, Tensor&> MusaBatchNormLegitNoStatsOut(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, bool training,
    double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return batch_norm_written(
      input, weight, bias, std::nullopt, std::nullopt, training, momentum, eps, out, save_mean, save_invstd);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> MusaBatchNormWithUpdate(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, Tensor& running_mean,
    Tensor& running_var, double momentum, double eps) {
  const auto [out, mean, invstd] =
      batch_norm_made(input, weight, bias, running_mean, running_var, true, momentum, eps);
  return {out, mean, invstd, at::empty({0}, input.options().dtype(kByte).memory_format(std::nullopt))};
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> MusaBatchNormWithUpdateOut(
    const Tensor& input, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, Tensor& running_mean,
    Tensor& running_var, double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd,
    Tensor& reserve) {
  batch_norm_written(
      input, weight, bias, running_mean, running_var, true, momentum, eps, out, save_mean, save_invstd);
  return {out, save_mean, save_invstd, reserve};
}

std::tuple<Tensor, Tensor, Tensor> MusaBatchNormBackward(
    const Tensor& gradient, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train, double eps,
    std::array<bool, 3> wanted) {
  require_channels(input);
  const Tensor in = dense(input);
  const Tensor g = laid_out_as(gradient, in);
  const Tensor w = per_channel(weight, in, 1);
  const Tensor mean = per_channel(train ? save_mean : running_mean, in, 0);
  const Tensor invstd =
      train ? per_channel(save_invstd, in, 1) : inverse_root(per_channel(running_var, in, 1), eps);
  Tensor of_input, of_weight, of_bias;
  if (in.numel() == 0) {
    const Tensor none = at::zeros({in.size(1)}, w.options());
    return {wanted[0] ? at::zeros_like(in) : of_input, wanted[1] ? none : of_weight, wanted[2] ? none : of_bias};
  }
  const auto [gradients, products] = gradient_sums(g, in, mean);
  const ScalarType dtype = given(weight) ? weight->scalar_type() : in.scalar_type();
  if (wanted[0] && train) {
    const double count = static_cast<double>(in.numel() / in.size(1));
    of_input = input_gradient(g, in, w, mean, invstd, gradients / count, products / count);
  } else if (wanted[0]) {
    of_input = at::empty_like(in);
    const Tensor scale = (w * invstd).contiguous();
    combine_into(of_input, g, Tensor(), scale, Tensor(), at::zeros({in.size(1)}, scale.options()));
  }
  if (wanted[1]) {
    of_weight = (products * invstd.to(kDouble)).to(dtype);
  }
  if (wanted[2]) {
    of_bias = gradients.to(dtype);
  }
  return {of_input, of_weight, of_bias};
}

std::tuple<Tensor, Tensor, Tensor> MusaNewBatchNormBackward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& running_mean,
    const std::optional<Tensor>& running_var, const std::optional<Tensor>& save_mean,
    const std::optional<Tensor>& save_invstd, bool update, double eps, std::array<bool, 3> wanted, const Tensor&) {
  return MusaBatchNormBackward(
      gradient, input, weight, running_mean, running_var, save_mean, save_invstd, update, eps, wanted);
}

std::tuple<Tensor, Tensor> MusaBatchNormUpdateStats(
    const Tensor& input, const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    double momentum) {
  const Tensor in = dense(input);
  const auto [mean, variance] = stats(in);
  update_running(
      running_mean, running_var, mean, variance, momentum, static_cast<double>(in.numel() / in.size(1)));
  return {mean, variance};
}

} // namespace at::musa
