// The negative log likelihood loss of [N, C] and [N, C, H, W], and its gradient.
//
// A thread has one target. The losses and weights of all are added up by PyTorch's sum.

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/nll_loss2d_backward_native.h>
#include <ATen/ops/nll_loss2d_forward_native.h>
#include <ATen/ops/nll_loss_backward_native.h>
#include <ATen/ops/nll_loss_forward_native.h>
#include <ATen/ops/sum.h>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

#include <cassert>

namespace at::musa {

namespace {

/// Log probabilities [samples, classes, inner], and a target for each of samples * inner.
struct Layout {
  int64_t samples;
  int64_t classes;
  int64_t inner;

  __host__ __device__ int64_t targets() const {
    return samples * inner;
  }
  __device__ int64_t element(int64_t target_index, int64_t target) const {
    const int64_t sample = target_index / inner;
    return (sample * classes + target) * inner + target_index - sample * inner;
  }
};

template <typename T, typename A, typename I>
__global__ void losses_of(
    const T* in, const I* targets, const A* weight, Layout layout, int64_t ignored, A* losses, A* weights) {
  const int64_t i = rows::this_thread();
  if (i >= layout.targets()) {
    return;
  }
  const int64_t target = targets[i];
  if (target == ignored) {
    losses[i] = weights[i] = A(0);
    return;
  }
  assert(target >= 0 && target < layout.classes && "nll_loss: a target is no class");
  const A w = weight ? weight[target] : A(1);
  weights[i] = w;
  losses[i] = -w * static_cast<A>(in[layout.element(i, target)]);
}

/// Writes the gradient where the targets are. `shared` says that all losses have one gradient, and `total`, if it is not
/// null, the weight that the sum was divided by.
template <typename T, typename A, typename I>
__global__ void gradient_of(
    const T* gradient, bool shared, const I* targets, const A* weight, const T* total, Layout layout, int64_t ignored,
    T* result) {
  const int64_t i = rows::this_thread();
  if (i >= layout.targets()) {
    return;
  }
  const int64_t target = targets[i];
  if (target == ignored) {
    return;
  }
  assert(target >= 0 && target < layout.classes && "nll_loss: a target is no class");
  const A w = weight ? weight[target] : A(1);
  const A share = total ? w / static_cast<A>(*total) : w;
  result[layout.element(i, target)] = static_cast<T>(-share * static_cast<A>(gradient[shared ? 0 : i]));
}

Tensor plain_weight(const Tensor& weight, ScalarType dtype) {
  return weight.defined() ? weight.to(dtype).contiguous() : weight;
}

template <typename F>
void with_index_type(const Tensor& target, const F& call) {
  if (target.scalar_type() == kByte) {
    call(uint8_t());
    return;
  }
  TORCH_CHECK(target.scalar_type() == kLong, "nll_loss: targets must be int64 or uint8, not ", target.scalar_type());
  call(int64_t());
}

template <typename A>
const A* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? static_cast<const A*>(tensor.const_data_ptr()) : nullptr;
}

/// The sum of all values, which is written to `result` as well, if that is defined.
Tensor sum_of(const Tensor& values, const Tensor& result) {
  if (result.defined() && result.scalar_type() == values.scalar_type()) {
    Tensor sum = result;
    return at::sum_out(sum, values, at::OptionalIntArrayRef(), /*keepdim=*/false);
  }
  const Tensor sum = values.sum();
  return result.defined() ? (result.copy_(sum), sum) : sum;
}

void forward(
    const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
    const Layout& layout, const Tensor& output, const Tensor& total_weight) {
  const ScalarType sums = at::toOpMathType(self.scalar_type());
  const Tensor in = self.contiguous();
  const Tensor targets = target.contiguous();
  const Tensor w = plain_weight(weight, sums);
  const Tensor losses = at::empty({layout.targets()}, in.options().dtype(sums));
  const Tensor weights = at::empty_like(losses);
  if (layout.targets() > 0) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "nll_loss_musa", [&] {
      using A = at::opmath_type<scalar_t>;
      with_index_type(targets, [&](auto index) {
        losses_of<scalar_t, A, decltype(index)>
            <<<rows::blocks_for(layout.targets()), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
                in.const_data_ptr<scalar_t>(), targets.const_data_ptr<decltype(index)>(), data_or_null<A>(w), layout,
                ignored, losses.mutable_data_ptr<A>(), weights.mutable_data_ptr<A>());
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      });
    });
  }
  if (reduction == at::Reduction::None) {
    output.copy_(losses.view_as(output));
    total_weight.zero_();
    return;
  }
  const Tensor total = sum_of(weights, total_weight);
  if (reduction == at::Reduction::Sum) {
    sum_of(losses, output);
  } else {
    Tensor mean = output;
    at::div_out(mean, sum_of(losses, Tensor()), total);
  }
}

void backward(
    const Tensor& gradient, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored,
    const Tensor& total_weight, const Layout& layout, const Tensor& result) {
  const Tensor made = result.is_contiguous() ? result : at::empty(result.sizes(), result.options());
  made.zero_();
  const Tensor targets = target.contiguous();
  const Tensor g = gradient.contiguous();
  const Tensor w = plain_weight(weight, at::toOpMathType(made.scalar_type()));
  const bool mean = reduction == at::Reduction::Mean;
  if (layout.targets() > 0) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, made.scalar_type(), "nll_loss_backward_musa", [&] {
      using A = at::opmath_type<scalar_t>;
      with_index_type(targets, [&](auto index) {
        gradient_of<scalar_t, A, decltype(index)>
            <<<rows::blocks_for(layout.targets()), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
                g.const_data_ptr<scalar_t>(), reduction != at::Reduction::None,
                targets.const_data_ptr<decltype(index)>(), data_or_null<A>(w),
                mean ? total_weight.const_data_ptr<scalar_t>() : nullptr, layout, ignored,
                made.mutable_data_ptr<scalar_t>());
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      });
    });
  }
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

Layout flat_layout(const Tensor& self) {
  return {self.dim() == 1 ? 1 : self.size(0), self.size(-1), 1};
}

Layout plane_layout(const Tensor& self, const Tensor& target, const Tensor& weight) {
  TORCH_CHECK(self.dim() == 4, "nll_loss2d: the input must have 4 dimensions, not ", self.dim());
  TORCH_CHECK(target.dim() == 3, "nll_loss2d: the targets must have 3 dimensions, not ", target.dim());
  TORCH_CHECK(
      self.size(0) == target.size(0) && self.size(2) == target.size(1) && self.size(3) == target.size(2),
      "nll_loss2d: sizes of input ", self.sizes(), " and targets ", target.sizes(), " do not fit");
  TORCH_CHECK(
      !weight.defined() || weight.numel() == self.size(1), "nll_loss2d: a weight for each of the ", self.size(1),
      " classes is needed, but there are ", weight.defined() ? weight.numel() : 0);
  return {self.size(0), self.size(1), self.size(2) * self.size(3)};
}

} // namespace

TORCH_IMPL_FUNC(MusaNllLoss)
(const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction, int64_t ignored,
 const Tensor& output, const Tensor& total_weight) {
  forward(self, target, weight.getTensorRef(), reduction, ignored, flat_layout(self), output, total_weight);
}

TORCH_IMPL_FUNC(MusaNllLossBackward)
(const Tensor& gradient, const Tensor& self, const Tensor& target, OptionalTensorRef weight, int64_t reduction,
 int64_t ignored, const Tensor& total_weight, const Tensor& result) {
  backward(gradient, target, weight.getTensorRef(), reduction, ignored, total_weight, flat_layout(self), result);
}

std::tuple<Tensor&, Tensor&> MusaNllLoss2dOut(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignored,
    Tensor& output, Tensor& total_weight) {
  const Tensor w = weight.value_or(Tensor());
  const Layout layout = plane_layout(self, target, w);
  output.resize_(reduction == at::Reduction::None ? target.sizes() : IntArrayRef());
  total_weight.resize_({});
  forward(self, target, w, reduction, ignored, layout, output, total_weight);
  return {output, total_weight};
}

std::tuple<Tensor, Tensor> MusaNllLoss2d(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight, int64_t reduction, int64_t ignored) {
  Tensor output = at::empty({0}, self.options().memory_format(std::nullopt));
  Tensor total_weight = at::empty({}, output.options());
  MusaNllLoss2dOut(self, target, weight, reduction, ignored, output, total_weight);
  return {output, total_weight};
}

Tensor& MusaNllLoss2dBackwardOut(
    const Tensor& gradient, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignored, const Tensor& total_weight, Tensor& result) {
  const Tensor w = weight.value_or(Tensor());
  const Layout layout = plane_layout(self, target, w);
  result.resize_(self.sizes());
  backward(gradient, target, w, reduction, ignored, total_weight, layout, result);
  return result;
}

Tensor MusaNllLoss2dBackward(
    const Tensor& gradient, const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignored, const Tensor& total_weight) {
  Tensor result = at::empty(self.sizes(), self.options());
  return MusaNllLoss2dBackwardOut(gradient, self, target, weight, reduction, ignored, total_weight, result);
}

} // namespace at::musa
