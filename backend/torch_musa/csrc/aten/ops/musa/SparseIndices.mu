// The row indices of sparse matrices, one by one (COO) and as the begin of each row (CSR).

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_convert_indices_from_coo_to_csr_native.h>
#include <ATen/ops/_convert_indices_from_csr_to_coo_native.h>
#include <ATen/ops/empty_like.h>
#include <torch_musa/csrc/core/MUSAException.h>
#include <torch_musa/csrc/core/MUSAStream.h>

#include <algorithm>

namespace at::musa {

namespace {

constexpr int kThreads = 256;

dim3 blocks_for(int64_t threads) {
  return dim3((threads + kThreads - 1) / kThreads);
}

/// The begin of row r is how many of the sorted indices are smaller than r: each thread answers for the rows between two
/// neighbours.
template <typename I, typename O>
__global__ void begins(const I* indices, int64_t count, int64_t rows, O* result) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i <= count) {
    const int64_t first = i == 0 ? 0 : static_cast<int64_t>(indices[i - 1]) + 1;
    const int64_t last = i == count ? rows : static_cast<int64_t>(indices[i]);
    for (int64_t row = first; row <= last; ++row) {
      result[row] = static_cast<O>(i);
    }
  }
}

constexpr int kMostBatchDims = 14; // PyTorch's own limit of dimensions, less those of a matrix

struct Batches {
  int dims;
  int64_t sizes[kMostBatchDims];
};

/// Each element finds its row by bisection among the begins of its matrix.
template <typename I, typename O>
__global__ void owners(
    const I* begins, const I* columns, int64_t rows, int64_t nnz, int64_t count, Batches batches, O* batch, O* row,
    O* column) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x;
  if (i < count) {
    const int64_t matrix = i / nnz, element = i % nnz;
    const I* const own = begins + matrix * (rows + 1);
    int64_t low = 0, high = rows - 1; // the last row that begins at the element or before
    while (low < high) {
      const int64_t middle = (low + high + 1) / 2;
      if (static_cast<int64_t>(own[middle]) <= element) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    row[i] = static_cast<O>(low);
    column[i] = static_cast<O>(columns[i]);
    int64_t rest = matrix;
    for (int dim = batches.dims - 1; dim >= 0; --dim) {
      batch[dim * count + i] = static_cast<O>(rest % batches.sizes[dim]);
      rest /= batches.sizes[dim];
    }
  }
}

} // namespace

TORCH_IMPL_FUNC(MusaConvertIndicesFromCooToCsr)
(const Tensor& input, const int64_t size, const bool out_int32, const Tensor& result) {
  const Tensor indices = input.contiguous();
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, MemoryFormat::Contiguous);
  const int64_t count = indices.numel();
  AT_DISPATCH_INTEGRAL_TYPES(indices.scalar_type(), "convert_indices_from_coo_to_csr_musa", [&] {
    const auto run = [&](auto zero) {
      using O = decltype(zero);
      begins<scalar_t, O><<<blocks_for(count + 1), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          indices.const_data_ptr<scalar_t>(), count, size, made.mutable_data_ptr<O>());
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    };
    out_int32 ? run(int32_t()) : run(int64_t());
  });
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

TORCH_IMPL_FUNC(MusaConvertIndicesFromCsrToCoo)
(const Tensor& crow_indices, const Tensor& col_indices, const bool out_int32, const bool transpose,
 const Tensor& result) {
  const Tensor row_begins = crow_indices.contiguous(), columns = col_indices.contiguous();
  const int64_t rows = row_begins.size(-1) - 1, nnz = columns.size(-1);
  const int64_t count = columns.numel();
  if (count == 0 || rows <= 0) {
    result.zero_();
    return;
  }
  Batches batches{static_cast<int>(columns.dim()) - 1, {}};
  TORCH_CHECK(
      batches.dims <= kMostBatchDims, "_convert_indices_from_csr_to_coo on musa takes ", kMostBatchDims,
      " dimensions of batches at most, got ", batches.dims);
  std::copy_n(columns.sizes().begin(), batches.dims, batches.sizes);
  const Tensor made = result.is_contiguous() ? result : at::empty_like(result, MemoryFormat::Contiguous);
  AT_DISPATCH_INTEGRAL_TYPES(row_begins.scalar_type(), "convert_indices_from_csr_to_coo_musa", [&] {
    const auto run = [&](auto zero) {
      using O = decltype(zero);
      O* const out = made.mutable_data_ptr<O>();
      O* const first = out + batches.dims * count;
      O* const second = first + count;
      owners<scalar_t, O><<<blocks_for(count), kThreads, 0, c10::musa::getCurrentMUSAStream()>>>(
          row_begins.const_data_ptr<scalar_t>(), columns.const_data_ptr<scalar_t>(), rows, nnz, count, batches, out,
          transpose ? second : first, transpose ? first : second);
      C10_MUSA_KERNEL_LAUNCH_CHECK();
    };
    out_int32 ? run(int32_t()) : run(int64_t());
  });
  if (!made.is_same(result)) {
    result.copy_(made);
  }
}

} // namespace at::musa
