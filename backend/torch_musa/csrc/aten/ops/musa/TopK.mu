// topk: a thread goes along a row and keeps the best k, in order, in the results; many are sorted with all others.
// One element alone (kthvalue, median) is found by its digits, from the highest to the lowest: those of the elements that
// have the same higher digits are counted.

#include <ATen/ops/empty.h>
#include <ATen/ops/topk_native.h>

#include "torch_musa/csrc/aten/ops/musa/Select.h"
#include "torch_musa/csrc/aten/ops/musa/Sort.muh"

#include <type_traits>

namespace at::musa {

namespace {

/// Whether the best k are kept in order; else the row is sorted. Of a long row few elements are ever among the best.
bool keeps_best(int64_t k, int64_t size) {
  constexpr int64_t kAlways = 64, kMost = 512;
  return k <= kAlways || (k <= kMost && k * kAlways <= size);
}

template <bool kLargest, typename T>
__global__ void keep_best(const T* in, int64_t count, int64_t size, int64_t k, T* keys, int64_t* indices) {
  using sorting::Key;
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* x = in + row * size;
  T* best = keys + row * k;
  int64_t* at = indices + row * k;
  Key<T> worst = Key<T>(0);
  for (int64_t i = 0; i < size; ++i) {
    const Key<T> value = static_cast<Key<T>>(x[i]);
    if (i >= k && !sorting::before<kLargest>(value, worst)) {
      continue;
    }
    int64_t j = i < k ? i : k - 1;
    for (; j > 0 && sorting::before<kLargest>(value, static_cast<Key<T>>(best[j - 1])); --j) {
      best[j] = best[j - 1];
      at[j] = at[j - 1];
    }
    best[j] = x[i];
    at[j] = i;
    worst = static_cast<Key<T>>(best[i < k ? i : k - 1]);
  }
}

template <bool kLargest, typename T>
void best_of_rows(const Tensor& in, int64_t k, const Tensor& keys, const Tensor& indices) {
  const int64_t size = in.size(-1);
  const int64_t count = in.numel() / size;
  if (keeps_best(k, size)) {
    keep_best<kLargest, T><<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        in.const_data_ptr<T>(), count, size, k, keys.mutable_data_ptr<T>(), indices.mutable_data_ptr<int64_t>());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    return;
  }
  const Tensor all_keys = at::empty(in.sizes(), in.options());
  const Tensor all_indices = at::empty(in.sizes(), indices.options());
  sorting::sort_rows<kLargest, T>(
      in.const_data_ptr<T>(), count, size, all_keys.mutable_data_ptr<T>(), all_indices.mutable_data_ptr<int64_t>(),
      in.options());
  keys.copy_(all_keys.narrow(-1, 0, k));
  indices.copy_(all_indices.narrow(-1, 0, k));
}

/// Makes the bits of a value an unsigned integer in the values' order: the same for both zeros, and the largest for what is no
/// number.
template <typename U>
struct Keys {
  U sign; // the highest bit, or 0 if the values have no sign
  bool floating;
  U infinity; // its bits; those of what is no number are larger

  MUSA_ROWS bool is_nan(U bits) const {
    return floating && static_cast<U>(bits & ~sign) > infinity;
  }
  MUSA_ROWS U operator()(U bits) const {
    const bool mirrored = floating && (bits & sign) != 0;
    const U key = mirrored ? static_cast<U>(~bits) : static_cast<U>(bits ^ sign);
    const bool zero = floating && static_cast<U>(bits & ~sign) == 0;
    return is_nan(bits) ? static_cast<U>(~U(0)) : zero ? sign : key;
  }
};

/// The number of the element in the sorted row.
template <typename U>
MUSA_ROWS int64_t number_of(const U* row, int64_t size, const Keys<U>& keys, Rank rank, int64_t k) {
  if (rank == Rank::Kth) {
    return k;
  }
  int64_t nans = 0;
  for (int64_t i = 0; i < size; ++i) {
    nans += keys.is_nan(row[i]) ? 1 : 0;
  }
  const int64_t numbers = size - nans;
  if (rank == Rank::Median) {
    return nans != 0 ? numbers : (size - 1) / 2;
  }
  return numbers != 0 ? (numbers - 1) / 2 : 0;
}

template <typename U>
__global__ void select_rank(
    const U* in, int64_t count, int64_t size, Keys<U> keys, Rank rank, int64_t k, U* values, int64_t* indices) {
  constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const U* const x = in + row * size;
  int64_t before = number_of(x, size, keys, rank, k); // how many of the elements that are left come before it
  int64_t left = size;
  U known = 0, mask = 0; // the digits that are known, and their bits
  for (int shift = 8 * sizeof(U) - kDigitBits; shift >= 0 && left > 1; shift -= kDigitBits) {
    int64_t counts[kDigits];
    for (int digit = 0; digit < kDigits; ++digit) {
      counts[digit] = 0;
    }
    for (int64_t i = 0; i < size; ++i) {
      const U key = keys(x[i]);
      counts[(key >> shift) & (kDigits - 1)] += (key & mask) == known ? 1 : 0;
    }
    int digit = 0;
    for (; before >= counts[digit]; ++digit) {
      before -= counts[digit];
    }
    left = counts[digit];
    known = static_cast<U>(known | static_cast<U>(digit) << shift);
    mask = static_cast<U>(mask | static_cast<U>(kDigits - 1) << shift);
  }
  int64_t index = 0;
  for (;; ++index) {
    if ((keys(x[index]) & mask) == known && before-- == 0) {
      break;
    }
  }
  values[row] = x[index];
  indices[row] = index;
}

/// The bits of infinity, for floating-point types.
uint64_t infinity_of(ScalarType type) {
  switch (type) {
    case kHalf:
      return 0x7c00;
    case kBFloat16:
      return 0x7f80;
    case kFloat:
      return 0x7f800000;
    default:
      return 0x7ff0000000000000;
  }
}

template <typename U>
void select_bits(const Tensor& in, Rank rank, int64_t k, const Tensor& values, const Tensor& indices) {
  const ScalarType type = in.scalar_type();
  const bool floating = isFloatingType(type);
  const bool unsigned_type = type == kByte || type == kBool;
  const Keys<U> keys{
      unsigned_type ? U(0) : static_cast<U>(U(1) << (8 * sizeof(U) - 1)), floating, static_cast<U>(infinity_of(type))};
  select_rank<U><<<rows::blocks_for(values.numel()), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
      static_cast<const U*>(in.const_data_ptr()), values.numel(), in.size(-1), keys, rank, k,
      static_cast<U*>(values.mutable_data_ptr()), indices.mutable_data_ptr<int64_t>());
  C10_MUSA_KERNEL_LAUNCH_CHECK();
}

} // namespace

void select_of_rows(const Tensor& rows, Rank rank, int64_t k, const Tensor& values, const Tensor& indices) {
  if (values.numel() == 0) {
    return;
  }
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, rows.scalar_type(), "select_musa", [&] {
    using U = std::conditional_t<
        sizeof(scalar_t) == 1, uint8_t,
        std::conditional_t<
            sizeof(scalar_t) == 2, uint16_t, std::conditional_t<sizeof(scalar_t) == 4, uint32_t, uint64_t>>>;
    select_bits<U>(rows, rank, k, values, indices);
  });
}

TORCH_IMPL_FUNC(MusaTopK)
(const Tensor& self, int64_t k, int64_t dim, bool largest, bool, const Tensor& values, const Tensor& indices) {
  if (self.dim() == 0 && self.numel() == 1) {
    values.copy_(self);
    indices.zero_();
    return;
  }
  if (values.numel() == 0) {
    return;
  }
  const Tensor in = self.movedim(dim, -1).contiguous();
  const Tensor to_values = values.movedim(dim, -1);
  const Tensor to_indices = indices.movedim(dim, -1);
  const Tensor keys = at::empty(to_values.sizes(), in.options());
  const Tensor made_indices = at::empty(to_values.sizes(), in.options().dtype(kLong));
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "topk_musa", [&] {
    largest ? best_of_rows<true, scalar_t>(in, k, keys, made_indices)
            : best_of_rows<false, scalar_t>(in, k, keys, made_indices);
  });
  to_values.copy_(keys);
  to_indices.copy_(made_indices);
}

} // namespace at::musa
