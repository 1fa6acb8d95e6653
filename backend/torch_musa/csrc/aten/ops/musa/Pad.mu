// Padding by reflection and by repetition of the edge. A thread has a row of the result: what comes from beside each other is
// copied as it is, and only the padding looks for its elements. The gradient of a row is the sum of all rows it went to.

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Padding.h>
#include <ATen/ops/empty.h>
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

#include <algorithm>
#include <vector>

#include "torch_musa/csrc/aten/ops/musa/Images.muh"
#include "torch_musa/csrc/aten/ops/musa/Index.muh"
#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

enum class Edge { Reflected, Repeated };

/// One dimension: its size, that of the padded one, and how much of that comes before it; that may be negative.
struct Side {
  int64_t size, padded, before;

  /// Where an element of the padded dimension comes from.
  __device__ int64_t source(int64_t position, Edge edge) const {
    const int64_t at = position - before;
    const int64_t mirrored = at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
    return edge == Edge::Reflected ? mirrored : std::max<int64_t>(0, std::min(at, size - 1));
  }
  /// Calls `f` with each position of the padded dimension that an element goes to.
  template <typename F>
  __device__ void for_positions(int64_t at, Edge edge, const F& f) const {
    const auto call = [&](int64_t position) {
      if (position >= 0 && position < padded) {
        f(position);
      }
    };
    if (edge == Edge::Reflected) {
      call(before + at);
      if (at > 0) {
        call(before - at);
      }
      if (at < size - 1) {
        call(before + 2 * (size - 1) - at);
      }
      return;
    }
    const int64_t last = at == size - 1 ? padded - 1 : before + at;
    for (int64_t position = at == 0 ? 0 : before + at; position <= last; ++position) {
      call(position);
    }
  }
  /// Calls `edge(position)` for the positions in the padding, and `inside(first, last)` for those between.
  template <typename F, typename G>
  __device__ void divide(const F& edge, const G& inside) const {
    const int64_t first = std::min(std::max<int64_t>(before, 0), padded);
    const int64_t last = std::max(std::min(before + size, padded), first);
    for (int64_t position = 0; position < first; ++position) {
      edge(position);
    }
    inside(first, last);
    for (int64_t position = last; position < padded; ++position) {
      edge(position);
    }
  }
};

/// The last three dimensions; those that are missing come first and have one element.
struct Box {
  Side along[3];
};

/// A thread writes a row of the result.
template <typename T>
__global__ void pad_rows(const T* values, Box box, Edge edge, int64_t count, T* results) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const Side &depth = box.along[0], &height = box.along[1], &width = box.along[2];
  const int64_t from1 = height.source(row % height.padded, edge);
  const int64_t from0 = depth.source(row / height.padded % depth.padded, edge);
  const int64_t image = row / height.padded / depth.padded;
  const T* const from = values + ((image * depth.size + from0) * height.size + from1) * width.size;
  T* const to = results + row * width.padded;
  width.divide(
      [&](int64_t position) { to[position] = from[width.source(position, edge)]; },
      [&](int64_t first, int64_t last) {
        for (int64_t position = first; position < last; ++position) {
          to[position] = from[position - width.before];
        }
      });
}

/// A thread adds up a row of the gradient.
template <typename T>
__global__ void unpad_rows(const T* gradients, Box box, Edge edge, int64_t count, T* results) {
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const Side &depth = box.along[0], &height = box.along[1], &width = box.along[2];
  const int64_t image = row / height.size / depth.size;
  T* const to = results + row * width.size;
  for (int64_t x = 0; x < width.size; ++x) {
    to[x] = T(0);
  }
  depth.for_positions(row / height.size % depth.size, edge, [&](int64_t position0) {
    height.for_positions(row % height.size, edge, [&](int64_t position1) {
      const T* const from = gradients + ((image * depth.padded + position0) * height.padded + position1) * width.padded;
      width.divide(
          [&](int64_t position) { to[width.source(position, edge)] += from[position]; },
          [&](int64_t first, int64_t last) {
            for (int64_t position = first; position < last; ++position) {
              to[position - width.before] += from[position];
            }
          });
    });
  });
}

/// `padding` has two numbers for each of the last dimensions, the last of them first.
Box box_of(IntArrayRef sizes, IntArrayRef padding) {
  Box box;
  for (int64_t i = 0; i < 3; ++i) {
    const bool missing = 2 * i >= static_cast<int64_t>(padding.size());
    const int64_t size = missing ? 1 : sizes[sizes.size() - 1 - i];
    const int64_t before = missing ? 0 : padding[2 * i], after = missing ? 0 : padding[2 * i + 1];
    box.along[2 - i] = {size, before + size + after, before};
  }
  return box;
}

std::vector<int64_t> padded_sizes(const Tensor& self, IntArrayRef padding) {
  std::vector<int64_t> sizes = self.sizes().vec();
  for (size_t i = 0; i < padding.size(); ++i) {
    sizes[sizes.size() - 1 - i / 2] += padding[i];
  }
  return sizes;
}

/// Writes what has been padded.
void pad_into(const Tensor& self, IntArrayRef padding, Edge edge, const Tensor& out) {
  if (out.numel() == 0) {
    return;
  }
  const Tensor values = self.contiguous();
  const Tensor results = images::writable(out);
  const int64_t count = out.numel() / out.size(-1);
  indexing::for_size(self.element_size(), [&](auto element) {
    using T = decltype(element);
    pad_rows<<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        static_cast<const T*>(values.const_data_ptr()), box_of(self.sizes(), padding), edge, count,
        static_cast<T*>(results.mutable_data_ptr()));
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  images::finish(out, results);
}

/// Writes the gradient of what has been padded.
void unpad_into(const Tensor& grad, IntArrayRef padding, Edge edge, const Tensor& grad_input) {
  if (grad_input.numel() == 0) {
    return;
  }
  const Tensor gradients = grad.contiguous();
  const Tensor results = images::writable(grad_input);
  const int64_t count = grad_input.numel() / grad_input.size(-1);
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(kHalf, kBFloat16, grad.scalar_type(), "pad_backward_musa", [&] {
    unpad_rows<<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        gradients.const_data_ptr<scalar_t>(), box_of(grad_input.sizes(), padding), edge, count,
        results.mutable_data_ptr<scalar_t>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  images::finish(grad_input, results);
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
  unpad_into(grad, padding, edge, grad_input);
  return grad_input;
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
    pad_into(self, padding, EDGE, out);                                                                \
  }

#define MUSA_PAD_BACKWARD(NAME, EDGE)                                                                  \
  TORCH_IMPL_FUNC(Musa##NAME##BackwardOut)                                                             \
  (const Tensor& grad, const Tensor& self, IntArrayRef padding, const Tensor& grad_input) {            \
    unpad_into(grad, padding, EDGE, grad_input);                                                       \
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
  out.resize_(padded_sizes(self, padding));
  pad_into(self, padding, Edge::Reflected, out);
  return out;
}

Tensor MusaReflectionPad2d(const Tensor& self, IntArrayRef padding) {
  Tensor out = at::empty({0}, self.options());
  return MusaReflectionPad2dOut(self, padding, out);
}

} // namespace at::musa
