// Where values belong in sorted rows (searchsorted, bucketize), and how many are in each range (histc, bincount).

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/musa/Atomic.muh>
#include <ATen/native/BucketizationUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/bincount_native.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/searchsorted_native.h>
#include <ATen/ops/zeros.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace at::musa {

namespace {

constexpr int kThreads = 256;

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// results[i] = how many elements of a sorted row are less than values[i], or equal to it where `right`. `width`: the values
/// that a row is for. `order`, if given, names the elements of an unsorted row in their order.
template <typename T, typename R>
__global__ void search(
    const T* values, int64_t count, int64_t width, const T* rows, int64_t size, const int64_t* order, bool one_row,
    bool right, R* results) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    const int64_t start = one_row ? 0 : i / width * size;
    const T value = values[i];
    int64_t low = start, high = start + size;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const T element = order == nullptr ? rows[middle] : rows[start + order[middle]];
      if (right ? !(element > value) : !(element >= value)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    results[i] = static_cast<R>(low - start);
  }
}

Tensor& search_into(
    const Tensor& given_rows, const Tensor& given_values, bool out_int32, bool given_right,
    std::optional<c10::string_view> side, const Tensor& given_order, Tensor& out) {
  at::native::searchsorted_pre_check(given_rows, given_values, out, out_int32, given_right, side, given_order);
  at::native::resize_output(out, given_values.sizes());
  if (given_values.numel() == 0) {
    return out;
  }
  const bool right = side ? *side == "right" : given_right;
  Tensor trimmed_values, trimmed_rows, trimmed_order;
  const Tensor no_order = given_order.defined() ? given_order : at::empty({0}, given_rows.options().dtype(kLong));
  at::native::searchsorted_maybe_trim_input_tensors(
      trimmed_values, trimmed_rows, trimmed_order, given_values, given_rows, no_order);
  const Tensor values = trimmed_values.defined() ? trimmed_values : given_values;
  const Tensor rows = trimmed_rows.defined() ? trimmed_rows : given_rows;
  const Tensor order = trimmed_order.defined() ? trimmed_order : given_order;
  const Tensor results = out.is_contiguous() ? out : at::empty(out.sizes(), out.options());
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, values.scalar_type(), "searchsorted_musa", [&] {
    AT_DISPATCH_INDEX_TYPES(out.scalar_type(), "searchsorted_musa", [&] {
      search<<<blocks_for(values.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          values.const_data_ptr<scalar_t>(), values.numel(), values.dim() == 0 ? 1 : values.size(-1),
          rows.const_data_ptr<scalar_t>(), rows.size(-1), order.defined() ? order.const_data_ptr<int64_t>() : nullptr,
          rows.dim() == 1, right, results.mutable_data_ptr<index_t>());
    });
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return results.is_same(out) ? out : out.copy_(results);
}

Tensor result_for(const Tensor& rows, bool out_int32) {
  return at::empty({0}, rows.options().dtype(out_int32 ? kInt : kLong));
}

/// Counts the elements from `low` to `high` in ranges of equal size.
template <typename T, typename R>
__global__ void count_in_ranges(const T* values, int64_t count, R low, R high, int64_t bins, int64_t* counts) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    const R value = static_cast<R>(values[i]);
    if (value >= low && value <= high) {
      const int64_t bin = static_cast<int64_t>((value - low) * static_cast<R>(bins) / (high - low));
      gpuAtomicAddNoReturn(counts + std::min(bin, bins - 1), int64_t(1));
    }
  }
}

/// Counts the numbers below `size` in each part of the values; a thread has a part, and a row of the counts.
__global__ void count_parts(const int64_t* values, int64_t count, int64_t part, int64_t size, int64_t* counts) {
  const int64_t thread = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  const int64_t first = thread * part;
  if (first < count) {
    int64_t* const row = counts + thread * size;
    for (int64_t k = 0; k < size; ++k) {
      row[k] = 0;
    }
    const int64_t last = std::min(first + part, count);
    for (int64_t i = first; i < last; ++i) {
      ++row[values[i]];
    }
  }
}

/// Counts each number below `size` among the values, of which there are many more.
Tensor counts_of(const Tensor& values, int64_t size) {
  constexpr int64_t kMostParts = 256;
  const int64_t count = values.numel();
  const int64_t part = std::max((count + kMostParts - 1) / kMostParts, size);
  const int64_t parts = (count + part - 1) / part;
  const Tensor counts = at::empty({parts, size}, values.options());
  count_parts<<<blocks_for(parts), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      values.const_data_ptr<int64_t>(), count, part, size, counts.mutable_data_ptr<int64_t>());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  return counts.sum(0);
}

} // namespace

Tensor& MusaSearchsortedOut(
    const Tensor& rows, const Tensor& self, bool out_int32, bool right, std::optional<c10::string_view> side,
    const std::optional<Tensor>& sorter, Tensor& out) {
  return search_into(rows, self, out_int32, right, side, sorter.value_or(Tensor()), out);
}

Tensor MusaSearchsorted(
    const Tensor& rows, const Tensor& self, bool out_int32, bool right, std::optional<c10::string_view> side,
    const std::optional<Tensor>& sorter) {
  Tensor out = result_for(rows, out_int32);
  return MusaSearchsortedOut(rows, self, out_int32, right, side, sorter, out);
}

Tensor& MusaSearchsortedScalarOut(
    const Tensor& rows, const Scalar& self, bool out_int32, bool right, std::optional<c10::string_view> side,
    const std::optional<Tensor>& sorter, Tensor& out) {
  return MusaSearchsortedOut(
      rows, at::native::searchsorted_scalar_tensor(self, rows.device()), out_int32, right, side, sorter, out);
}

Tensor MusaSearchsortedScalar(
    const Tensor& rows, const Scalar& self, bool out_int32, bool right, std::optional<c10::string_view> side,
    const std::optional<Tensor>& sorter) {
  Tensor out = result_for(rows, out_int32);
  return MusaSearchsortedScalarOut(rows, self, out_int32, right, side, sorter, out);
}

Tensor& MusaBucketizeOut(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right, Tensor& out) {
  TORCH_CHECK(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  return search_into(boundaries, self, out_int32, right, std::nullopt, Tensor(), out);
}

Tensor MusaBucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  Tensor out = result_for(boundaries, out_int32);
  return MusaBucketizeOut(self, boundaries, out_int32, right, out);
}

Tensor MusaBucketizeScalar(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  return MusaBucketize(
      at::native::searchsorted_scalar_tensor(self, boundaries.device()), boundaries, out_int32, right);
}

Tensor MusaHistc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TORCH_CHECK(bins > 0, "bins must be > 0");
  double low = min.toDouble(), high = max.toDouble();
  if (low == high && self.numel() != 0) {
    low = self.min().item().toDouble();
    high = self.max().item().toDouble();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "range of [", low, ", ", high, "] is not finite");
  TORCH_CHECK(low < high, "max must be larger than min");
  const Tensor counts = at::zeros({bins}, self.options().dtype(kLong));
  if (self.numel() != 0) {
    const Tensor values = self.contiguous();
    AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "histc_musa", [&] {
      using R = std::conditional_t<std::is_same_v<scalar_t, double> || std::is_integral_v<scalar_t>, double, float>;
      count_in_ranges<<<blocks_for(values.numel()), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          values.const_data_ptr<scalar_t>(), values.numel(), static_cast<R>(low), static_cast<R>(high), bins,
          counts.mutable_data_ptr<int64_t>());
    });
    C10_MUSA_KERNEL_LAUNCH_CHECK();
  }
  return counts.to(self.scalar_type());
}

Tensor& MusaHistcOut(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max, Tensor& out) {
  const Tensor counts = MusaHistc(self, bins, min, max);
  at::native::resize_output(out, counts.sizes());
  return out.copy_(counts);
}

Tensor MusaBincount(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "minlength should be >= 0");
  const bool integers = at::isIntegralType(self.scalar_type(), /*includeBool=*/false) && self.dim() == 1;
  const char* const refusal = "bincount only supports 1-d non-negative integral inputs.";
  TORCH_CHECK(integers, refusal);
  if (self.numel() == 0) {
    return at::zeros({minlength}, self.options().dtype(kLong));
  }
  const auto [low, high] = self.aminmax();
  TORCH_CHECK(low.item<int64_t>() >= 0, refusal);
  const bool weighted = weights && weights->defined();
  TORCH_CHECK(
      !weighted || (weights->dim() == 1 && weights->numel() == self.numel()),
      "weights should be 1-d and have the same length as input");
  const ScalarType type = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  const int64_t size = std::max(high.item<int64_t>() + 1, minlength);
  const Tensor values = self.to(kLong).contiguous();
  if (!weighted && size <= values.numel() / 4) {
    return counts_of(values, size);
  }
  const Tensor counts = at::zeros({size}, self.options().dtype(type));
  return counts.index_add_(0, values, weighted ? weights->to(type) : at::ones_like(values));
}

} // namespace at::musa
