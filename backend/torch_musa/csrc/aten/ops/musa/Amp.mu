// The functions that torch.amp.GradScaler asks of a device: gradients without their scale, and the next scale.

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_native.h>
#include <ATen/ops/_amp_update_scale_native.h>

#include <utility>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Elementwise.muh"
#include "torch_musa/csrc/aten/ops/musa/TensorLists.muh"

namespace at::musa {

namespace {

__global__ void update_scale(
    float* scale, int* tracker, const float* found_inf, double growth, double backoff, int64_t interval) {
  if (*found_inf != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *tracker = 0;
    return;
  }
  const int successes = *tracker + 1;
  if (successes == interval) {
    const float larger = static_cast<float>(*scale * growth);
    if (::isfinite(larger)) {
      *scale = larger;
    }
    *tracker = 0;
  } else {
    *tracker = successes;
  }
}

constexpr int kEach = 128; // elements of a thread that looks for what is not finite
constexpr int kLooking = elementwise::kThreads / kEach;

/// The bits of a number, and those of infinity.
template <typename T>
struct Bits;
template <>
struct Bits<float> {
  using Type = uint32_t;
  static constexpr Type kInfinity = 0x7f800000;
};
template <>
struct Bits<double> {
  using Type = uint64_t;
  static constexpr Type kInfinity = 0x7ff0000000000000;
};
template <>
struct Bits<c10::Half> {
  using Type = uint16_t;
  static constexpr Type kInfinity = 0x7c00;
};
template <>
struct Bits<c10::BFloat16> {
  using Type = uint16_t;
  static constexpr Type kInfinity = 0x7f80;
};

/// Sets `found` if some element is not finite. A thread takes neighbours.
template <typename T>
__global__ void look(TensorChunk<1> chunk, float* found) {
  using B = typename Bits<T>::Type;
  const int k = chunk.tensor_of(blockIdx.x);
  const int64_t first = (blockIdx.x * static_cast<int64_t>(kLooking) + threadIdx.x) * kEach;
  const B* const bits = static_cast<const B*>(chunk.data[0][k]) + (first - chunk.begin[k]);
  const int64_t left = chunk.end[k] - first;
  const int count = left < kEach ? static_cast<int>(left) : kEach;
  B most = 0;
  for (int i = 0; i < count; ++i) {
    const B size = static_cast<B>(bits[i] << 1); // without the sign
    most = size > most ? size : most;
  }
  if (most >= static_cast<B>(Bits<T>::kInfinity << 1)) {
    atomicExch(found, 1.0f);
  }
}

template <typename T>
__global__ void unscale(TensorChunk<1> chunk, const float* factor) {
  using M = at::opmath_type<T>;
  const int k = chunk.tensor_of(blockIdx.x);
  const int64_t thread = blockIdx.x * static_cast<int64_t>(elementwise::kThreads) + threadIdx.x;
  const M by = static_cast<M>(*factor);
  if (thread < chunk.end[k]) {
    T& stored = static_cast<T*>(chunk.data[0][k])[thread - chunk.begin[k]];
    stored = static_cast<T>(static_cast<M>(stored) * by);
  }
}

void unscale_all(const TensorChunk<1>& chunk, ScalarType type, float* found, const float* factor) {
  const auto stream = c10::musa::getCurrentMUSAStream();
  AT_DISPATCH_V2(
      type, "amp_unscale_musa", AT_WRAP([&] {
        look<scalar_t><<<chunk.blocks, kLooking, 0, stream>>>(chunk, found);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
        unscale<scalar_t><<<chunk.blocks, elementwise::kThreads, 0, stream>>>(chunk, factor);
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      }),
      MUSA_FLOATING);
}

} // namespace

void MusaAmpUnscale(TensorList self, Tensor& found_inf, const Tensor& inv_scale) {
  TORCH_CHECK(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  TORCH_CHECK(inv_scale.numel() == 1, "inv_scale must be a 1-element tensor.");
  float* const found = found_inf.mutable_data_ptr<float>();
  const float* const factor = inv_scale.const_data_ptr<float>();
  TensorChunk<1> chunk;
  std::vector<std::pair<Tensor, Tensor>> copies; // of tensors with gaps
  ScalarType type = kFloat;
  const auto finish = [&] {
    if (chunk.tensors > 0) {
      unscale_all(chunk, type, found, factor);
      chunk.clear();
    }
  };
  for (const Tensor& tensor : self) {
    if (tensor.numel() == 0) {
      continue;
    }
    if (chunk.is_full() || tensor.scalar_type() != type) {
      finish();
      type = tensor.scalar_type();
    }
    Tensor dense = tensor;
    if (!tensor.is_non_overlapping_and_dense()) {
      dense = tensor.contiguous();
      copies.emplace_back(tensor, dense);
    }
    chunk.data[0][chunk.add(tensor.numel())] = dense.mutable_data_ptr();
  }
  finish();
  for (const auto& [tensor, dense] : copies) {
    tensor.copy_(dense);
  }
}

Tensor& MusaAmpUpdateScale(
    Tensor& self, Tensor& growth_tracker, const Tensor& found_inf, double scale_growth_factor,
    double scale_backoff_factor, int64_t growth_interval) {
  TORCH_CHECK(growth_tracker.numel() == 1, "growth_tracker must be a 1-element tensor.");
  TORCH_CHECK(self.numel() == 1, "current_scale must be a 1-element tensor.");
  TORCH_CHECK(found_inf.numel() == 1, "found_inf must be a 1-element tensor.");
  update_scale<<<1, 1, 0, c10::musa::getCurrentMUSAStream()>>>(
      self.mutable_data_ptr<float>(), growth_tracker.mutable_data_ptr<int>(), found_inf.const_data_ptr<float>(),
      scale_growth_factor, scale_backoff_factor, growth_interval);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return self;
}

} // namespace at::musa
