// Elements, or slices, without repetitions: they are sorted, and each that differs from the one before begins a run. Integers
// that lie close together are not sorted but marked.

#include <ATen/TensorOperators.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_unique2_native.h>
#include <ATen/ops/_unique_native.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/unique_consecutive_native.h>
#include <ATen/ops/unique_dim_consecutive_native.h>
#include <ATen/ops/unique_dim_native.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace at::musa {

namespace {

using Three = std::tuple<Tensor, Tensor, Tensor>;

/// Runs of equal neighbours.
struct Runs {
  Tensor begins; // for each element, whether a run begins there
  Tensor starts; // where each begins

  /// The run of each element.
  Tensor numbers() const {
    return begins.cumsum(0, kLong) - 1;
  }
  /// How many elements each has.
  Tensor counts() const {
    const int64_t count = starts.size(0);
    const Tensor bounds = at::empty({count + 1}, starts.options());
    bounds.narrow(0, 0, count).copy_(starts);
    bounds.narrow(0, count, 1).fill_(begins.size(0));
    return bounds.narrow(0, 1, count) - starts;
  }
};

/// `differs`: for each element but the first, whether it differs from the one before. There is an element.
Runs runs_of(const Tensor& differs) {
  const int64_t size = differs.size(0) + 1;
  const Tensor begins = at::empty({size}, differs.options());
  begins.narrow(0, 0, 1).fill_(true);
  begins.narrow(0, 1, size - 1).copy_(differs);
  return {begins, begins.nonzero().squeeze(1)};
}

/// Whether each row of a matrix, or element of a vector, differs from the one before.
Tensor neighbours_differ(const Tensor& rows) {
  const int64_t size = rows.size(0);
  const Tensor differs = rows.narrow(0, 1, size - 1) != rows.narrow(0, 0, size - 1);
  return rows.dim() == 1 ? differs : differs.any(1);
}

Tensor none(const Tensor& self) {
  return at::empty({0}, self.options().dtype(kLong));
}

/// Signed integers in the order of unsigned ones of two bytes or more, which are not sorted; all else is left as it is.
Tensor sortable(const Tensor& values) {
  switch (values.scalar_type()) {
    case kUInt16:
      return values.to(kInt);
    case kUInt32:
      return values.to(kLong);
    case kUInt64:
      return values.view(kLong).bitwise_xor(std::numeric_limits<int64_t>::min());
    default:
      return values;
  }
}

/// The order in which the rows of a matrix would be sorted: by the last column, then by the one before, and so on.
Tensor order_of(const Tensor& rows) {
  Tensor order = at::arange(rows.size(0), rows.options().dtype(kLong));
  for (int64_t column = rows.size(1) - 1; column >= 0; --column) {
    const Tensor keys = rows.select(1, column).index_select(0, order);
    order = order.index_select(0, at::argsort(keys, /*stable=*/true, /*dim=*/0));
  }
  return order;
}

/// For an order of the elements, return the run of each element in the original order.
Tensor in_first_order(const Tensor& numbers, const Tensor& order) {
  return at::empty(numbers.sizes(), numbers.options()).index_copy_(0, order, numbers);
}

/// Return the number of integers from `low` to `high`, if it is not much larger than the number of elements.
std::optional<int64_t> dense_range(int64_t low, int64_t high, int64_t elements) {
  const uint64_t distance = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return distance < static_cast<uint64_t>(elements) ? std::optional(static_cast<int64_t>(distance) + 1) : std::nullopt;
}

/// For integers of a range without large gaps: `offsets` counts from the lowest. Marking each offset that
/// occurs takes less time than sorting.
Three unique_of_range(
    const Tensor& self, const Tensor& offsets, const Tensor& low, int64_t range, bool inverse, bool counts) {
  const Tensor frequencies = counts ? at::bincount(offsets, {}, range) : none(self);
  const Tensor marks =
      counts ? frequencies != 0 : at::zeros({range}, offsets.options().dtype(kBool)).index_fill_(0, offsets, true);
  const Tensor found = marks.nonzero().squeeze(1);
  const Tensor numbers =
      inverse ? (marks.cumsum(0, kLong) - 1).index_select(0, offsets).reshape(self.sizes()) : none(self);
  return {(found + low.to(kLong)).to(self.scalar_type()), numbers, counts ? frequencies.index_select(0, found) : none(self)};
}

Three unique_elements(const Tensor& self, bool consecutive, bool inverse, bool counts) {
  if (self.numel() == 0) {
    return {at::empty({0}, self.options()), at::empty(self.sizes(), self.options().dtype(kLong)), none(self)};
  }
  const Tensor elements = self.reshape(-1);
  if (!consecutive && isIntegralType(self.scalar_type(), /*includeBool=*/false) && !isBarebonesUnsignedType(self.scalar_type())) {
    const auto [low, high] = at::aminmax(elements);
    if (const std::optional<int64_t> range = dense_range(low.item<int64_t>(), high.item<int64_t>(), self.numel())) {
      return unique_of_range(self, elements.to(kLong) - low.to(kLong), low, *range, inverse, counts);
    }
  }
  Tensor values = sortable(elements), order;
  if (!consecutive) {
    std::tie(values, order) = at::sort(values, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  }
  const Runs runs = runs_of(neighbours_differ(values));
  const Tensor first_indices = consecutive ? runs.starts : order.index_select(0, runs.starts);
  Tensor numbers = none(self);
  if (inverse) {
    numbers = (consecutive ? runs.numbers() : in_first_order(runs.numbers(), order)).reshape(self.sizes());
  }
  return {elements.index_select(0, first_indices), numbers, counts ? runs.counts() : none(self)};
}

Three unique_slices(const Tensor& self, int64_t given_dim, bool consecutive, bool counts) {
  const int64_t dim = at::maybe_wrap_dim(given_dim, self.dim());
  const int64_t empty_dims = std::count(self.sizes().begin(), self.sizes().end(), 0);
  const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
  if (size == 0) {
    TORCH_CHECK(empty_dims == 1, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    return {at::empty(self.sizes(), self.options()), none(self), none(self)};
  }
  TORCH_CHECK(
      empty_dims == 0, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  const Tensor whole = self.dim() == 0 ? self.unsqueeze(0) : self;
  const Tensor rows = sortable(whole.movedim(dim, 0).reshape({size, -1}));
  Tensor order;
  if (!consecutive) {
    order = order_of(rows);
  }
  const Runs runs = runs_of(neighbours_differ(consecutive ? rows : rows.index_select(0, order)));
  const Tensor starts = consecutive ? runs.starts : order.index_select(0, runs.starts);
  const Tensor numbers = consecutive ? runs.numbers() : in_first_order(runs.numbers(), order);
  return {whole.index_select(dim, starts), numbers, counts ? runs.counts() : none(self)};
}

} // namespace

Three MusaUnique2(const Tensor& self, bool, bool inverse, bool counts) {
  return unique_elements(self, false, inverse, counts);
}

std::tuple<Tensor, Tensor> MusaUnique(const Tensor& self, bool, bool inverse) {
  const auto [values, numbers, counts] = unique_elements(self, false, inverse, false);
  return {values, numbers};
}

Three MusaUniqueDim(const Tensor& self, int64_t dim, bool, bool, bool counts) {
  return unique_slices(self, dim, false, counts);
}

Three MusaUniqueDimConsecutive(const Tensor& self, int64_t dim, bool, bool counts) {
  return unique_slices(self, dim, true, counts);
}

Three MusaUniqueConsecutive(const Tensor& self, bool inverse, bool counts, std::optional<int64_t> dim) {
  return dim ? unique_slices(self, *dim, true, counts) : unique_elements(self, true, inverse, counts);
}

} // namespace at::musa
