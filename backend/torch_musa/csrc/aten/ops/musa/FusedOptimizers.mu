// One step of an optimizer for all parameters: Adam, AdamW, SGD, Adagrad. One launch serves up to 48 parameters; half
// and bfloat16 are computed in float. Nothing here waits for the device: steps, scales and what says "skip this step"
// stay there.

#include <ATen/ops/_fused_adagrad_native.h>
#include <ATen/ops/_fused_adam_native.h>
#include <ATen/ops/_fused_adamw_native.h>
#include <ATen/ops/_fused_sgd_native.h>

#include <array>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/TensorLists.muh"

namespace at::musa {

namespace {

/// A number of the host, or one in device memory.
struct Number {
  double value = 0;
  const void* on_device = nullptr;
  bool is_double = false;

  static Number of(double value) {
    return {value, nullptr, false};
  }
  static Number of(const Tensor& tensor) {
    if (tensor.is_cpu()) {
      return of(tensor.item<double>());
    }
    TORCH_CHECK(
        tensor.scalar_type() == kFloat || tensor.scalar_type() == kDouble,
        "fused optimizers expect lr of float32 or float64, but got ", tensor.scalar_type());
    return {0, tensor.const_data_ptr(), tensor.scalar_type() == kDouble};
  }
  __device__ double get() const {
    if (on_device == nullptr) {
      return value;
    }
    return is_double ? *static_cast<const double*>(on_device) : *static_cast<const float*>(on_device);
  }
};

const float* pointer_of(const std::optional<Tensor>& number) {
  return number.has_value() && number->defined() ? number->const_data_ptr<float>() : nullptr;
}

/// The results of GradScaler: the divisor of the gradients, and whether to do nothing at all.
struct Scaling {
  const float* scale;
  const float* found_inf;

  Scaling(const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& skip)
      : scale(pointer_of(grad_scale)), found_inf(pointer_of(skip)) {}
  bool is_scaled() const {
    return scale != nullptr;
  }
};

/// Values that all elements of a parameter share.
template <typename S>
struct Shared {
  S step;
  float scale;
  bool skips;

  /// Return the gradient; store it unscaled.
  template <typename M, typename T>
  __device__ M gradient(T& stored, bool is_scaled) const {
    M value = static_cast<M>(stored);
    if (is_scaled) {
      value /= static_cast<M>(scale);
      stored = static_cast<T>(value);
    }
    return value;
  }
};

/// The tensors of one parameter as arrays in one order: the tensors themselves, or copies that are written back.
class Arrays {
 public:
  explicit Arrays(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
    const Tensor& first = tensors_.front();
    bool alike = first.is_non_overlapping_and_dense();
    for (const Tensor& tensor : tensors_) {
      TORCH_CHECK(
          tensor.scalar_type() == first.scalar_type() && tensor.sizes() == first.sizes(),
          "fused optimizers expect a parameter, its gradient and its state to have one type and shape, but found ",
          first.scalar_type(), first.sizes(), " and ", tensor.scalar_type(), tensor.sizes());
      alike = alike && tensor.strides() == first.strides();
    }
    for (const Tensor& tensor : tensors_) {
      arrays_.push_back(alike ? tensor : tensor.contiguous());
    }
  }
  void write_back() const {
    for (size_t k = 0; k < tensors_.size(); ++k) {
      if (!arrays_[k].is_same(tensors_[k])) {
        tensors_[k].copy_(arrays_[k]);
      }
    }
  }
  void* get(size_t k) const {
    return k < arrays_.size() ? arrays_[k].mutable_data_ptr() : nullptr;
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<Tensor> arrays_;
};

/// Some of the parameters of a call.
template <int N>
struct Parameters : TensorChunk<N> {
  const float* steps[kMostTensors]; // may be null
};

/// Computes what all elements of a parameter share: a thread per parameter.
template <typename F, int N>
__global__ void prepare(Parameters<N> parameters, F f, Scaling scaling, Shared<typename F::Step>* shared) {
  const int k = threadIdx.x;
  if (k < parameters.tensors) {
    shared[k].step = f.prepare(parameters.steps[k]);
    shared[k].scale = scaling.scale != nullptr ? *scaling.scale : 1;
    shared[k].skips = scaling.found_inf != nullptr && *scaling.found_inf == 1.0f;
  }
}

/// Calls the functor with the index of each element.
template <typename T, typename F, int N>
__global__ void for_each_element(
    Parameters<N> parameters, F f, const Shared<typename F::Step>* shared, bool is_scaled) {
  const int k = parameters.tensor_of(blockIdx.x);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(elementwise::kThreads) + threadIdx.x;
  if (thread < parameters.end[k]) {
    const Shared<typename F::Step> own = shared[k];
    if (!own.skips) {
      T* arrays[N];
#pragma unroll
      for (int at = 0; at < N; ++at) {
        arrays[at] = static_cast<T*>(parameters.data[at][k]);
      }
      f(thread - parameters.begin[k], arrays, own, is_scaled);
    }
  }
}

template <typename T, typename F, int N>
void launch(const Parameters<N>& parameters, const F& f, const Scaling& scaling, const TensorOptions& options) {
  using Kept = Shared<typename F::Step>;
  const auto stream = c10::musa::getCurrentMUSAStream();
  const Tensor kept = at::empty({kMostTensors * static_cast<int64_t>(sizeof(Kept))}, options.dtype(kByte));
  auto* const shared = static_cast<Kept*>(kept.mutable_data_ptr());
  prepare<<<1, kMostTensors, 0, stream>>>(parameters, f, scaling, shared);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  for_each_element<T><<<parameters.blocks, elementwise::kThreads, 0, stream>>>(
      parameters, f, shared, scaling.is_scaled());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

/// Does a step for all parameters. `lists`: they, their gradients and their state; the last one may be empty.
template <template <typename> typename F, typename Options, size_t N>
void step(
    const std::array<TensorList, N>& lists, TensorList steps, const Options& options, const Scaling& scaling) {
  const TensorList all = lists[0];
  for (size_t first = 0; first < all.size();) {
    const ScalarType type = all[first].scalar_type();
    Parameters<N> parameters;
    std::vector<Arrays> kept;
    size_t k = first;
    for (; k < all.size() && !parameters.is_full() && all[k].scalar_type() == type; ++k) {
      std::vector<Tensor> tensors;
      for (const TensorList& list : lists) {
        if (!list.empty()) {
          tensors.push_back(list[k]);
        }
      }
      kept.emplace_back(std::move(tensors));
      if (all[k].numel() > 0) {
        const int slot = parameters.add(all[k].numel());
        parameters.steps[slot] = steps.empty() ? nullptr : steps[k].const_data_ptr<float>();
        for (size_t at = 0; at < N; ++at) {
          parameters.data[at][slot] = kept.back().get(at);
        }
      }
    }
    if (parameters.tensors > 0) {
      AT_DISPATCH_V2(
          type, "fused_optimizer_musa", AT_WRAP([&] {
            launch<scalar_t>(parameters, F<scalar_t>{options}, scaling, all[first].options());
          }),
          MUSA_FLOATING);
    }
    for (const Arrays& arrays : kept) {
      arrays.write_back();
    }
    first = k;
  }
}

struct AdamOptions {
  Number lr;
  double beta1, beta2, weight_decay, eps;
  bool maximize, decoupled; // AdamW's decay is decoupled from the gradient
};

template <typename T>
struct Adam {
  using M = at::opmath_type<T>;
  AdamOptions options;

  struct Step {
    M lr, size, correction;
  };
  __device__ Step prepare(const float* steps) const {
    const double lr = options.lr.get();
    const double step = *steps;
    return {
        static_cast<M>(lr), static_cast<M>(lr / (1 - ::pow(options.beta1, step))),
        static_cast<M>(::sqrt(1 - ::pow(options.beta2, step)))};
  }
  /// The last one of the arrays is null without amsgrad.
  __device__ void operator()(int64_t i, T* (&arrays)[5], const Shared<Step>& shared, bool is_scaled) const {
    auto [parameter, gradient, average, square, largest] = arrays;
    const Step& step = shared.step;
    M p = static_cast<M>(parameter[i]);
    M g = shared.template gradient<M>(gradient[i], is_scaled);
    if (options.maximize) {
      g = -g;
    }
    const M decay = static_cast<M>(options.weight_decay);
    if (options.decoupled) {
      p -= step.lr * decay * p;
    } else {
      g += decay * p;
    }
    const M beta1 = static_cast<M>(options.beta1);
    const M beta2 = static_cast<M>(options.beta2);
    const M mean = beta1 * static_cast<M>(average[i]) + (M(1) - beta1) * g;
    const M variance = beta2 * static_cast<M>(square[i]) + (M(1) - beta2) * g * g;
    average[i] = static_cast<T>(mean);
    square[i] = static_cast<T>(variance);
    M most = variance;
    if (largest != nullptr) {
      most = static_cast<M>(largest[i]) > variance ? static_cast<M>(largest[i]) : variance;
      largest[i] = static_cast<T>(most);
    }
    p -= step.size * mean / (::sqrt(most) / step.correction + static_cast<M>(options.eps));
    parameter[i] = static_cast<T>(p);
  }
};

void adam(
    TensorList parameters, TensorList gradients, TensorList averages, TensorList squares, TensorList largest,
    TensorList steps, const AdamOptions& options, const Scaling& scaling) {
  step<Adam>(std::array{parameters, gradients, averages, squares, largest}, steps, options, scaling);
}

struct SgdOptions {
  double weight_decay, momentum;
  Number lr;
  double dampening;
  bool nesterov, maximize, is_first_step;
};

template <typename T>
struct Sgd {
  using M = at::opmath_type<T>;
  using Step = M; // the learning rate
  SgdOptions options;

  __device__ Step prepare(const float* /*steps*/) const {
    return static_cast<M>(options.lr.get());
  }
  /// The last one of the arrays is null without momentum.
  __device__ void operator()(int64_t i, T* (&arrays)[3], const Shared<Step>& shared, bool is_scaled) const {
    auto [parameter, gradient, buffer] = arrays;
    const M lr = shared.step;
    const M p = static_cast<M>(parameter[i]);
    M g = shared.template gradient<M>(gradient[i], is_scaled);
    if (options.maximize) {
      g = -g;
    }
    g += static_cast<M>(options.weight_decay) * p;
    if (buffer != nullptr) {
      const M momentum = static_cast<M>(options.momentum);
      const M moved = options.is_first_step
          ? g
          : momentum * static_cast<M>(buffer[i]) + (M(1) - static_cast<M>(options.dampening)) * g;
      buffer[i] = static_cast<T>(moved);
      g = options.nesterov ? g + momentum * moved : moved;
    }
    parameter[i] = static_cast<T>(p - lr * g);
  }
};

void sgd(
    TensorList parameters, TensorList gradients, TensorList buffers, const SgdOptions& options,
    const Scaling& scaling) {
  step<Sgd>(std::array{parameters, gradients, buffers}, TensorList(), options, scaling);
}

struct AdagradOptions {
  Number lr;
  double lr_decay, weight_decay, eps;
  bool maximize;
};

template <typename T>
struct Adagrad {
  using M = at::opmath_type<T>;
  using Step = M; // the learning rate
  AdagradOptions options;

  __device__ Step prepare(const float* steps) const {
    return static_cast<M>(options.lr.get() / (1 + (*steps - 1) * options.lr_decay));
  }
  __device__ void operator()(int64_t i, T* (&arrays)[3], const Shared<Step>& shared, bool is_scaled) const {
    auto [parameter, gradient, sum] = arrays;
    const M lr = shared.step;
    const M p = static_cast<M>(parameter[i]);
    M g = shared.template gradient<M>(gradient[i], is_scaled);
    if (options.maximize) {
      g = -g;
    }
    g += static_cast<M>(options.weight_decay) * p;
    const M total = static_cast<M>(sum[i]) + g * g;
    sum[i] = static_cast<T>(total);
    parameter[i] = static_cast<T>(p - lr * g / (::sqrt(total) + static_cast<M>(options.eps)));
  }
};

void adagrad(
    TensorList parameters, TensorList gradients, TensorList sums, TensorList steps, const AdagradOptions& options,
    const Scaling& scaling) {
  step<Adagrad>(std::array{parameters, gradients, sums}, steps, options, scaling);
}

} // namespace

// Each function twice: the learning rate is a number, or a tensor.

#define MUSA_FUSED_ADAM(NAME, LR, DECOUPLED)                                                                       \
  void NAME(                                                                                                       \
      TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs, TensorList max_exp_avg_sqs,  \
      TensorList state_steps, LR lr, double beta1, double beta2, double weight_decay, double eps, bool amsgrad,    \
      bool maximize, const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {            \
    adam(                                                                                                          \
        self, grads, exp_avgs, exp_avg_sqs, amsgrad ? max_exp_avg_sqs : TensorList(), state_steps,                 \
        {Number::of(lr), beta1, beta2, weight_decay, eps, maximize, DECOUPLED}, Scaling(grad_scale, found_inf));   \
  }
MUSA_FUSED_ADAM(MusaFusedAdam, double, false)
MUSA_FUSED_ADAM(MusaFusedAdamTensorLr, const Tensor&, false)
MUSA_FUSED_ADAM(MusaFusedAdamW, double, true)
MUSA_FUSED_ADAM(MusaFusedAdamWTensorLr, const Tensor&, true)
#undef MUSA_FUSED_ADAM

#define MUSA_FUSED_SGD(NAME, LR)                                                                                   \
  void NAME(                                                                                                       \
      TensorList self, TensorList grads, TensorList momentum_buffer_list, double weight_decay, double momentum,    \
      LR lr, double dampening, bool nesterov, bool maximize, bool is_first_step,                                   \
      const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {                           \
    sgd(self, grads, momentum_buffer_list,                                                                         \
        {weight_decay, momentum, Number::of(lr), dampening, nesterov, maximize, is_first_step},                    \
        Scaling(grad_scale, found_inf));                                                                           \
  }
MUSA_FUSED_SGD(MusaFusedSgd, double)
MUSA_FUSED_SGD(MusaFusedSgdTensorLr, const Tensor&)
#undef MUSA_FUSED_SGD

#define MUSA_FUSED_ADAGRAD(NAME, LR)                                                                               \
  void NAME(                                                                                                       \
      TensorList self, TensorList grads, TensorList state_sums, TensorList state_steps, LR lr, double lr_decay,    \
      double weight_decay, double eps, bool maximize, const std::optional<Tensor>& grad_scale,                     \
      const std::optional<Tensor>& found_inf) {                                                                    \
    adagrad(                                                                                                       \
        self, grads, state_sums, state_steps, {Number::of(lr), lr_decay, weight_decay, eps, maximize},             \
        Scaling(grad_scale, found_inf));                                                                           \
  }
MUSA_FUSED_ADAGRAD(MusaFusedAdagrad, double)
MUSA_FUSED_ADAGRAD(MusaFusedAdagradTensorLr, const Tensor&)
#undef MUSA_FUSED_ADAGRAD

} // namespace at::musa
