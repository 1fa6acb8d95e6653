// The loss of connectionist temporal classification, and its gradient. A thread has one sequence; all is in logarithms.
//
// The labels of a sequence, with a blank before and after each, are its states. alpha[t][s] is the probability of all
// ways to state s at time t, beta[t][s] that of all ways on from there; both with the probability at t itself.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_ctc_loss_backward_native.h>
#include <ATen/ops/_ctc_loss_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

/// Log probabilities [times, sequences, classes] without gaps.
struct Layout {
  int64_t times, sequences, classes;
  int64_t states; // of the longest sequence
  int64_t blank;
  int64_t target_step; // from one label to the next
};

/// One sequence.
template <typename T, typename I>
struct Sequence {
  const T* probabilities; // of time 0
  const I* targets;
  int64_t times, labels;
  Layout layout;

  __device__ int64_t states() const {
    return 2 * labels + 1;
  }
  __device__ int64_t label(int64_t state) const {
    return state % 2 == 0 ? layout.blank : static_cast<int64_t>(targets[state / 2 * layout.target_step]);
  }
  __device__ T probability(int64_t time, int64_t state) const {
    return probabilities[time * layout.sequences * layout.classes + label(state)];
  }
  /// Return whether a way may skip the next state.
  __device__ bool skips(int64_t state) const {
    return state % 2 == 1 && state + 2 < states() && label(state) != label(state + 2);
  }
};

/// lengths: times, labels and the index of the first label, for each sequence.
template <typename T, typename I>
__device__ inline Sequence<T, I> sequence_of(
    int64_t i, const T* probabilities, const I* targets, const int64_t* lengths, const Layout& layout) {
  return {
      probabilities + i * layout.classes, targets + lengths[2 * layout.sequences + i], lengths[i],
      lengths[layout.sequences + i], layout};
}

template <typename T>
__device__ inline T nothing() {
  return -std::numeric_limits<T>::infinity();
}

/// log(exp(a) + exp(b) + exp(c))
template <typename T>
__device__ inline T log_sum(T a, T b, T c = -std::numeric_limits<T>::infinity()) {
  const T most = std::max(a, std::max(b, c));
  return most == nothing<T>() ? most : most + ::log(::exp(a - most) + ::exp(b - most) + ::exp(c - most));
}

template <typename T, typename I>
__global__ void ctc_losses(
    const T* probabilities, const I* targets, const int64_t* lengths, Layout layout, T* alphas, T* losses) {
  const int64_t i = rows::this_thread();
  if (i >= layout.sequences) {
    return;
  }
  const Sequence<T, I> sequence = sequence_of(i, probabilities, targets, lengths, layout);
  if (sequence.times == 0) {
    losses[i] = sequence.labels == 0 ? T(0) : std::numeric_limits<T>::infinity();
    return;
  }
  T* alpha = alphas + i * layout.times * layout.states;
  const int64_t states = sequence.states();
  alpha[0] = sequence.probability(0, 0);
  if (states > 1) {
    alpha[1] = sequence.probability(0, 1);
  }
  for (int64_t time = 1; time < sequence.times; ++time) {
    const T* const before = alpha;
    alpha += layout.states;
    for (int64_t state = 0; state < states; ++state) {
      const T one = state > 0 ? before[state - 1] : nothing<T>();
      const T two = state > 1 && sequence.skips(state - 2) ? before[state - 2] : nothing<T>();
      alpha[state] = log_sum(before[state], one, two) + sequence.probability(time, state);
    }
  }
  losses[i] = -log_sum(alpha[states - 1], states > 1 ? alpha[states - 2] : nothing<T>());
}

/// `betas` has room for two times. `results` begins as the logarithms of 0. The loss is read from `alphas`: rounded to the
/// type of the result, it would shift all gradients.
template <typename T, typename I>
__global__ void ctc_gradients(
    const T* gradients, const T* probabilities, const I* targets, const int64_t* lengths, Layout layout,
    const T* alphas, bool zero_infinity, T* betas, T* results) {
  const int64_t i = rows::this_thread();
  if (i >= layout.sequences) {
    return;
  }
  const Sequence<T, I> sequence = sequence_of(i, probabilities, targets, lengths, layout);
  const int64_t row = layout.sequences * layout.classes;
  const int64_t states = sequence.states();
  T* const result = results + i * layout.classes;
  T* after = betas + 2 * i * layout.states;
  T* beta = after + layout.states;
  T loss = 0;
  if (sequence.times > 0) {
    const T* const last = alphas + (i * layout.times + sequence.times - 1) * layout.states;
    loss = -log_sum(last[states - 1], states > 1 ? last[states - 2] : nothing<T>());
  }
  const bool ignored = zero_infinity && loss == std::numeric_limits<T>::infinity();
  for (int64_t time = layout.times - 1; time >= 0; --time) {
    if (time >= sequence.times || ignored) {
      for (int64_t k = 0; k < layout.classes; ++k) {
        result[time * row + k] = 0;
      }
      continue;
    }
    for (int64_t state = 0; state < states; ++state) {
      const T here = sequence.probability(time, state);
      if (time == sequence.times - 1) {
        beta[state] = state + 2 >= states ? here : nothing<T>();
      } else {
        const T one = state + 1 < states ? after[state + 1] : nothing<T>();
        const T two = sequence.skips(state) ? after[state + 2] : nothing<T>();
        beta[state] = log_sum(after[state], one, two) + here;
      }
      T& sum = result[time * row + sequence.label(state)];
      sum = log_sum(sum, alphas[(i * layout.times + time) * layout.states + state] + beta[state]);
    }
    for (int64_t k = 0; k < layout.classes; ++k) {
      T& value = result[time * row + k];
      const T here = sequence.probabilities[time * row + k];
      value = (::exp(here) - ::exp(value + loss - here)) * gradients[i];
    }
    T* const free = after;
    after = beta;
    beta = free;
  }
}

/// The arguments of both directions, checked.
struct Given {
  Layout layout;
  Tensor probabilities, targets, lengths;
};

Given given_of(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths,
    int64_t blank) {
  TORCH_CHECK(log_probs.numel() > 0, "log_probs tensor must not be empty");
  TORCH_CHECK(log_probs.dim() == 3, "log_probs must be [times, sequences, classes], not ", log_probs.sizes());
  TORCH_CHECK(
      targets.scalar_type() == kLong || targets.scalar_type() == kInt, "targets must be int64 or int32, not ",
      targets.scalar_type());
  const int64_t times = log_probs.size(0), sequences = log_probs.size(1), classes = log_probs.size(2);
  TORCH_CHECK(0 <= blank && blank < classes, "blank must be in label range");
  TORCH_CHECK(
      static_cast<int64_t>(input_lengths.size()) == sequences, "input_lengths must be of size batch_size");
  TORCH_CHECK(
      static_cast<int64_t>(target_lengths.size()) == sequences, "target_lengths must be of size batch_size");
  TORCH_CHECK(targets.dim() == 1 || targets.dim() == 2, "targets must be 1 or 2 dimensional, not ", targets.dim());
  std::vector<int64_t> lengths(3 * sequences);
  int64_t longest = 0, total = 0;
  for (int64_t i = 0; i < sequences; ++i) {
    TORCH_CHECK(
        input_lengths[i] >= 0 && input_lengths[i] <= times, "Expected input_lengths to have value at most ", times,
        ", but got value ", input_lengths[i]);
    TORCH_CHECK(target_lengths[i] >= 0, "Expected target_lengths to have value at least 0, but got ", target_lengths[i]);
    lengths[i] = input_lengths[i];
    lengths[sequences + i] = target_lengths[i];
    lengths[2 * sequences + i] = targets.dim() == 1 ? total : i * targets.stride(0);
    total += target_lengths[i];
    longest = std::max(longest, target_lengths[i]);
  }
  if (targets.dim() == 1) {
    TORCH_CHECK(targets.size(0) == total, "Expected tensor to have size ", total, " at dimension 0, but got ", targets.size(0));
  } else {
    TORCH_CHECK(
        targets.size(0) == sequences && targets.size(1) >= longest, "Expected tensor to have size at least ", longest,
        " at dimension 1, but got size ", targets.size(1));
  }
  const Layout layout{times, sequences, classes, 2 * longest + 1, blank, targets.stride(-1)};
  const Tensor on_host = at::empty({3 * sequences}, at::TensorOptions().dtype(kLong));
  std::copy(lengths.begin(), lengths.end(), on_host.mutable_data_ptr<int64_t>());
  const Tensor probabilities = log_probs.to(at::toOpMathType(log_probs.scalar_type())).contiguous();
  return {layout, probabilities, targets, on_host.to(log_probs.device())};
}

} // namespace

std::tuple<Tensor, Tensor> MusaCtcLoss(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths, int64_t blank,
    bool) {
  const Given given = given_of(log_probs, targets, input_lengths, target_lengths, blank);
  const Layout& layout = given.layout;
  const Tensor alphas = at::full(
      {layout.sequences, layout.times, layout.states}, -std::numeric_limits<double>::infinity(),
      given.probabilities.options());
  const Tensor losses = at::empty({layout.sequences}, given.probabilities.options());
  AT_DISPATCH_FLOATING_TYPES(given.probabilities.scalar_type(), "ctc_loss_musa", [&] {
    AT_DISPATCH_INDEX_TYPES(targets.scalar_type(), "ctc_loss_musa", [&] {
      ctc_losses<<<rows::blocks_for(layout.sequences), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          given.probabilities.const_data_ptr<scalar_t>(), given.targets.const_data_ptr<index_t>(),
          given.lengths.const_data_ptr<int64_t>(), layout, alphas.mutable_data_ptr<scalar_t>(),
          losses.mutable_data_ptr<scalar_t>());
    });
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return {losses.to(log_probs.scalar_type()), alphas};
}

Tensor MusaCtcLossBackward(
    const Tensor& grad, const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, const Tensor&, const Tensor& log_alpha, int64_t blank, bool zero_infinity) {
  const Given given = given_of(log_probs, targets, input_lengths, target_lengths, blank);
  const Layout& layout = given.layout;
  const ScalarType type = given.probabilities.scalar_type();
  const Tensor gradients = grad.to(type).expand({layout.sequences}).contiguous();
  const Tensor alphas = log_alpha.contiguous();
  const Tensor betas = at::empty({layout.sequences, 2, layout.states}, given.probabilities.options());
  const Tensor result =
      at::full(log_probs.sizes(), -std::numeric_limits<double>::infinity(), given.probabilities.options());
  AT_DISPATCH_FLOATING_TYPES(type, "ctc_loss_backward_musa", [&] {
    AT_DISPATCH_INDEX_TYPES(targets.scalar_type(), "ctc_loss_backward_musa", [&] {
      ctc_gradients<<<rows::blocks_for(layout.sequences), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          gradients.const_data_ptr<scalar_t>(), given.probabilities.const_data_ptr<scalar_t>(),
          given.targets.const_data_ptr<index_t>(), given.lengths.const_data_ptr<int64_t>(), layout,
          alphas.const_data_ptr<scalar_t>(), zero_infinity, betas.mutable_data_ptr<scalar_t>(),
          result.mutable_data_ptr<scalar_t>());
    });
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return result.to(log_probs.scalar_type());
}

} // namespace at::musa
