// Losses that want the score of the right class above all others by a margin: multi_margin_loss, for one right class, and
// multilabel_margin_loss, for several. A thread has one sample. PyTorch's sum adds up the losses of all.

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/native/LossMulti.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/multi_margin_loss_backward_native.h>
#include <ATen/ops/multi_margin_loss_native.h>
#include <ATen/ops/multilabel_margin_loss_backward_native.h>
#include <ATen/ops/multilabel_margin_loss_forward_native.h>
#include <ATen/ops/zeros.h>

#include <tuple>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

/// Scores [samples, classes].
struct Layout {
  int64_t samples = 0;
  int64_t classes = 0;
};

template <typename A>
struct Margin {
  bool squared;
  A width;
  const A* weight; // of each class, or null

  __device__ A of(int64_t target) const {
    return weight ? weight[target] : A(1);
  }
};

__device__ inline void require_class(int64_t target, int64_t classes) {
  CUDA_KERNEL_ASSERT(target >= 0 && target < classes && "multi_margin_loss: target out of range");
}

template <typename T, typename A>
__global__ void margin_losses(const T* in, const int64_t* targets, Layout layout, Margin<A> margin, A* losses) {
  const int64_t sample = rows::this_thread();
  if (sample < layout.samples) {
    const T* const scores = in + sample * layout.classes;
    const int64_t target = targets[sample];
    require_class(target, layout.classes);
    const A right = static_cast<A>(scores[target]);
    A sum = 0;
    for (int64_t i = 0; i < layout.classes; ++i) {
      const A lack = margin.width - right + static_cast<A>(scores[i]);
      if (i != target && lack > 0) {
        sum += margin.squared ? lack * lack : lack;
      }
    }
    losses[sample] = margin.of(target) * sum / static_cast<A>(layout.classes);
  }
}

/// `step`: 0 where all samples share one gradient, else 1.
template <typename T, typename A>
__global__ void margin_gradients(
    const T* gradients, int64_t step, A share, const T* in, const int64_t* targets, Layout layout, Margin<A> margin,
    T* results) {
  const int64_t sample = rows::this_thread();
  if (sample < layout.samples) {
    const T* const scores = in + sample * layout.classes;
    T* const result = results + sample * layout.classes;
    const int64_t target = targets[sample];
    require_class(target, layout.classes);
    const A factor = share * margin.of(target) * static_cast<A>(gradients[sample * step]);
    const A right = static_cast<A>(scores[target]);
    A sum = 0;
    for (int64_t i = 0; i < layout.classes; ++i) {
      const A lack = margin.width - right + static_cast<A>(scores[i]);
      const A slope = i == target || !(lack > 0) ? A(0) : margin.squared ? 2 * lack * factor : factor;
      result[i] = static_cast<T>(slope);
      sum += slope;
    }
    result[target] = static_cast<T>(-sum);
  }
}

/// The right classes of a sample come first; a negative number ends them.
template <typename T, typename A>
__global__ void label_losses(const T* in, const int64_t* targets, Layout layout, T* is_target, A* losses) {
  const int64_t sample = rows::this_thread();
  if (sample < layout.samples) {
    const int64_t first = sample * layout.classes;
    for (int64_t k = 0; k < layout.classes && targets[first + k] >= 0; ++k) {
      CUDA_KERNEL_ASSERT(targets[first + k] < layout.classes && "multilabel_margin_loss: target out of range");
      is_target[first + targets[first + k]] = T(1);
    }
    A sum = 0;
    for (int64_t k = 0; k < layout.classes && targets[first + k] >= 0; ++k) {
      const A right = static_cast<A>(in[first + targets[first + k]]);
      for (int64_t i = 0; i < layout.classes; ++i) {
        const A lack = A(1) - right + static_cast<A>(in[first + i]);
        if (is_target[first + i] == T(0) && lack > 0) {
          sum += lack;
        }
      }
    }
    losses[sample] = sum / static_cast<A>(layout.classes);
  }
}

template <typename T, typename A>
__global__ void label_gradients(
    const T* gradients, int64_t step, A share, const T* in, const int64_t* targets, Layout layout, const T* is_target,
    A* results) {
  const int64_t sample = rows::this_thread();
  if (sample < layout.samples) {
    const int64_t first = sample * layout.classes;
    const A factor = share * static_cast<A>(gradients[sample * step]);
    for (int64_t k = 0; k < layout.classes && targets[first + k] >= 0; ++k) {
      const int64_t target = first + targets[first + k];
      const A right = static_cast<A>(in[target]);
      for (int64_t i = 0; i < layout.classes; ++i) {
        if (is_target[first + i] == T(0) && A(1) - right + static_cast<A>(in[first + i]) > 0) {
          results[target] -= factor;
          results[first + i] += factor;
        }
      }
    }
  }
}

/// Writes the losses of samples, or what the reduction makes of them.
void reduce_into(const Tensor& losses, int64_t reduction, bool as_one, const Tensor& out) {
  if (reduction == at::Reduction::None) {
    at::native::resize_output(out, as_one ? IntArrayRef() : losses.sizes());
    out.copy_(losses.view(out.sizes()));
    return;
  }
  at::native::resize_output(out, {});
  const Tensor sum = losses.sum();
  out.copy_(reduction == at::Reduction::Mean ? sum / losses.numel() : sum);
}

/// The factor of each sample's gradient, without the incoming one.
double share_of(const Layout& layout, int64_t reduction) {
  return 1.0 / (layout.classes * (reduction == at::Reduction::Mean ? layout.samples : 1));
}

template <typename A>
Margin<A> margin_of(const Scalar& p, const Scalar& width, const Tensor& weight) {
  return {p.toLong() == 2, width.to<A>(), weight.defined() ? weight.const_data_ptr<A>() : nullptr};
}

Tensor weight_of(const std::optional<Tensor>& weight, const Tensor& like) {
  return weight && weight->defined() ? weight->to(at::toOpMathType(like.scalar_type())).contiguous() : Tensor();
}

Layout margin_layout(
    const Tensor& self, const Tensor& target, const Scalar& p, const std::optional<Tensor>& weight) {
  Layout layout;
  TORCH_CHECK(p.toLong() == 1 || p.toLong() == 2, "multi_margin_loss: Invalid p, expected 1 or 2 but got ", p.toLong());
  at::native::multi_margin_loss_shape_check(layout.samples, layout.classes, self.dim(), self, target, weight);
  return layout;
}

Layout label_layout(const Tensor& self, const Tensor& target) {
  Layout layout;
  at::native::multilabel_margin_loss_shape_check(layout.samples, layout.classes, self.dim(), self, target);
  return layout;
}

} // namespace

Tensor& MusaMultiMarginLossOut(
    const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin, const std::optional<Tensor>& weight,
    int64_t reduction, Tensor& out) {
  const Layout layout = margin_layout(self, target, p, weight);
  const Tensor in = self.contiguous(), targets = target.contiguous(), weights = weight_of(weight, self);
  const Tensor losses = at::zeros({layout.samples}, self.options().dtype(at::toOpMathType(self.scalar_type())));
  if (layout.samples != 0) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "multi_margin_loss_musa", [&] {
      using A = at::opmath_type<scalar_t>;
      margin_losses<<<rows::blocks_for(layout.samples), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          in.const_data_ptr<scalar_t>(), targets.const_data_ptr<int64_t>(), layout, margin_of<A>(p, margin, weights),
          losses.mutable_data_ptr<A>());
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  reduce_into(losses, reduction, target.dim() == 0, out);
  return out;
}

Tensor MusaMultiMarginLoss(
    const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin, const std::optional<Tensor>& weight,
    int64_t reduction) {
  Tensor out = at::empty({0}, self.options());
  return MusaMultiMarginLossOut(self, target, p, margin, weight, reduction, out);
}

Tensor& MusaMultiMarginLossBackwardOut(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin,
    const std::optional<Tensor>& weight, int64_t reduction, Tensor& grad_input) {
  const Layout layout = margin_layout(self, target, p, weight);
  at::native::resize_output(grad_input, self.sizes());
  if (layout.samples == 0) {
    return grad_input;
  }
  const Tensor in = self.contiguous(), targets = target.contiguous(), weights = weight_of(weight, self);
  const Tensor gradients = grad.contiguous();
  const Tensor made = at::empty(self.sizes(), self.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "multi_margin_loss_backward_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    margin_gradients<<<rows::blocks_for(layout.samples), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        gradients.const_data_ptr<scalar_t>(), int64_t(gradients.numel() == 1 ? 0 : 1),
        static_cast<A>(share_of(layout, reduction)), in.const_data_ptr<scalar_t>(), targets.const_data_ptr<int64_t>(),
        layout, margin_of<A>(p, margin, weights), made.mutable_data_ptr<scalar_t>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return grad_input.copy_(made);
}

Tensor MusaMultiMarginLossBackward(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin,
    const std::optional<Tensor>& weight, int64_t reduction) {
  Tensor grad_input = at::empty({0}, self.options());
  return MusaMultiMarginLossBackwardOut(grad, self, target, p, margin, weight, reduction, grad_input);
}

std::tuple<Tensor&, Tensor&> MusaMultilabelMarginLossOut(
    const Tensor& self, const Tensor& target, int64_t reduction, Tensor& output, Tensor& is_target) {
  const Layout layout = label_layout(self, target);
  const Tensor in = self.contiguous(), targets = target.contiguous();
  const Tensor marks = at::zeros(target.sizes(), self.options());
  const Tensor losses = at::zeros({layout.samples}, self.options().dtype(at::toOpMathType(self.scalar_type())));
  if (layout.samples != 0) {
    AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "multilabel_margin_loss_musa", [&] {
      using A = at::opmath_type<scalar_t>;
      label_losses<<<rows::blocks_for(layout.samples), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          in.const_data_ptr<scalar_t>(), targets.const_data_ptr<int64_t>(), layout, marks.mutable_data_ptr<scalar_t>(),
          losses.mutable_data_ptr<A>());
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  reduce_into(losses, reduction, target.dim() <= 1, output);
  at::native::resize_output(is_target, target.sizes());
  is_target.copy_(marks);
  return {output, is_target};
}

std::tuple<Tensor, Tensor> MusaMultilabelMarginLoss(const Tensor& self, const Tensor& target, int64_t reduction) {
  Tensor output = at::empty({0}, self.options());
  Tensor is_target = at::empty({0}, self.options());
  MusaMultilabelMarginLossOut(self, target, reduction, output, is_target);
  return {output, is_target};
}

Tensor& MusaMultilabelMarginLossBackwardOut(
    const Tensor& grad, const Tensor& self, const Tensor& target, int64_t reduction, const Tensor& is_target,
    Tensor& grad_input) {
  const Layout layout = label_layout(self, target);
  at::native::resize_output(grad_input, self.sizes());
  if (layout.samples == 0) {
    return grad_input;
  }
  const Tensor in = self.contiguous(), targets = target.contiguous(), marks = is_target.contiguous();
  const Tensor gradients = grad.contiguous();
  const Tensor made = at::zeros(self.sizes(), self.options().dtype(at::toOpMathType(self.scalar_type())));
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "multilabel_margin_loss_backward_musa", [&] {
    using A = at::opmath_type<scalar_t>;
    label_gradients<<<rows::blocks_for(layout.samples), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        gradients.const_data_ptr<scalar_t>(), int64_t(gradients.numel() == 1 ? 0 : 1),
        static_cast<A>(share_of(layout, reduction)), in.const_data_ptr<scalar_t>(), targets.const_data_ptr<int64_t>(),
        layout, marks.const_data_ptr<scalar_t>(), made.mutable_data_ptr<A>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return grad_input.copy_(made);
}

Tensor MusaMultilabelMarginLossBackward(
    const Tensor& grad, const Tensor& self, const Tensor& target, int64_t reduction, const Tensor& is_target) {
  Tensor grad_input = at::empty({0}, self.options());
  return MusaMultilabelMarginLossBackwardOut(grad, self, target, reduction, is_target, grad_input);
}

} // namespace at::musa
