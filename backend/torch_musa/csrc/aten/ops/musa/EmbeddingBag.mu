// Sums, means and maxima of bags of rows, and their gradients.
//
// A thread has some columns of a bag, or of all bags to add up the gradient of the table.

#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_embedding_bag_backward_native.h>
#include <ATen/ops/_embedding_bag_dense_backward_native.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include <tuple>

#include "torch_musa/csrc/aten/ops/musa/Rows.muh"

namespace at::musa {

namespace {

enum Mode : int64_t { kSum = 0, kMean = 1, kMax = 2 };

struct Layout {
  int64_t rows, columns; // of the table
  int64_t row_step, column_step; // of the table
  int64_t bags, indices;
  int64_t padding;
};

/// Writes the bag of each index and the number of rows of each bag, without the padding.
__global__ void fill_bags(
    const int64_t* indices, const int64_t* offsets, bool has_last, Layout layout, int64_t* bag_of, int64_t* sizes) {
  const int64_t bag = rows::this_thread();
  if (bag < layout.bags) {
    const int64_t begin = offsets[bag];
    const int64_t end = bag + 1 < layout.bags || has_last ? offsets[bag + 1] : layout.indices;
    CUDA_KERNEL_ASSERT(0 <= begin && begin <= end && end <= layout.indices && "embedding_bag: offsets out of order");
    int64_t size = 0;
    for (int64_t i = begin; i < end; ++i) {
      CUDA_KERNEL_ASSERT(indices[i] >= 0 && indices[i] < layout.rows && "embedding_bag: index out of range");
      bag_of[i] = bag;
      size += indices[i] != layout.padding;
    }
    sizes[bag] = size;
  }
}

constexpr int64_t kColumns = 64; // of a thread: the loops over them become vector instructions

int64_t chunks_of(int64_t columns) {
  return (columns + kColumns - 1) / kColumns;
}

template <typename T>
__global__ void reduce_bags(
    int64_t mode, const T* table, const int64_t* indices, const int64_t* offsets, bool has_last, const T* factors,
    Layout layout, int64_t chunks, T* results, int64_t* largest) {
  using A = at::opmath_type<T>;
  const int64_t bag = rows::this_thread() / chunks, first = rows::this_thread() % chunks * kColumns;
  if (bag >= layout.bags) {
    return;
  }
  const int64_t columns = ::min(layout.columns - first, kColumns);
  const int64_t begin = offsets[bag];
  const int64_t end = bag + 1 < layout.bags || has_last ? offsets[bag + 1] : layout.indices;
  A found[kColumns];
  int64_t row_of_largest[kColumns];
  for (int64_t k = 0; k < columns; ++k) {
    found[k] = 0;
    row_of_largest[k] = -1;
  }
  int64_t size = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t index = indices[i];
    if (index == layout.padding) {
      continue;
    }
    const T* const row = table + index * layout.row_step + first * layout.column_step;
    if (mode == kMax) {
      for (int64_t k = 0; k < columns; ++k) {
        const A value = static_cast<A>(row[k * layout.column_step]);
        const bool takes = size == 0 || value > found[k] || value != value;
        found[k] = takes ? value : found[k];
        row_of_largest[k] = takes ? index : row_of_largest[k];
      }
    } else {
      const A factor = factors ? static_cast<A>(factors[i]) : A(1);
      for (int64_t k = 0; k < columns; ++k) {
        found[k] += static_cast<A>(row[k * layout.column_step]) * factor;
      }
    }
    ++size;
  }
  const int64_t at = bag * layout.columns + first;
  const A divisor = mode == kMean && size != 0 ? static_cast<A>(size) : A(1);
  for (int64_t k = 0; k < columns; ++k) {
    results[at + k] = static_cast<T>(found[k] / divisor);
  }
  for (int64_t k = 0; mode == kMax && k < columns; ++k) {
    largest[at + k] = row_of_largest[k];
  }
}

/// Adds the gradient of each bag, times a factor for each index, to the rows of its indices. A thread has some columns of all
/// rows.
template <typename A>
__global__ void add_bags(
    const A* gradients, const int64_t* bag_of, const int64_t* indices, const A* factors, int64_t count, int64_t columns,
    int64_t padding, A* results) {
  const int64_t first = rows::this_thread() * kColumns;
  if (first >= columns) {
    return;
  }
  const int64_t width = ::min(columns - first, kColumns);
  for (int64_t i = 0; i < count; ++i) {
    if (indices[i] == padding) {
      continue;
    }
    const A* const from = gradients + bag_of[i] * columns + first;
    A* const to = results + indices[i] * columns + first;
    const A factor = factors ? factors[i] : A(1);
    for (int64_t k = 0; k < width; ++k) {
      to[k] += from[k] * factor;
    }
  }
}

/// The type of the indices that are results, int32 or int64. The kernels have int64.
ScalarType type_of(const Tensor& indices, const Tensor& offsets) {
  for (const Tensor& given : {indices, offsets}) {
    TORCH_CHECK(
        given.scalar_type() == kLong || given.scalar_type() == kInt,
        "embedding_bag: indices and offsets must be int64 or int32, not ", given.scalar_type());
  }
  return indices.scalar_type() == offsets.scalar_type() ? indices.scalar_type() : kLong;
}

void require_fit(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor& factors,
    bool has_last) {
  TORCH_CHECK(weight.dim() == 2, "embedding_bag: the table must have 2 dimensions, not ", weight.dim());
  TORCH_CHECK(indices.dim() == 1 && offsets.dim() == 1, "embedding_bag: indices and offsets must have 1 dimension");
  TORCH_CHECK(mode >= kSum && mode <= kMax, "embedding_bag: unknown mode ", mode);
  TORCH_CHECK(
      !has_last || offsets.size(0) >= 1, "include_last_offset: number of offset should be at least 1");
  if (factors.defined()) {
    TORCH_CHECK(mode == kSum, "embedding_bag: per_sample_weights only supported with mode='sum'");
    TORCH_CHECK(
        factors.dim() == 1 && factors.numel() == indices.numel(),
        "embedding_bag: per_sample_weights must have as many elements as there are indices");
    TORCH_CHECK(
        factors.scalar_type() == weight.scalar_type(), "embedding_bag: per_sample_weights must have the type of the "
        "table, ", weight.scalar_type(), ", not ", factors.scalar_type());
  }
}

using Bags = std::tuple<Tensor, Tensor, Tensor, Tensor>;

Bags bags(
    const Tensor& weight, const Tensor& given_indices, const Tensor& given_offsets, int64_t mode,
    const std::optional<Tensor>& per_sample_weights, bool has_last, int64_t padding) {
  const Tensor factors = per_sample_weights.value_or(Tensor());
  require_fit(weight, given_indices, given_offsets, mode, factors, has_last);
  const ScalarType type = type_of(given_indices, given_offsets);
  const Tensor indices = given_indices.to(kLong).contiguous(), offsets = given_offsets.to(kLong).contiguous();
  const Layout layout{
      weight.size(0), weight.size(1), weight.stride(0), weight.stride(1), offsets.size(0) - (has_last ? 1 : 0),
      indices.size(0), padding};
  const Tensor results = at::zeros({layout.bags, layout.columns}, weight.options());
  const Tensor bag_of = at::zeros({layout.indices}, indices.options());
  const Tensor sizes = at::zeros({layout.bags}, indices.options());
  const Tensor largest =
      mode == kMax ? at::empty({layout.bags, layout.columns}, indices.options()) : at::empty({0}, indices.options());
  if (layout.bags != 0) {
    const Tensor given_factors = factors.defined() ? factors.contiguous() : factors;
    const auto stream = c10::musa::getCurrentMUSAStream();
    fill_bags<<<rows::blocks_for(layout.bags), rows::kThreads, 0, stream>>>(
        indices.const_data_ptr<int64_t>(), offsets.const_data_ptr<int64_t>(), has_last, layout,
        bag_of.mutable_data_ptr<int64_t>(), sizes.mutable_data_ptr<int64_t>());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    if (layout.columns != 0) {
      AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, weight.scalar_type(), "embedding_bag_musa", [&] {
        const int64_t chunks = chunks_of(layout.columns);
        reduce_bags<<<rows::blocks_for(layout.bags * chunks), rows::kThreads, 0, stream>>>(
            mode, weight.const_data_ptr<scalar_t>(), indices.const_data_ptr<int64_t>(),
            offsets.const_data_ptr<int64_t>(), has_last,
            given_factors.defined() ? given_factors.const_data_ptr<scalar_t>() : nullptr, layout, chunks,
            results.mutable_data_ptr<scalar_t>(), largest.mutable_data_ptr<int64_t>());
        C10_MUSA_KERNEL_LAUNCH_CHECK();
      });
    }
  }
  return {results, bag_of.to(type), sizes.to(type), largest.to(type)};
}

/// Gradients of rows without those of the padding.
Tensor without_padding(const Tensor& gradients, const Tensor& indices, int64_t padding) {
  return padding < 0 ? gradients : gradients.mul((indices != padding).unsqueeze(1));
}

} // namespace

Bags MusaEmbeddingBag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool,
    const std::optional<Tensor>& per_sample_weights, bool include_last_offset, int64_t padding_idx) {
  return bags(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx);
}

Bags MusaEmbeddingBagForwardOnly(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool,
    const std::optional<Tensor>& per_sample_weights, bool include_last_offset, int64_t padding_idx) {
  return bags(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx);
}

Tensor MusaEmbeddingBagDenseBackward(
    const Tensor& grad, const Tensor& indices, const Tensor& offset2bag, const Tensor& bag_size,
    const Tensor& maximum_indices, int64_t num_weights, bool scale_grad_by_freq, int64_t mode,
    const std::optional<Tensor>& per_sample_weights, int64_t padding_idx) {
  const Tensor wide = grad.to(at::toOpMathType(grad.scalar_type()));
  const Tensor result = at::zeros({num_weights, grad.size(1)}, wide.options());
  if (mode == kMax) {
    const Tensor full = (bag_size != 0).unsqueeze(1);
    result.scatter_add_(0, maximum_indices.to(kLong).mul(full), wide.mul(full));
    return result.to(grad.scalar_type());
  }
  if (indices.numel() == 0) {
    return result.to(grad.scalar_type());
  }
  Tensor factors = per_sample_weights.value_or(Tensor());
  const auto multiply = [&factors](const Tensor& by) { factors = factors.defined() ? factors * by : by; };
  if (mode == kMean) {
    multiply(bag_size.index_select(0, offset2bag).clamp_min(1).reciprocal());
  }
  if (scale_grad_by_freq) {
    const Tensor ones = at::ones_like(indices, wide.options());
    const Tensor counts = at::zeros({num_weights}, wide.options()).index_add_(0, indices, ones);
    multiply(counts.index_select(0, indices).reciprocal());
  }
  if (result.numel() != 0) {
    const Tensor gradients = wide.contiguous(), bag_of = offset2bag.to(kLong).contiguous();
    const Tensor wide_indices = indices.to(kLong).contiguous();
    factors = factors.defined() ? factors.to(wide.scalar_type()).contiguous() : factors;
    AT_DISPATCH_FLOATING_TYPES(wide.scalar_type(), "embedding_bag_backward_musa", [&] {
      add_bags<<<rows::blocks_for(chunks_of(grad.size(1))), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          gradients.const_data_ptr<scalar_t>(), bag_of.const_data_ptr<int64_t>(),
          wide_indices.const_data_ptr<int64_t>(), factors.defined() ? factors.const_data_ptr<scalar_t>() : nullptr, indices.numel(), grad.size(1), padding_idx,
          result.mutable_data_ptr<scalar_t>());
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return result.to(grad.scalar_type());
}

Tensor MusaEmbeddingBagPerSampleWeightsBackward(
    const Tensor& grad, const Tensor& weight, const Tensor& indices, const Tensor&, const Tensor& offset2bag,
    int64_t mode, int64_t padding_idx) {
  TORCH_CHECK(mode == kSum, "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  const ScalarType type = at::toOpMathType(grad.scalar_type());
  const Tensor products = grad.to(type).index_select(0, offset2bag) * weight.to(type).index_select(0, indices);
  return without_padding(products, indices, padding_idx).sum(1).to(grad.scalar_type());
}

} // namespace at::musa
