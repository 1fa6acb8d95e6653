// topk: a thread goes along a row and keeps the best k, in order, in the results; many are sorted with all others.
// One element alone (kthvalue, median) is found by its digits, from the highest to the lowest: those of the elements that
// have the same higher digits are counted.

#include <ATen/ops/empty.h>
#include <ATen/ops/topk_native.h>

#include "torch_musa/csrc/aten/ops/musa/Select.h"
#include "torch_musa/csrc/aten/ops/musa/Sort.muh"

#include <limits>
#include <type_traits>

namespace at::musa {

namespace {

/// Whether the best k are kept in order; else the row is sorted. Of a long row few elements are ever among the best.
bool keeps_best(int64_t k, int64_t size) {
  constexpr int64_t kAlways = 64, kMost = 512;
  return k <= kAlways || (k <= kMost && k * kAlways <= size);
}

template <bool kLargest, typename T>
__global__ void keep_best(const T* in, int64_t count, int64_t size, int64_t k, T* keys, int64_t* places) {
  using sorting::Key;
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* x = in + row * size;
  T* best = keys + row * k;
  int64_t* at = places + row * k;
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
void best_of_rows(const Tensor& in, int64_t k, const Tensor& keys, const Tensor& places) {
  const int64_t size = in.size(-1);
  const int64_t count = in.numel() / size;
  if (keeps_best(k, size)) {
    keep_best<kLargest, T><<<rows::blocks_for(count), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
        in.const_data_ptr<T>(), count, size, k, keys.mutable_data_ptr<T>(), places.mutable_data_ptr<int64_t>());
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    return;
  }
  const Tensor all_keys = at::empty(in.sizes(), in.options());
  const Tensor all_places = at::empty(in.sizes(), places.options());
  sorting::sort_rows<kLargest, T>(
      in.const_data_ptr<T>(), count, size, all_keys.mutable_data_ptr<T>(), all_places.mutable_data_ptr<int64_t>(),
      in.options());
  keys.copy_(all_keys.narrow(-1, 0, k));
  places.copy_(all_places.narrow(-1, 0, k));
}

template <size_t kBytes>
using Unsigned = std::conditional_t<
    kBytes == 1, uint8_t, std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

/// An unsigned integer for each value, in the values' order. The same for both zeros, and for all that is no number.
template <typename T>
MUSA_ROWS Unsigned<sizeof(T)> key_of(T value) {
  using U = Unsigned<sizeof(T)>;
  constexpr U kSign = static_cast<U>(U(1) << (8 * sizeof(T) - 1));
  const U bits = __builtin_bit_cast(U, value);
  if constexpr (!std::is_integral_v<T>) {
    const auto number = static_cast<at::opmath_type<T>>(value);
    const U key = static_cast<U>((bits & kSign) != 0 ? ~bits : bits | kSign);
    return number == 0 ? kSign : number != number ? std::numeric_limits<U>::max() : key;
  } else {
    return std::is_signed_v<T> ? static_cast<U>(bits ^ kSign) : bits;
  }
}

/// The number of the element in the sorted row.
template <typename T>
MUSA_ROWS int64_t number_of(const T* row, int64_t size, Rank rank, int64_t k) {
  if (rank == Rank::Kth) {
    return k;
  }
  int64_t nans = 0;
  for (int64_t i = 0; i < size; ++i) {
    nans += sorting::is_nan(static_cast<sorting::Key<T>>(row[i])) ? 1 : 0;
  }
  const int64_t numbers = size - nans;
  if (rank == Rank::Median) {
    return nans != 0 ? numbers : (size - 1) / 2;
  }
  return numbers != 0 ? (numbers - 1) / 2 : 0;
}

template <typename T>
__global__ void select_rank(
    const T* in, int64_t count, int64_t size, Rank rank, int64_t k, T* values, int64_t* places) {
  using U = Unsigned<sizeof(T)>;
  constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
  const int64_t row = rows::this_thread();
  if (row >= count) {
    return;
  }
  const T* const x = in + row * size;
  int64_t before = number_of(x, size, rank, k); // how many of the elements that are left come before it
  int64_t left = size;
  U known = 0, mask = 0; // the digits that are known, and their bits
  for (int shift = 8 * sizeof(U) - kDigitBits; shift >= 0 && left > 1; shift -= kDigitBits) {
    int64_t counts[kDigits];
    for (int digit = 0; digit < kDigits; ++digit) {
      counts[digit] = 0;
    }
    for (int64_t i = 0; i < size; ++i) {
      const U key = key_of(x[i]);
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
  int64_t place = 0;
  for (;; ++place) {
    if ((key_of(x[place]) & mask) == known && before-- == 0) {
      break;
    }
  }
  values[row] = x[place];
  places[row] = place;
}

} // namespace

void select_of_rows(const Tensor& rows, Rank rank, int64_t k, const Tensor& values, const Tensor& places) {
  if (values.numel() == 0) {
    return;
  }
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, rows.scalar_type(), "select_musa", [&] {
    select_rank<scalar_t>
        <<<rows::blocks_for(values.numel()), rows::kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
            rows.const_data_ptr<scalar_t>(), values.numel(), rows.size(-1), rank, k, values.mutable_data_ptr<scalar_t>(),
            places.mutable_data_ptr<int64_t>());
  });
  C10_MUSA_KERNEL_LAUNCH_CHECK();
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
  const Tensor places = at::empty(to_values.sizes(), in.options().dtype(kLong));
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, in.scalar_type(), "topk_musa", [&] {
    largest ? best_of_rows<true, scalar_t>(in, k, keys, places) : best_of_rows<false, scalar_t>(in, k, keys, places);
  });
  to_values.copy_(keys);
  to_indices.copy_(places);
}

} // namespace at::musa
