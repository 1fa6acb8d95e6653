// topk: a thread goes along a row and keeps the best k, in order, in the results; many are sorted with all others.

#include <ATen/ops/empty.h>
#include <ATen/ops/topk_native.h>

#include "torch_musa/csrc/aten/ops/musa/Sort.muh"

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

} // namespace

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
