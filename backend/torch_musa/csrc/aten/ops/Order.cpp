// Order statistics: kthvalue, median and nanmedian; and mode, which sorts.

#include <ATen/TensorOperators.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cummax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/kthvalue_native.h>
#include <ATen/ops/median_native.h>
#include <ATen/ops/mode_native.h>
#include <ATen/ops/nanmedian_native.h>
#include <ATen/ops/sort.h>

#include <limits>
#include <tuple>

#include "torch_musa/csrc/aten/ops/musa/Select.h"

namespace at::musa {

namespace {

/// Rows sorted along the last dimension; NaN comes last, equal elements keep their order.
struct Sorted {
  Tensor values, indices;
  int64_t dim; // of the argument

  int64_t size() const {
    return values.size(-1);
  }
};

Sorted sorted_along(const Tensor& self, int64_t given_dim, const char* name) {
  const int64_t dim = at::maybe_wrap_dim(given_dim, self.dim());
  at::native::zero_numel_check_dims(self, dim, name);
  const Tensor rows = self.dim() == 0 ? self.unsqueeze(0) : self.movedim(dim, -1);
  auto [values, indices] = at::sort(rows, /*stable=*/true, /*dim=*/-1, /*descending=*/false);
  return {values, indices, dim};
}

/// Writes the elements of sorted rows at `at`, which has one position per row.
void take_at(const Sorted& sorted, const Tensor& at, const Tensor& self, bool keepdim, Tensor& values, Tensor& indices) {
  const auto shaped = [&](const Tensor& rows) {
    const Tensor found = rows.gather(-1, at);
    return !keepdim || self.dim() == 0 ? found.squeeze(-1) : found.movedim(-1, sorted.dim);
  };
  const Tensor value = shaped(sorted.values);
  const Tensor index = shaped(sorted.indices);
  at::native::resize_output(values, value.sizes());
  at::native::resize_output(indices, index.sizes());
  values.copy_(value);
  indices.copy_(index);
}

/// Writes the element that has a rank among those along a dimension.
void select_into(
    const Tensor& self, int64_t given_dim, const char* name, Rank rank, int64_t k, bool keepdim, Tensor& values,
    Tensor& indices) {
  const int64_t dim = at::maybe_wrap_dim(given_dim, self.dim());
  at::native::zero_numel_check_dims(self, dim, name);
  const Tensor rows = (self.dim() == 0 ? self.unsqueeze(0) : self.movedim(dim, -1)).contiguous();
  Tensor value = at::empty(rows.sizes().slice(0, rows.dim() - 1), self.options());
  Tensor index = at::empty(value.sizes(), self.options().dtype(kLong));
  select_of_rows(rows, rank, k, value, index);
  if (keepdim && self.dim() != 0) {
    value = value.unsqueeze(dim);
    index = index.unsqueeze(dim);
  }
  at::native::resize_output(values, value.sizes());
  at::native::resize_output(indices, index.sizes());
  values.copy_(value);
  indices.copy_(index);
}

void median_into(
    const Tensor& self, int64_t dim, bool keepdim, bool ignores_nan, Tensor& values, Tensor& indices) {
  select_into(
      self, dim, ignores_nan ? "nanmedian()" : "median()", ignores_nan ? Rank::MedianOfNumbers : Rank::Median, 0, keepdim,
      values, indices);
}

/// The median of all elements.
Tensor median_of_all(const Tensor& self, bool ignores_nan) {
  if (self.numel() == 0) {
    return at::full({}, std::numeric_limits<double>::quiet_NaN(), self.options());
  }
  Tensor value = at::empty({0}, self.options());
  Tensor index = at::empty({0}, self.options().dtype(kLong));
  median_into(self.flatten(), 0, false, ignores_nan, value, index);
  return value;
}

} // namespace

std::tuple<Tensor&, Tensor&> MusaKthvalueOut(
    const Tensor& self, int64_t k, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  TORCH_CHECK(k >= 1 && k <= size, "kthvalue(): selected number k out of range for dimension ", dim);
  select_into(self, dim, "kthvalue()", Rank::Kth, k - 1, keepdim, values, indices);
  return {values, indices};
}

Tensor MusaMedian(const Tensor& self) {
  return median_of_all(self, false);
}

Tensor MusaNanmedian(const Tensor& self) {
  return median_of_all(self, true);
}

std::tuple<Tensor&, Tensor&> MusaMedianOut(
    const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  median_into(self, dim, keepdim, false, values, indices);
  return {values, indices};
}

std::tuple<Tensor&, Tensor&> MusaNanmedianOut(
    const Tensor& self, int64_t dim, bool keepdim, Tensor& values, Tensor& indices) {
  median_into(self, dim, keepdim, true, values, indices);
  return {values, indices};
}

/// The most frequent element of each row, the smallest of several, and where it is last.
std::tuple<Tensor, Tensor> MusaMode(const Tensor& self, int64_t dim, bool keepdim) {
  const Sorted sorted = sorted_along(self, dim, "mode()");
  const int64_t size = sorted.size();
  const Tensor positions =
      at::arange(size, sorted.indices.options()).expand_as(sorted.indices).clone(at::MemoryFormat::Contiguous);
  // where the run of equal elements begins that an element is in
  Tensor begins = positions.clone();
  if (size > 1) {
    const Tensor differs = sorted.values.narrow(-1, 1, size - 1) != sorted.values.narrow(-1, 0, size - 1);
    begins.narrow(-1, 1, size - 1).mul_(differs);
    begins = std::get<0>(at::cummax(begins, -1));
  }
  const Tensor last = (positions - begins).argmax(-1, /*keepdim=*/true);
  Tensor values = at::empty({0}, self.options());
  Tensor indices = at::empty({0}, self.options().dtype(kLong));
  take_at(sorted, last, self, keepdim, values, indices);
  return {values, indices};
}

} // namespace at::musa
