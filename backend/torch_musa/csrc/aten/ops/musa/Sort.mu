// sort: PyTorch's function finds the kernel in its stub. It is always stable.
//
// Runs of kRun elements are sorted by insertion, then merged in pairs. In a merge, a thread writes kChunk elements of the
// result; where its parts of the two runs begin, it finds by bisection.

#include <ATen/native/Sorting.h>
#include <ATen/ops/empty.h>

#include "torch_musa/csrc/aten/ops/musa/Sort.muh"

#include <algorithm>

namespace at::musa::sorting {

namespace {

using rows::kThreads;

constexpr int64_t kRun = 16;
constexpr int64_t kChunk = 1024;

template <bool kDescending, typename T>
__global__ void sort_runs(const T* in, int64_t rows_count, int64_t size, T* keys, int64_t* indices) {
  const int64_t runs = (size + kRun - 1) / kRun;
  const int64_t thread = rows::this_thread();
  if (thread >= rows_count * runs) {
    return;
  }
  const int64_t row = thread / runs * size;
  const int64_t first = thread % runs * kRun;
  const int count = static_cast<int>(::min(kRun, size - first));
  T sorted[kRun];
  int64_t at[kRun];
  for (int i = 0; i < count; ++i) {
    const T value = in[row + first + i];
    int j = i;
    for (; j > 0 && before<kDescending>(static_cast<Key<T>>(value), static_cast<Key<T>>(sorted[j - 1])); --j) {
      sorted[j] = sorted[j - 1];
      at[j] = at[j - 1];
    }
    sorted[j] = value;
    at[j] = first + i;
  }
  for (int i = 0; i < count; ++i) {
    keys[row + first + i] = sorted[i];
    indices[row + first + i] = at[i];
  }
}

/// Returns how many of the first `taken` elements of the merged result come from the left run.
template <bool kDescending, typename T>
MUSA_ROWS int64_t from_left(const T* left, int64_t left_size, const T* right, int64_t right_size, int64_t taken) {
  int64_t low = taken > right_size ? taken - right_size : 0;
  int64_t high = taken < left_size ? taken : left_size;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const T candidate = right[taken - 1 - middle];
    if (before<kDescending>(static_cast<Key<T>>(candidate), static_cast<Key<T>>(left[middle]))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

template <bool kDescending, typename T>
__global__ void merge_runs(
    const T* keys, const int64_t* indices, int64_t rows_count, int64_t size, int64_t run, T* merged_keys,
    int64_t* merged_indices) {
  const int64_t chunks = (size + kChunk - 1) / kChunk;
  const int64_t thread = rows::this_thread();
  if (thread >= rows_count * chunks) {
    return;
  }
  const int64_t row = thread / chunks * size;
  const int64_t end = ::min(size, (thread % chunks + 1) * kChunk);
  for (int64_t out = thread % chunks * kChunk; out < end;) { // a chunk may hold several pairs of runs
    const int64_t first = out / (2 * run) * (2 * run);
    const int64_t left_size = ::min(run, size - first);
    const int64_t right_size = ::min(run, size - first - left_size);
    const int64_t pair_end = ::min(end, first + left_size + right_size);
    const T* left = keys + row + first;
    const T* right = left + left_size;
    const int64_t* left_indices = indices + row + first;
    const int64_t* right_indices = left_indices + left_size;
    int64_t i = from_left<kDescending>(left, left_size, right, right_size, out - first);
    int64_t j = out - first - i;
    for (; out < pair_end; ++out) {
      const bool takes_right = i >= left_size ||
          (j < right_size && before<kDescending>(static_cast<Key<T>>(right[j]), static_cast<Key<T>>(left[i])));
      merged_keys[row + out] = takes_right ? right[j] : left[i];
      merged_indices[row + out] = takes_right ? right_indices[j] : left_indices[i];
      i += !takes_right;
      j += takes_right;
    }
  }
}

} // namespace

template <bool kDescending, typename T>
void sort_rows(const T* in, int64_t count, int64_t size, T* keys, int64_t* indices, const TensorOptions& options) {
  const auto stream = c10::musa::getCurrentMUSAStream();
  int passes = 0;
  for (int64_t run = kRun; run < size; run *= 2) {
    ++passes;
  }
  const Tensor memory = passes ? at::empty({count * size * static_cast<int64_t>(sizeof(T) + sizeof(int64_t))},
                                     options.dtype(kByte))
                               : Tensor();
  auto* other_indices = passes ? static_cast<int64_t*>(memory.data_ptr()) : nullptr;
  auto* other_keys = reinterpret_cast<T*>(other_indices + (passes ? count * size : 0));
  if (passes % 2 == 1) { // so that the last pass writes the results
    std::swap(keys, other_keys);
    std::swap(indices, other_indices);
  }
  const int64_t runs = (size + kRun - 1) / kRun;
  sort_runs<kDescending, T><<<rows::blocks_for(count * runs), kThreads, 0, stream>>>(in, count, size, keys, indices);
  C10_MUSA_KERNEL_LAUNCH_CHECK();
  const int64_t chunks = (size + kChunk - 1) / kChunk;
  for (int64_t run = kRun; run < size; run *= 2) {
    merge_runs<kDescending, T><<<rows::blocks_for(count * chunks), kThreads, 0, stream>>>(
        keys, indices, count, size, run, other_keys, other_indices);
    C10_MUSA_KERNEL_LAUNCH_CHECK();
    std::swap(keys, other_keys);
    std::swap(indices, other_indices);
  }
}

#define MUSA_SORT(T, NAME)                                                                                  \
  template void sort_rows<false, T>(const T*, int64_t, int64_t, T*, int64_t*, const TensorOptions&); \
  template void sort_rows<true, T>(const T*, int64_t, int64_t, T*, int64_t*, const TensorOptions&);
AT_FORALL_SCALAR_TYPES_AND3(Half, BFloat16, Bool, MUSA_SORT)
#undef MUSA_SORT

} // namespace at::musa::sorting

namespace at::native {

namespace {

void sort_musa(
    const TensorBase& self_base, const TensorBase& values_base, const TensorBase& indices_base, int64_t dim,
    bool descending, bool /*stable*/) {
  if (self_base.numel() == 0) {
    return;
  }
  const Tensor self(self_base);
  const Tensor values(values_base);
  const Tensor indices(indices_base);
  const Tensor in = self.movedim(dim, -1).contiguous();
  const int64_t size = in.size(-1);
  const Tensor sorted_values = values.movedim(dim, -1);
  const Tensor sorted_indices = indices.movedim(dim, -1);
  // The results may be the input's memory, and it is read while they are written.
  const bool fits = sorted_values.is_contiguous() && sorted_indices.is_contiguous() && !self.is_alias_of(values);
  const Tensor keys = fits ? sorted_values : at::empty(in.sizes(), in.options());
  const Tensor made_indices = fits ? sorted_indices : at::empty(in.sizes(), in.options().dtype(kLong));
  AT_DISPATCH_ALL_TYPES_AND3(kHalf, kBFloat16, kBool, in.scalar_type(), "sort_musa", [&] {
    const auto sort = descending ? at::musa::sorting::sort_rows<true, scalar_t>
                                 : at::musa::sorting::sort_rows<false, scalar_t>;
    sort(
        in.const_data_ptr<scalar_t>(), in.numel() / size, size, keys.mutable_data_ptr<scalar_t>(),
        made_indices.mutable_data_ptr<int64_t>(), in.options());
  });
  if (!fits) {
    sorted_values.copy_(keys);
    sorted_indices.copy_(made_indices);
  }
}

} // namespace

REGISTER_PRIVATEUSE1_DISPATCH(sort_stub, &sort_musa)

} // namespace at::native
