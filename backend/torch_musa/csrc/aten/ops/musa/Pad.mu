// Padding by reflection and by repetition of the edge. For each dimension, a kernel writes where the elements come from;
// index_select takes them from there, and for the gradient index_add adds them up there.

#include <ATen/core/Tensor.h>
#include <ATen/native/Padding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/reflection_pad1d_backward_native.h>
#include <ATen/ops/reflection_pad1d_native.h>
#include <ATen/ops/reflection_pad2d_backward_native.h>
#include <ATen/ops/reflection_pad2d_native.h>
#include <ATen/ops/reflection_pad3d_backward_native.h>
#include <ATen/ops/reflection_pad3d_native.h>
#include <ATen/ops/replication_pad1d_backward_native.h>
#include <ATen/ops/replication_pad1d_native.h>
#include <ATen/ops/replication_pad2d_backward_native.h>
#include <ATen/ops/replication_pad2d_native.h>
#include <ATen/ops/replication_pad3d_backward_native.h>
#include <ATen/ops/replication_pad3d_native.h>
#include <ATen/ops/zeros.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <algorithm>
#include <vector>

namespace at::musa {

namespace {

constexpr int kThreads = 256;

enum class Edge { Reflected, Repeated };

__global__ void write_sources(int64_t* sources, int64_t count, int64_t size, int64_t before, bool reflects) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    const int64_t at = i - before;
    const int64_t mirrored = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
    sources[i] = reflects ? mirrored : std::max<int64_t>(0, std::min(at, size - 1));
  }
}

/// Where the elements of a padded dimension come from.
Tensor sources_of(const Tensor& like, int64_t size, int64_t before, int64_t after, Edge edge) {
  const int64_t count = size + before + after;
  const Tensor sources = at::empty({count}, like.options().dtype(kLong));
  if (count != 0) {
    write_sources<<<(count + kThreads - 1) / kThreads, kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        sources.mutable_data_ptr<int64_t>(), count, size, before, edge == Edge::Reflected);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return sources;
}

/// `padding` has two numbers for each of the last dimensions, the last of them first.
Tensor padded(Tensor value, IntArrayRef padding, Edge edge) {
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const int64_t dim = value.dim() - 1 - i;
    if (padding[2 * i] != 0 || padding[2 * i + 1] != 0) {
      value = at::index_select(
          value, dim, sources_of(value, value.size(dim), padding[2 * i], padding[2 * i + 1], edge));
    }
  }
  return value;
}

Tensor unpadded(Tensor grad, IntArrayRef sizes, IntArrayRef padding, Edge edge) {
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const int64_t dim = grad.dim() - 1 - i;
    if (padding[2 * i] != 0 || padding[2 * i + 1] != 0) {
      std::vector<int64_t> shape = grad.sizes().vec();
      shape[dim] = sizes[dim];
      const Tensor sources = sources_of(grad, sizes[dim], padding[2 * i], padding[2 * i + 1], edge);
      grad = at::index_add(at::zeros(shape, grad.options()), dim, sources, grad);
    }
  }
  return grad;
}

void require_shape(const Tensor& grad, const Tensor& self, IntArrayRef padding) {
  for (size_t i = 0; i < padding.size() / 2; ++i) {
    const int64_t wanted = self.size(-1 - static_cast<int64_t>(i)) + padding[2 * i] + padding[2 * i + 1];
    TORCH_CHECK(
        grad.size(-1 - static_cast<int64_t>(i)) == wanted, "grad_output size unexpected. Expected: ", wanted, ", Got: ",
        grad.size(-1 - static_cast<int64_t>(i)));
  }
}

Tensor& backward_into(const Tensor& grad, const Tensor& self, IntArrayRef padding, Edge edge, Tensor& grad_input) {
  require_shape(grad, self, padding);
  grad_input.resize_(self.sizes());
  return grad_input.copy_(unpadded(grad, self.sizes(), padding, edge));
}

Tensor backward(const Tensor& grad, const Tensor& self, IntArrayRef padding, Edge edge) {
  Tensor grad_input = at::empty({0}, self.options());
  return backward_into(grad, self, padding, edge, grad_input);
}

void require_reflectable(const Tensor& self, IntArrayRef padding) {
  at::native::padding::check_valid_input<2>(self, padding);
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t dim = self.dim() - 1 - i;
    TORCH_CHECK(
        padding[2 * i] < self.size(dim) && padding[2 * i + 1] < self.size(dim),
        "Padding size should be less than the corresponding input dimension, but got: padding (", padding[2 * i], ", ",
        padding[2 * i + 1], ") at dimension ", dim, " of input ", self.sizes());
    TORCH_CHECK(
        self.size(dim) + padding[2 * i] + padding[2 * i + 1] >= 1, "input (", self.sizes(),
        ") is too small for the padding");
  }
}

} // namespace

#define MUSA_PAD(NAME, EDGE)                                                                           \
  TORCH_IMPL_FUNC(Musa##NAME##Out)(const Tensor& self, IntArrayRef padding, const Tensor& out) {       \
    out.copy_(padded(self, padding, EDGE));                                                            \
  }

#define MUSA_PAD_BACKWARD(NAME, EDGE)                                                                  \
  TORCH_IMPL_FUNC(Musa##NAME##BackwardOut)                                                             \
  (const Tensor& grad, const Tensor& self, IntArrayRef padding, const Tensor& grad_input) {            \
    grad_input.copy_(unpadded(grad, self.sizes(), padding, EDGE));                                     \
  }

#define MUSA_PAD_BACKWARD_UNSTRUCTURED(NAME, EDGE)                                                     \
  Tensor Musa##NAME##Backward(const Tensor& grad, const Tensor& self, IntArrayRef padding) {           \
    return backward(grad, self, padding, EDGE);                                                        \
  }                                                                                                    \
  Tensor& Musa##NAME##BackwardOut(                                                                     \
      const Tensor& grad, const Tensor& self, IntArrayRef padding, Tensor& grad_input) {               \
    return backward_into(grad, self, padding, EDGE, grad_input);                                       \
  }

MUSA_PAD(ReflectionPad1d, Edge::Reflected)
MUSA_PAD(ReflectionPad3d, Edge::Reflected)
MUSA_PAD(ReplicationPad1d, Edge::Repeated)
MUSA_PAD(ReplicationPad2d, Edge::Repeated)
MUSA_PAD(ReplicationPad3d, Edge::Repeated)
MUSA_PAD_BACKWARD(ReflectionPad1d, Edge::Reflected)
MUSA_PAD_BACKWARD(ReflectionPad3d, Edge::Reflected)
MUSA_PAD_BACKWARD(ReplicationPad1d, Edge::Repeated)
MUSA_PAD_BACKWARD_UNSTRUCTURED(ReflectionPad2d, Edge::Reflected)
MUSA_PAD_BACKWARD_UNSTRUCTURED(ReplicationPad2d, Edge::Repeated)
MUSA_PAD_BACKWARD_UNSTRUCTURED(ReplicationPad3d, Edge::Repeated)

Tensor& MusaReflectionPad2dOut(const Tensor& self, IntArrayRef padding, Tensor& out) {
  require_reflectable(self, padding);
  const Tensor result = padded(self, padding, Edge::Reflected);
  out.resize_(result.sizes());
  return out.copy_(result);
}

Tensor MusaReflectionPad2d(const Tensor& self, IntArrayRef padding) {
  require_reflectable(self, padding);
  const Tensor result = padded(self, padding, Edge::Reflected);
  return result.is_same(self) ? self.clone() : result;
}

} // namespace at::musa
